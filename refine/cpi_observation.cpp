#include "refine/cpi_observation.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "base/input_error.h"
#include "base/words.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolderUnit = "GHz";
constexpr double kAboveItsRank = 0.03;  // relative; threads this far above their rank's mean matter

const Counter* find(const RunProfile& run, const KernelId& id, const char* metric) {
  for (const KernelProfile& kernel : run.kernels) {
    if (kernel.id != id) continue;
    const auto found = kernel.counters.find(metric);
    return found == kernel.counters.end() ? nullptr : &found->second;
  }
  return nullptr;
}

/// Relative error of a sum of samples; simulated counts have none.
double sampling_sigma(const Counter& counter) {
  if (counter.provenance == Provenance::kSimulated) return 0;
  const double samples = counter.independent_samples();
  return samples > 0 ? 1 / std::sqrt(samples) : 1;
}

struct MeasuredThread {
  std::string who;
  double hz = 0;
};

/// If these ranks (or threads) differ more than those stored so far, stores their spread and
/// extremes in *frequency.
void consider(const std::vector<MeasuredThread>& each, double mean_hz, RunFrequency* frequency) {
  if (each.size() < 2) return;
  double squares = 0;
  for (const MeasuredThread& one : each) squares += std::pow(one.hz / mean_hz - 1, 2);
  const double spread = std::sqrt(squares / static_cast<double>(each.size() - 1));
  if (spread <= frequency->spread) return;
  const auto [low, high] = std::ranges::minmax_element(each, {}, &MeasuredThread::hz);
  frequency->spread = spread;
  frequency->extremes = {low->who, low->hz, high->who, high->hz};
}

/// Cycles per CPU second of the threads of each rank.
std::map<int, std::vector<MeasuredThread>> thread_rates(const RunProfile& run) {
  constexpr std::uint64_t kLeastSamples = 100;
  std::map<int, std::vector<MeasuredThread>> rates;
  for (const ThreadRow& thread : run.threads)
    if (thread.cycles && thread.cpu_s > 0 && thread.samples >= kLeastSamples)
      rates[thread.rank].push_back(
          {"a thread of rank " + std::to_string(thread.rank), *thread.cycles / thread.cpu_s});
  return rates;
}

std::optional<double> asked_for(fs::path dir) {
  for (; dir.has_filename() && dir != dir.parent_path(); dir = dir.parent_path())
    if (const auto hz = frequency_of_folder(dir.filename().string())) return hz;
  return std::nullopt;
}

}  // namespace

std::string frequency_folder(double frequency_hz) {
  return formatted("%.2f", frequency_hz * 1e-9) + kFolderUnit;
}

std::optional<double> frequency_of_folder(const std::string& name) {
  double ghz = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data(), end, ghz);
  if (error != std::errc{} || std::string(rest, end) != kFolderUnit || !(ghz > 0))
    return std::nullopt;
  return ghz * 1e9;
}

std::vector<fs::path> find_run_profiles(const fs::path& dir) {
  std::vector<fs::path> files;
  if (!fs::is_directory(dir)) return files;
  for (fs::recursive_directory_iterator it(dir), end; it != end; ++it) {
    const std::string name = it->path().filename().string();
    if (name.starts_with('.') || name.starts_with("running-")) it.disable_recursion_pending();
    if (name == "profile.json") files.push_back(it->path());
  }
  return files;
}

std::vector<FrequencyRun> read_frequency_runs(const std::vector<fs::path>& dirs) {
  std::vector<fs::path> files;
  for (const fs::path& dir : dirs) {
    if (!fs::is_directory(dir)) throw InputError(dir.string(), "no such directory");
    const std::vector<fs::path> here = find_run_profiles(dir);
    files.insert(files.end(), here.begin(), here.end());
    if (here.empty())
      throw InputError(dir.string(), "no run in this directory (expected a profile.json)",
                       "record at another frequency: apmt record --dir slow mpirun -np 4 ./app",
                       ExitCode::kNotEnoughData);
  }
  std::ranges::sort(files);
  files.erase(std::unique(files.begin(), files.end()), files.end());
  std::vector<FrequencyRun> runs;
  for (const fs::path& file : files)
    runs.push_back({read_run_profile(file), asked_for(fs::absolute(file).parent_path())});
  return runs;
}

std::optional<RunFrequency> measured_frequency(const RunProfile& run) {
  if (!run.config.frequency_hz || !(*run.config.frequency_hz > 0)) return std::nullopt;
  RunFrequency frequency;
  frequency.hz = *run.config.frequency_hz;
  std::vector<MeasuredThread> ranks;
  const std::map<int, std::vector<MeasuredThread>> threads = thread_rates(run);
  for (std::size_t r = 0; r < run.times.frequency_hz.per_rank.size(); ++r) {
    const double hz = run.times.frequency_hz.per_rank[r];
    if (!(hz > 0)) continue;
    ranks.push_back({"rank " + std::to_string(r), hz});
    const auto found = threads.find(static_cast<int>(r));
    // A thread's CPU time includes time in the operating system, where cycles are not counted. This
    // may explain why a thread's frequency is below the mean of the threads of its rank, but not
    // why it is above.
    const auto is_above = [&](const MeasuredThread& t) { return t.hz > (1 + kAboveItsRank) * hz; };
    if (found != threads.end() && std::ranges::any_of(found->second, is_above))
      consider(found->second, hz, &frequency);
  }
  consider(ranks, frequency.hz, &frequency);
  return frequency;
}

std::optional<CpiObservation> observe_cpi(const RunProfile& profile, const KernelId& kernel,
                                          const MemoryCosts& costs) {
  const Counter* instructions = find(profile, kernel, "instructions");
  const Counter* cycles = find(profile, kernel, "cycles");
  const Counter* seconds = find(profile, kernel, "cpu_s");
  if (instructions == nullptr || !(instructions->total() > 0)) return std::nullopt;
  std::optional<RunFrequency> frequency = measured_frequency(profile);
  if (!frequency && cycles == nullptr && costs.frequency_hz)
    frequency = {*costs.frequency_hz, 0, {}};
  if (!frequency || (cycles == nullptr && seconds == nullptr)) return std::nullopt;
  CpiObservation o;
  o.procs = profile.config.procs;
  o.params = profile.config.params;
  o.frequency_hz = frequency->hz;
  o.frequency_sigma = frequency->spread;
  o.extremes = frequency->extremes;
  const double count = instructions->total();
  o.instructions_sigma = sampling_sigma(*instructions);
  o.cpi = (cycles != nullptr ? cycles->total() : seconds->total() * frequency->hz) / count;
  o.cycles_sigma = sampling_sigma(cycles != nullptr ? *cycles : *seconds);
  const Counter* memory = find(profile, kernel, "acc_mm");
  if (memory != nullptr && costs.memory_s) {
    double beyond_s = memory->total() * *costs.memory_s;
    double variance = std::pow(beyond_s * sampling_sigma(*memory), 2);
    if (const Counter* llc = find(profile, kernel, "hit_LLC"); llc != nullptr && costs.llc_s) {
      const double llc_s = llc->total() * *costs.llc_s;
      beyond_s += llc_s;
      variance += std::pow(llc_s * sampling_sigma(*llc), 2);
    }
    if (beyond_s > 0) {
      o.memory_s = beyond_s / count;
      o.memory_sigma = std::sqrt(variance) / beyond_s;
    }
  }
  if (const Counter* stall = find(profile, kernel, "stall")) {
    o.stall_cpi = stall->total() / count;
    o.stall_sigma = std::hypot(sampling_sigma(*stall), o.instructions_sigma);
  }
  return o;
}

std::optional<double> stalled_share_of_memory(const RunProfile& run, const KernelId& kernel,
                                              const MemoryCosts& costs) {
  const Counter* stall = find(run, kernel, "stall");
  const std::optional<RunFrequency> frequency = measured_frequency(run);
  if (stall == nullptr || !frequency) return std::nullopt;
  const auto in_seconds = [&](const std::optional<double>& cycles) {
    return cycles ? std::optional(*cycles / frequency->hz) : std::nullopt;
  };
  const std::pair<const char*, std::optional<double>> levels[] = {
      {"hit_L1", in_seconds(costs.l1_cycles)},
      {"hit_L2", in_seconds(costs.l2_cycles)},
      {"hit_LLC", costs.llc_s},
      {"acc_mm", costs.memory_s}};
  double memory_s = 0;
  for (const auto& [metric, latency_s] : levels) {
    const Counter* accesses = find(run, kernel, metric);
    if (accesses == nullptr || !latency_s) return std::nullopt;
    memory_s += accesses->total() * *latency_s;
  }
  if (!(memory_s > 0)) return std::nullopt;
  return stall->total() / frequency->hz / memory_s;
}

}  // namespace apmt
