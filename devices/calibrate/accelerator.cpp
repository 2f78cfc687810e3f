#include "devices/calibrate/accelerator.h"

#include <algorithm>

#include "machine/repeat.h"

namespace apmt::devices {

double Accelerator::seconds(Program program, const Launch& what, std::uint64_t times) {
  finish();
  const double begin = now_s();
  launch(program, what, times);
  finish();
  return std::max(now_s() - begin, 1e-9);  // the resolution of the clock
}

}  // namespace apmt::devices
