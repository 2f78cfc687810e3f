// Writes one run in the formats of other profile viewers, and predictions for a monitoring system.
// Times of a run are sums over ranks, or means if it was imported (call_stacks.h).
#pragma once

#include <string>
#include <vector>

#include "fitter/model/model.h"
#include "fitter/prediction/prediction.h"

namespace apmt {

/// Collapsed stacks, the input of flamegraph.pl and inferno: one line for each stack, with its time
/// in microseconds: "program;kernel 1200" or "program;caller;MPI_Op 1200".
std::string render_collapsed(const RunProfile& profile);

/// The file format of speedscope: one sampled profile with weights in seconds.
std::string render_speedscope(const RunProfile& profile);

/// The JSON format of Hatchet, which Thicket also reads: a tree of frames, and a table of seconds
/// with one row per frame.
std::string render_hatchet(const RunProfile& profile);

/// The text format of Prometheus: the predictions, their intervals and the back-test.
std::string render_prometheus(const Model& model, const std::vector<Prediction>& predictions);

}  // namespace apmt
