// Footprint of each loop: the bytes of the 64-byte lines that its own basic blocks touch, not those
// of inner loops (PMaC's paper, section III: an idiom moves the data of its basic block).
//
// Each loop has a sketch of 1024 registers that estimates the number of its lines (HyperLogLog:
// Flajolet, Fusy, Gandouet, Meunier 2007; linear counting while it is sparse). The standard error
// is 3.3 %, below 1,000 lines about 2 %. Memory: 1 KiB per loop that ran, however much it touches.
#pragma once

#include <memory>

#include "kernels/analyser.h"

namespace apmt::kernels {

std::unique_ptr<Analyser> make_footprint();

}  // namespace apmt::kernels
