// The words that reports use for terms, and the parts of the time (equation 2 of the APMT paper) in
// the order in which reports show them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fitter/prediction/prediction.h"
#include "reports/report.h"

namespace apmt {

std::string grade_words(const Model& model);
std::string grade_words(Grade grade);                  // "C: clock sampling and MPI; ..."
std::string scaling_words(Scaling scaling);            // "strong: the same problem at every ..."
std::string bound_words(const std::string& bound);     // for a sentence: "waiting for memory"
std::string bound_in_short(const std::string& bound);  // for a table cell: "memory"
/// The words of parts whose keys are given with their unit: "comm_p2p_s".
std::vector<std::string> words_of_parts(const std::vector<std::string>& keys);
std::string part_words(const std::string& part);  // "comm_p2p": "point-to-point communication"
std::string params_words(const std::map<std::string, double>& params);  // "n = 1000, iter = 50"
std::string processes(int count);  // "one process", "64 processes"

/// The unit of a value in CSV and JSON: "s", "bytes", "count", "core-hours", "user" (the user's own
/// unit), "1".
std::string unit_of(Quantity quantity);
bool is_range(Quantity quantity);

/// kFitted, or kExtrapolated beyond the largest profiled process count.
Source predicted_source(const Model& model, const Prediction& prediction);
/// The source of a number that is calculated from a prediction.
Source derived_source(const Model& model, const Prediction& prediction);
/// `cell` with its source set.
ReportCell from(Source source, ReportCell cell);

/// One part of the time, with pointers to the members that hold its predicted and measured values.
struct PartColumn {
  const char* id;
  const char* title;
  std::optional<TimeEstimate> PredictedParts::*predicted;
  std::optional<Measured> MeasuredParts::*measured;  // nullptr: never measured
};
constexpr std::size_t kPartCount = 9;
extern const std::array<PartColumn, kPartCount> kPartColumns;

/// The title of a part. `has_memory`: whether any prediction states memory time separately from
/// compute time. If none does, compute time includes memory time, and its title says so.
std::string part_title(const PartColumn& part, bool has_memory);

/// The prediction that the report is about: the one with the largest process count; if several have
/// it, the last of them.
const Prediction& target_of(const std::vector<Prediction>& predictions);

/// The point with the largest profiled process count; if several have it, the last of them.
const ModelPoint* largest_point(const Model& model);

/// A kernel's name for readers: "(rest)" becomes "(37 small functions)". If several kernels share a
/// name, the source or object file is added: "init [b.c]".
std::string kernel_title(const Model& model, const KernelModel& kernel);

/// The value at a process count: of the only point with this count, or of the one with the problem
/// size of the last point. Absent if there is none, or if several differ only in layout.
std::optional<double> value_at(const std::vector<FitPoint>& points, int procs);
/// For captions of tables with such values: "measured with n = 1200" if the largest process count
/// has several sizes, otherwise nothing.
std::string measured_sizes_words(const Model& model);

/// A measured time. If it is 0 because no sample fell into it, the cell shows "< " and the time of
/// one sample.
ReportCell sampled_cell(double time_s, std::optional<double> one_sample_s);
/// Like sampled_cell(), for a kernel at a process count. The cell is empty unless exactly one point
/// of the kernel has this count.
ReportCell kernel_cell(const Model& model, const KernelModel& kernel, int procs);
/// A predicted time and its interval. If no run has a sample of the kernel, the time is shown as an
/// upper bound, and the interval as unknown.
ReportCell kernel_time_cell(const PredictedKernel& kernel);
ReportCell kernel_interval_cell(const PredictedKernel& kernel);

/// The work D at a prediction's problem sizes, if a profiled point has the same sizes or D is
/// constant; the expression of D is not evaluated.
std::optional<double> work_at(const Model& model, const Prediction& prediction);

ReportCell text_cell(std::string text);
ReportCell number_cell(std::optional<double> value);
ReportCell time_cell(const std::optional<TimeEstimate>& time);
ReportCell interval_cell(const std::optional<TimeEstimate>& time);

}  // namespace apmt
