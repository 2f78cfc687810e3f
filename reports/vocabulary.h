// Every word that reports use for a term, in one place; the parts of equation (2) in their order.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fitter/prediction.h"
#include "reports/report.h"

namespace apmt {

std::string grade_words(const Model& model);
std::string grade_words(Grade grade);                  // "C: clock sampling and MPI"
std::string scaling_words(Scaling scaling);            // "strong (same problem at every count)"
std::string bound_words(const std::string& bound);     // "computation", "communication", ...
std::string bound_in_short(const std::string& bound);  // for a column: "memory", "network", ...
std::string part_words(const std::string& part);       // of Prediction::missing
std::string params_words(const std::map<std::string, double>& params);  // "n = 1000, iter = 50"
std::string processes(int count);  // "one process", "64 processes"

/// The unit of a value in files for programs: "s", "bytes", "count", "user" (the user's own), "1".
std::string unit_of(Quantity quantity);
bool is_range(Quantity quantity);

/// kFitted, or kExtrapolated beyond the largest profiled process count.
Source predicted_source(const Model& model, const Prediction& prediction);
/// The source of a figure that is calculated from a prediction.
Source derived_source(const Model& model, const Prediction& prediction);
ReportCell from(Source source, ReportCell cell);

/// One part of the time, and where its predicted and measured values are stored.
struct PartColumn {
  const char* id;
  const char* title;
  std::optional<TimeEstimate> PredictedParts::*predicted;
  std::optional<Measured> MeasuredParts::*measured;  // nullptr: never measured
};
constexpr std::size_t kPartCount = 8;
extern const std::array<PartColumn, kPartCount> kPartColumns;

/// The title of a part; `has_memory`: some prediction has memory time apart from compute time.
std::string part_title(const PartColumn& part, bool has_memory);

/// The prediction that the report is about: the last of those with the largest process count.
const Prediction& target_of(const std::vector<Prediction>& predictions);

/// The last of the points with the largest profiled process count; points are sorted by count.
const ModelPoint* largest_point(const Model& model);
std::vector<int> profiled_counts(const Model& model);

/// The name for readers: "(rest)" becomes "(37 small functions)". If several kernels share a name,
/// it also says where this one is from: "init [b.c]".
std::string kernel_title(const Model& model, const KernelModel& kernel);

/// The value at a process count, if exactly one point is there.
std::optional<double> value_at(const std::vector<FitPoint>& points, int procs);

/// What one sample of a rank stands for; absent where the time was not sampled.
std::optional<double> one_sample_s(const ModelPoint& point);
/// A measured time. If no sample fell, the cell says that it is less than one sample stands for.
ReportCell sampled_cell(double time_s, std::optional<double> one_sample_s);
/// Such a cell for a kernel at a process count, if exactly one of its points is there.
ReportCell kernel_cell(const Model& model, const KernelModel& kernel, int procs);

/// The compute amount D at a prediction's sizes, when it is known without evaluating expressions.
std::optional<double> work_at(const Model& model, const Prediction& prediction);

ReportCell text_cell(std::string text);
ReportCell number_cell(std::optional<double> value);
ReportCell time_cell(const std::optional<TimeEstimate>& time);
ReportCell interval_cell(const std::optional<TimeEstimate>& time);

}  // namespace apmt
