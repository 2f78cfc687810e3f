#include "devices/learned/baselines.h"

#include <cmath>
#include <map>

namespace apmt::learned {
namespace {

/// The score of a device; the baseline predicts the device with the lowest score. For the baseline
/// "bandwidth", this is minus the logarithm of the device's bandwidth. Otherwise it is the mean
/// over the applications of the mean logarithm of the times. Absent if the data lack these values.
std::optional<double> cost(const DataSet& data, const AskedLesson& asked,
                           const std::vector<std::size_t>& taught, std::size_t device,
                           Baseline baseline) {
  if (baseline == Baseline::kBandwidth) {
    const auto& bandwidth = data.head.devices[device].bandwidth_bytes_per_s;
    return bandwidth ? std::optional(-as_on_any_machine(std::log(*bandwidth))) : std::nullopt;
  }
  Row values;
  std::vector<std::string> groups;
  for (const std::size_t i : taught) {
    const KernelRun& run = data.runs[asked.run_of[i]];
    if (!run.times_s[device]) continue;
    values.push_back(as_on_any_machine(std::log(*run.times_s[device])));
    groups.push_back(run.application);
  }
  if (values.empty()) return std::nullopt;
  return mean_of_groups(values, groups);
}

}  // namespace

double mean_of_groups(const Row& values, const std::vector<std::string>& groups) {
  std::map<std::string, std::pair<double, int>> sums;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sums[groups[i]].first += values[i];
    ++sums[groups[i]].second;
  }
  double mean = 0;
  for (const auto& [group, sum] : sums) mean += sum.first / sum.second;
  return mean / static_cast<double>(sums.size());
}

Row class_shares(const Lesson& lesson, const std::vector<std::size_t>& taught) {
  Row shares(static_cast<std::size_t>(lesson.classes));
  for (const std::size_t i : taught)
    shares[static_cast<std::size_t>(lesson.labels[i])] += 1 / static_cast<double>(taught.size());
  return shares;
}

std::optional<int> baseline_class(const DataSet& data, const AskedLesson& asked,
                                  const std::vector<std::size_t>& taught, const Question& question,
                                  Baseline baseline) {
  if (baseline == Baseline::kMajority) return largest(class_shares(asked.lesson, taught));
  if (question.kind == Question::Kind::kSpeedUp) {
    const auto reference = cost(data, asked, taught, data.reference_index(), baseline);
    const auto device = cost(data, asked, taught, data.device_index(question.device), baseline);
    if (!reference || !device) return std::nullopt;
    return *reference - *device > as_on_any_machine(std::log(question.threshold)) ? 1 : 0;
  }
  Row merits;
  for (const std::string& name : question.devices) {
    const auto device = cost(data, asked, taught, data.device_index(name), baseline);
    if (!device) return std::nullopt;
    merits.push_back(-*device);
  }
  return largest(merits);
}

}  // namespace apmt::learned
