// The sections of reports. Each function returns nullopt if the data for its section are missing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/report.h"

namespace apmt {

// How many rows of a table of kernels the text shows; pages and JSON show all.
inline constexpr std::size_t kKernelsInText = 12;
inline constexpr std::size_t kFittedKernelsInText = 15;

using OptionalSection = std::optional<ReportSection>;

// Sections about predictions (prediction_sections.cpp, parts_section.cpp, efficiency_section.cpp).
OptionalSection prediction_section(const Model& model, const std::vector<Prediction>& predictions,
                                   const std::vector<Prediction>& curve);
OptionalSection kernels_section(const Model& model, const std::vector<Prediction>& predictions,
                                const std::vector<Prediction>& curve, const Experiment* experiment);
/// A short formula for a kernel's time that approximates these predictions; `index` is an index of
/// Model::kernels.
std::string kernel_law(std::size_t index, const std::vector<const Prediction*>& predictions);
OptionalSection efficiency_section(const Model& model, const std::vector<Prediction>& predictions);
OptionalSection parts_section(const Model& model, const std::vector<Prediction>& predictions);

// Sections about a model and, if `target` is not null, a prediction (model_sections.cpp).
OptionalSection communication_section(const Model& model, const Prediction* target);
OptionalSection trust_section(const Model& model, const Prediction* target);
OptionalSection points_section(const Model& model, const Experiment* experiment);

/// How the time of each kernel divides into computation and waiting for memory, or why this is
/// unknown (memory_section.cpp).
OptionalSection memory_section(const Model& model);
/// "memory (92 %)": the words for a kernel's bound, followed by the probability of this bound.
std::string with_probability(const std::string& words, const PredictedKernel& kernel);
/// "30 processes (18 to 44, 80 %)"
std::string procs_words(const ProcsEstimate& estimate);
/// For a few kernels: "From about 30 processes (18 to 44, 80 %), sweep is bound by computation."
std::vector<std::string> verdict_changes(const Model& model, const Prediction& target);

/// Memory accesses and speed of kernels, compared with the limits of `machine` unless it is null.
/// Absent without measured or simulated counters (below grade B), and if no kernel has both its
/// instructions and its accesses counted (roofline_section.cpp).
OptionalSection roofline_section(const Model& model, const MachineProfile* machine);

/// How far the program scales, what makes the interval wide, and which run would narrow it
/// (outlook_section.cpp).
OptionalSection outlook_section(const Model& model, const Prediction& target, const Ahead& ahead);

/// Advice, each sentence with the numbers that support it (guidance.cpp), and the predicted time
/// after each of `changes`; absent without advice and changes.
OptionalSection guidance_section(const Model& model, const Prediction& target,
                                 const std::vector<HalvedCost>& changes = {});
/// Adds sentences on what would help most, before the other sentences, and on what would help
/// little, after them; also adds a table (halved_costs.cpp).
void add_halved_costs(const Model& model, const Prediction& target,
                      const std::vector<HalvedCost>& changes, ReportSection* section);

// Sections about the runs themselves (run_sections.cpp).
OptionalSection mpi_section(const RunProfile& profile);
OptionalSection functions_section(const RunProfile& profile);
OptionalSection rank_times_section(const RunProfile& profile);

/// Bytes sent between ranks of a run, as a matrix; absent without messages (matrix_chart.cpp).
std::optional<MatrixChart> matrix_chart(const RunProfile& profile);

/// Sentences on what failed or was disturbed while recording; empty for an undisturbed run.
std::vector<std::string> health_sentences(const RunProfile& profile);

/// The communication pattern ("ring: each rank sends to the next") if it is a simple one, otherwise
/// the number of peers; then the number and bytes of messages. Empty without messages.
std::string peers_sentence(const RunProfile& profile);

}  // namespace apmt
