#include "refine/cpi_refinement.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "base/input_error.h"
#include "base/words.h"
#include "fitter/computation/cost_fit.h"
#include "fitter/fit/fit.h"
#include "fitter/laws/law_catalog.h"
#include "fitter/runs/spread.h"
#include "fitter/runs/work.h"
#include "fitter/times/draw_places.h"

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
  *frequency = {frequency->hz, spread, low->who, low->hz, high->who, high->hz};
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

/// The CPI of a kernel in one run, without `asked_hz`. Absent if its instructions were not counted,
/// if the frequency is unknown, or if neither cycles nor CPU time are known. The frequency comes
/// from `costs` only if it was not measured and cycles were not counted.
std::optional<CpiObservation> observe_cpi(const RunProfile& profile, const KernelId& kernel,
                                          const MemoryCosts& costs) {
  const Counter* instructions = find(profile, kernel, "instructions");
  const Counter* cycles = find(profile, kernel, "cycles");
  const Counter* seconds = find(profile, kernel, "cpu_s");
  if (instructions == nullptr || !(instructions->total() > 0)) return std::nullopt;
  std::optional<RunFrequency> frequency = measured_frequency(profile);
  if (!frequency && cycles == nullptr && costs.frequency_hz)
    frequency = {.hz = *costs.frequency_hz};
  if (!frequency || (cycles == nullptr && seconds == nullptr)) return std::nullopt;
  CpiObservation o;
  o.procs = profile.config.procs;
  o.params = profile.config.params;
  o.frequency = *frequency;
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

using Place = std::pair<int, std::map<std::string, double>>;  // procs and sizes of a run

/// The ratio of the highest to the lowest frequency of these runs.
double frequency_ratio(const std::vector<CpiObservation>& all) {
  const auto [low, high] = std::ranges::minmax_element(all, {}, &CpiObservation::hz);
  return all.empty() ? 1 : high->hz() / low->hz();
}

/// The runs at the process count and sizes at which the frequencies differ most.
std::vector<CpiObservation> widest_place(const std::vector<CpiObservation>& all) {
  std::map<Place, std::vector<CpiObservation>> places;
  for (const CpiObservation& o : all) places[{o.procs, o.params}].push_back(o);
  std::vector<CpiObservation> widest;
  for (auto& [place, here] : places)
    if (widest.empty() || frequency_ratio(here) > frequency_ratio(widest)) widest = here;
  return widest;
}

CpiLine best_line(const std::vector<CpiObservation>& all) {
  const std::vector<CpiObservation> here = widest_place(all);
  CpiLine line = fit_frequency_line(here);
  if (line.is_usable()) return line;
  const CpiLine spread = fit_spread_line(all);
  if (spread.is_usable()) return spread;
  const bool has_frequencies = frequency_ratio(here) > 1.02;
  // If setting the frequency had no effect, all runs have the same frequency, and
  // differs_from_asked() says so in `line`.
  return has_frequencies || differs_from_asked(all, &line) ? line : spread;
}

/// Fills in `cpi_before` and `bf_before`, from the runs to which the model was fitted.
void describe_before(const Experiment& experiment, const KernelModel& kernel,
                     const MemoryCosts& costs, RefinedKernel* refined) {
  std::vector<double> total_cpi;
  std::vector<double> core_cpi;
  std::vector<double> bf;
  for (const RunProfile& run : experiment.runs) {
    const auto o = observe_cpi(run, kernel.id, costs);
    if (!o) continue;
    total_cpi.push_back(o->cpi);
    if (o->stall_cpi) core_cpi.push_back(o->cpi - *o->stall_cpi);
    if (const auto share = stalled_share_of_memory(run, kernel.id, costs)) bf.push_back(*share);
  }
  // All runs are compared in the same way: without stalls only if every run counted them.
  refined->is_cpi_before_total = core_cpi.size() < total_cpi.size();
  if (!total_cpi.empty())
    refined->line.cpi_before = median(refined->is_cpi_before_total ? total_cpi : core_cpi);
  if (!bf.empty()) refined->line.bf_before = median(bf);
}

/// The core frequency of the runs that the model was fitted to; its times hold at this frequency.
double model_frequency(const Experiment& experiment, const MemoryCosts& costs) {
  std::vector<double> all;
  for (const RunProfile& run : experiment.runs)
    if (const auto f = measured_frequency(run)) all.push_back(f->hz);
  return all.empty() ? costs.frequency_hz.value_or(0) : median(all);
}

/// The costs of core and memory from runs at several frequencies alone. Their sum is the measured
/// time, so if one is too high, the other is too low.
MemorySplit split_by_frequencies(const KernelModel& kernel, const CpiRefinement& line,
                                 double frequency_hz) {
  MemorySplit split;
  split.from = "frequencies";
  split.core = split.unhidden = {.terms = {{.coefficient = 1}}, .free_numbers = 1};  // constants
  for (const double z : normals_of_ways(seed_of(kernel.name + " at frequencies")))
    split.ways.push_back({std::max(line.cpi_core - z * line.cpi_core_se, 0.0) / frequency_hz,
                          std::max(line.blocked_s + z * line.blocked_s_se, 0.0), 0});
  return split;
}

bool is_of(const Experiment& experiment, const RunProfile& run) {
  return std::ranges::any_of(experiment.runs, [&](const RunProfile& own) {
    return own.config.procs == run.config.procs && own.config.repetition == run.config.repetition &&
           own.times.wall_s.per_rank == run.times.wall_s.per_rank;
  });
}

/// A kernel's pace (seconds per instruction) in each run to which its CPI line was fitted. Runs of
/// the experiment are left out, because the model already uses them. `usual_hz`: the frequency of
/// the experiment's runs, used if none of them is in `line`; 0: not known.
std::vector<PaceAtFrequency> paces_of(const std::vector<CpiObservation>& line,
                                      const WorkExpression& work, double usual_hz) {
  std::vector<double> here_hz;
  for (const CpiObservation& o : line)
    if (o.is_of_experiment) here_hz.push_back(o.hz());
  const double base_hz = here_hz.empty() ? usual_hz : median(here_hz);
  std::vector<PaceAtFrequency> paces;
  if (!(base_hz > 0)) return paces;
  for (const CpiObservation& o : line)
    if (!o.is_of_experiment)
      paces.push_back(
          {.procs = static_cast<double>(o.procs),
           .work = work.value(o.params),
           .slowdown = base_hz / o.hz(),
           .s_per_instruction = o.cpi / o.hz(),
           .rel_sigma = std::hypot(o.cycles_sigma, o.instructions_sigma, o.frequency.spread)});
  return paces;
}

/// Notes in each kernel of the model what `lines` say of it.
void note(const std::map<KernelId, CpiLine>& lines, double frequency_hz, Model* model) {
  for (KernelModel& kernel : model->kernels) {
    const auto found = lines.find(kernel.id);
    if (found == lines.end() || kernel.role == KernelRole::kRest) continue;
    kernel.refined = found->second;
    kernel.refined->frequency_hz = frequency_hz;
    if (kernel.refined->from == "frequencies" && frequency_hz > 0)
      kernel.law.split = split_by_frequencies(kernel, *kernel.refined, frequency_hz);
  }
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
  std::map<int, std::vector<MeasuredThread>> threads = thread_rates(run);
  for (std::size_t r = 0; r < run.times.frequency_hz.per_rank.size(); ++r) {
    const double hz = run.times.frequency_hz.per_rank[r];
    if (!(hz > 0)) continue;
    ranks.push_back({"rank " + std::to_string(r), hz});
    const std::vector<MeasuredThread>& its = threads[static_cast<int>(r)];
    // CPU time includes time in the operating system, where cycles are not counted. This may
    // explain why a thread's frequency is below the mean of its rank, but not why it is above.
    const auto is_above = [&](const MeasuredThread& t) { return t.hz > (1 + kAboveItsRank) * hz; };
    if (std::ranges::any_of(its, is_above)) consider(its, hz, &frequency);
  }
  consider(ranks, frequency.hz, &frequency);
  return frequency;
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

RefinementSummary refine_cpi(const Experiment& experiment, const std::vector<FrequencyRun>& runs,
                             const MemoryCosts& costs, const FitOptions& fit, Model* model) {
  RefinementSummary summary;
  summary.runs = static_cast<int>(runs.size());
  for (const FrequencyRun& run : runs)
    if (const auto f = measured_frequency(run.profile)) {
      summary.lowest_hz = summary.lowest_hz == 0 ? f->hz : std::min(summary.lowest_hz, f->hz);
      summary.highest_hz = std::max(summary.highest_hz, f->hz);
    }
  std::map<KernelId, CpiLine> usable;
  PacesAtFrequencies at_frequencies;
  const WorkExpression work(model->work);
  const double frequency_hz = model_frequency(experiment, costs);
  bool any_cpi = false;
  for (std::size_t i = 0; i < model->kernels.size(); ++i) {
    const KernelModel& kernel = model->kernels[i];
    if (kernel.role == KernelRole::kRest) continue;
    std::vector<CpiObservation> all;
    for (const FrequencyRun& run : runs)
      if (const auto o = observe_cpi(run.profile, kernel.id, costs)) {
        all.push_back(*o);
        all.back().asked_hz = run.asked_hz;
        all.back().is_of_experiment = is_of(experiment, run.profile);
      }
    any_cpi = any_cpi || !all.empty();
    RefinedKernel refined;
    refined.index = i;
    refined.line = best_line(all);
    describe_before(experiment, kernel, costs, &refined);
    if (refined.line.is_usable()) usable[kernel.id] = refined.line;
    if (refined.line.is_usable() && refined.line.from == "frequencies")
      at_frequencies[kernel.id] = paces_of(widest_place(all), work, frequency_hz);
    summary.kernels.push_back(std::move(refined));
  }
  if (!any_cpi)
    throw InputError("",
                     "no kernel has a CPI: instructions were not counted in these runs, or neither "
                     "cycles nor the frequency are known",
                     "apmt doctor reports how to get counters; without any, apmt simulate counts "
                     "instructions and apmt calibrate measures the frequency (--machine)",
                     ExitCode::kNotEnoughData);
  if (!usable.empty()) {
    const LawCatalog catalog = read_law_catalog(fit.configs);
    if (model->backtest.possible) summary.backtest_error_before = model->backtest.error;
    // The back-test keeps all runs at other frequencies: they show the costs of core and memory.
    const auto refine = [&](Model* one, FitDepth depth) {
      note(usable, frequency_hz, one);
      fit_costs(costs, at_frequencies, one, depth);
    };
    refine(model, FitDepth::kWhole);
    if (model->backtest.procs > 0)
      model->backtest = run_backtest(experiment, *model, fit, catalog,
                                     [&](Model* smaller) { refine(smaller, FitDepth::kTimes); });
    if (model->backtest.possible) summary.backtest_error_after = model->backtest.error;
    compare_with_points(model);
  }
  for (RefinedKernel& refined : summary.kernels) {
    const std::optional<MemorySplit>& split = model->kernels[refined.index].law.split;
    refined.has_new_law = split && split->from == "frequencies" && split->posterior >= 0.5;
  }
  return summary;
}

}  // namespace apmt
