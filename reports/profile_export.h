// One run in the formats of other viewers, and headline figures for a monitoring system.
#pragma once

#include <string>
#include <vector>

#include "fitter/model.h"
#include "fitter/prediction.h"

namespace apmt {

/// Collapsed stacks (flamegraph.pl, inferno): lines "program;kernel MICROSECONDS" and
/// "program;caller;MPI_Op MICROSECONDS", summed over ranks.
std::string render_collapsed(const RunProfile& profile);

/// speedscope's file format: one sampled profile with weights in seconds, sums over ranks.
std::string render_speedscope(const RunProfile& profile);

/// Hatchet's JSON, which Thicket reads as well: a tree of frames and a table with one row for each,
/// in seconds summed over ranks.
std::string render_hatchet(const RunProfile& profile);

/// Prometheus' text exposition: the predictions, their intervals and the back-test.
std::string render_prometheus(const Model& model, const std::vector<Prediction>& predictions);

}  // namespace apmt
