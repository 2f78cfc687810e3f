// What-ifs as data for the evaluation table (evaluation_table.h): which changes the model can
// apply, and what the HTML page needs to apply them to each law as what_if_effect.h does.
#pragma once

#include <optional>

#include "fitter/model/model_parts.h"
#include "fitter/prediction/what_if.h"

namespace apmt {

/// One entry per figure: its name, option and value in the runs, notes, and the reason if it cannot
/// be changed.
Json knobs_table(const Model& model, const std::optional<MachineFigures>& profiled_on);

/// The network of the machine of the runs, within a node and between nodes: seconds per message and
/// per byte.
Json profiled_network(const std::optional<MachineFigures>& profiled_on);

/// What separates latency from bandwidth in a part of communication.
Json cost_split_row(Part part, const LawOfPart& its);

/// How a kernel's time divides into computation and time blocked by memory: closed forms, and the
/// possible costs; null if it is not divided.
Json memory_row(const KernelModel& kernel);

/// A list of laws, each a list of terms.
Json closed_forms(const std::vector<Hypothesis>& hypotheses);

}  // namespace apmt
