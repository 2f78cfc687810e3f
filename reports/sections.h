// The sections of reports. Each function returns nothing if the data for its section are not known.
#pragma once

#include <optional>
#include <vector>

#include "reports/report.h"

namespace apmt {

using OptionalSection = std::optional<ReportSection>;

// Sections about predictions (prediction_sections.cpp, parts_section.cpp, efficiency_section.cpp).
OptionalSection prediction_section(const Model& model, const std::vector<Prediction>& predictions,
                                   const std::vector<Prediction>& curve);
OptionalSection kernels_section(const Model& model, const std::vector<Prediction>& predictions,
                                const std::vector<Prediction>& curve, const Experiment* experiment);
OptionalSection efficiency_section(const Model& model, const std::vector<Prediction>& predictions);
OptionalSection parts_section(const Model& model, const std::vector<Prediction>& predictions);

// Sections about a model, and a prediction if there is one (model_sections.cpp).
OptionalSection communication_section(const Model& model, const Prediction* target);
OptionalSection trust_section(const Model& model, const Prediction* target);
OptionalSection points_section(const Model& model, const Experiment* experiment);

/// How the time of each kernel divides into computation and waiting for memory, or why that is not
/// known (memory_section.cpp).
OptionalSection memory_section(const Model& model);
/// "waiting for memory (92 %)": the words for a kernel's bound, with its probability.
std::string with_probability(const std::string& words, const PredictedKernel& kernel);
/// "30 processes (18 to 44, 80 %)"
std::string procs_words(const ProcsEstimate& estimate);
/// "From about 30 processes (18 to 44, 80 %), sweep is bound by computation.", for a few kernels.
std::vector<std::string> verdict_changes(const Model& model, const Prediction& target);

/// Memory accesses and speed of kernels, compared with the limits of `machine` if it is given.
/// Absent below grade B, and if no kernel has counts of both (roofline_section.cpp).
OptionalSection roofline_section(const Model& model, const MachineProfile* machine);

/// How far the program scales, what makes the interval wide, and which run would narrow it
/// (outlook_section.cpp).
OptionalSection outlook_section(const Model& model, const Prediction& target, const Ahead& ahead);

/// Advice, each sentence with the figures that support it (guidance.cpp); absent when there is
/// none.
OptionalSection guidance_section(const Model& model, const Prediction& target);

// Sections about the runs themselves (run_sections.cpp).
OptionalSection mpi_section(const RunProfile& profile);
OptionalSection functions_section(const RunProfile& profile);
OptionalSection rank_times_section(const RunProfile& profile);

/// The messages of a run as a picture; absent without messages.
std::optional<MatrixChart> matrix_chart(const RunProfile& profile);

/// Sentences on what went wrong or was disturbed while recording; empty when nothing was.
std::vector<std::string> health_sentences(const RunProfile& profile);

/// "ring: each rank sends to the next", when the messages of a run follow a simple pattern; else
/// the number of peers and the volume. Empty without messages.
std::string peers_sentence(const RunProfile& profile);

}  // namespace apmt
