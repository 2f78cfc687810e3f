// The what-ifs as data, for the evaluation table (evaluation_table.h): which knobs a model knows
// the effect of, and what each does to a law. Uses only numbers of what_if_effect.h.
#pragma once

#include <optional>

#include "fitter/model_parts.h"

namespace apmt {

/// One entry per knob: its name, option and value in the runs, notes, and why it cannot be turned.
Json knobs_table(const Model& model, const std::optional<MachineFigures>& profiled_on);

/// The network of the machine of the runs in a node and between nodes, as seconds a message and a
/// byte.
Json profiled_network(const std::optional<MachineFigures>& profiled_on);

/// The source that separates latency from bandwidth in a part of communication.
Json cost_split_row(Part part, const TimeLaw& law);

/// What splits a kernel's time into computation and time blocked by memory: laws as closed forms
/// and the ways that the costs may be; or null.
Json memory_row(const KernelModel& kernel);

/// A list of laws, each a list of terms.
Json closed_forms(const std::vector<Hypothesis>& hypotheses);

}  // namespace apmt
