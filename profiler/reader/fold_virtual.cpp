#include "profiler/reader/fold_virtual.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "profiler/reader/fold_times.h"

namespace apmt {
namespace {

/// Removes SMPI's own words from a command:
/// "smpimain ./app --cfg=... platform.xml 100" -> "./app 100".
std::string without_simulator(const std::string& command) {
  std::istringstream words(command);
  std::string word, program, arguments;
  words >> word >> program;
  if (!word.ends_with("smpimain")) return command;
  bool after_platform = false;
  while (words >> word) {
    if (after_platform)
      arguments += " " + word;
    else
      after_platform = !word.starts_with("--");
  }
  return program + arguments;
}

/// Whether the simulator's options say that the program's own instructions take no simulated time.
bool computation_takes_no_time(const std::string& command) {
  constexpr std::string_view kOption = "smpi/simulate-computation:";
  const auto at = command.find(kOption);
  if (at == std::string::npos) return false;
  const std::string_view value = std::string_view(command).substr(at + kOption.size());
  return value.starts_with("no") || value.starts_with("0") || value.starts_with("false");
}

}  // namespace

bool is_virtual(const std::vector<RawRecording>& ranks) {
  return !ranks.empty() && !ranks.front().first("virtual").empty();
}

void note_created_threads(const std::vector<RawRecording>& ranks, Health* health) {
  // Between the readings of the two clocks, the recorder itself works for some milliseconds.
  constexpr double kLeastShare = 0.01;  // of the process's CPU time
  constexpr double kLeast_s = 0.02;
  double most_s = 0;
  for (const RawRecording& raw : ranks) {
    // A simulator may also run each rank on a thread of its own; then threads show nothing.
    if (raw.threads.empty() || ranks.front().threads.empty() ||
        raw.threads.front().tid != ranks.front().threads.front().tid)
      return;
    const double all_s = seconds(raw.header.process_cpu_ns);
    const double created_s = all_s - seconds(raw.threads.front().cpu_ns);
    if (created_s >= std::max(kLeastShare * all_s, kLeast_s)) most_s = std::max(most_s, created_s);
  }
  if (most_s <= 0) return;
  health->created_threads_s = most_s;
  health->notes.emplace_back(
      "the ranks created threads (OpenMP?), which virtual clusters do not simulate, so times of "
      "computation are wrong: make the run again with one thread per rank (OMP_NUM_THREADS=1)");
}

void close_virtual_times(RunProfile* profile) {
  profile->config.is_virtual = true;
  if (computation_takes_no_time(profile->command)) {
    profile->kernels.clear();
    profile->sampling = {.source = "none", .event = {}};
  }
  profile->command = without_simulator(profile->command);
  RankTimes& t = profile->times;
  double outside_s = 0;
  for (std::size_t r = 0; r < t.main_s.per_rank.size(); ++r) {
    t.main_cpu_s.per_rank[r] = std::max(t.main_s.per_rank[r] - t.mpi_s.per_rank[r], 0.0);
    outside_s += t.main_cpu_s.per_rank[r];
  }
  for (HostInfo& host : profile->hosts) host.usable_cpus = host.ranks;
  double sampled_s = 0;
  for (const KernelProfile& kernel : profile->kernels)
    for (const auto& [metric, counter] : kernel.counters) sampled_s += counter.total();
  if (sampled_s <= 0) {
    profile->grade = Grade::kD;
    return;
  }
  const double factor = outside_s / sampled_s;
  for (KernelProfile& kernel : profile->kernels)
    for (auto& [metric, counter] : kernel.counters) counter.unit_per_sample *= factor;
  for (double& s : t.sampled_cpu_s.per_rank) s *= factor;
}

}  // namespace apmt
