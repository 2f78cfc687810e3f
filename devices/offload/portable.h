// Joins the analyses in an experiment with the kernels of its model: which kernels could be ported,
// and how much of the program's time they take.
#pragma once

#include <string>
#include <vector>

#include "devices/offload/port_at.h"
#include "fitter/model/model.h"
#include "fitter/runs/experiment.h"

namespace apmt::devices {

struct Portables {
  std::vector<PortableKernel> kernels;
  std::vector<std::string> left;  // kernels that cannot be ported, and why: a sentence each
};

/// Throws InputError if the model and the analyses do not fit together, for example because there
/// is no analysis, an analysis has another problem size or process count than the run in whose
/// folder it lies, or no kernel of the model was analysed.
Portables portables_of(const Experiment& experiment, const Model& model);

/// What one rank sends at a process count. Calls that only receive are left out, because the calls
/// that send cover their messages. `unknown` names operations whose calls or bytes have no law.
std::vector<Messages> messages_of(const Model& model, double procs, double work,
                                  std::vector<std::string>* unknown);

}  // namespace apmt::devices
