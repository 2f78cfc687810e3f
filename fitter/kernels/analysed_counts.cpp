#include "fitter/kernels/analysed_counts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/source_function.h"
#include "fitter/kernels/kernel_join.h"
#include "fitter/kernels/reuse_law.h"

namespace apmt {
namespace {

using kernels::KernelAnalysis;
using kernels::Locality;

constexpr double kMostUncovered = 0.1;  // share of a function's time outside analysed kernels
constexpr double kFewLines = 16;        // with fewer sampled cache lines, the error is above 25 %

/// An analysed kernel.
struct Kernel {
  std::string function;  // linkage name, as in the last of its analyses
  std::string file;      // source file
  ReuseLaw law;          // of all its sizes
};

/// The stack distances of a kernel, if they are reliable.
const Locality* usable(const KernelAnalysis& kernel) {
  if (kernel.locality && kernel.locality->is_complete && kernel.locality->accesses > 0)
    return &*kernel.locality;
  if (!kernel.sampled_locality) return nullptr;
  const Locality& sampled = *kernel.sampled_locality;
  const bool has_enough = sampled.cold >= kFewLines * static_cast<double>(sampled.one_line_of);
  return sampled.is_complete && sampled.accesses > 0 && has_enough ? &sampled : nullptr;
}

const ExperimentPoint* point_of(const AnalysedSize& analysed, const Experiment& e) {
  const auto point = std::ranges::find_if(e.points, [&](const ExperimentPoint& p) {
    return p.procs == analysed.procs && p.params == analysed.params;
  });
  return point == e.points.end() ? nullptr : &*point;
}

/// The kernels with analyses at points of the experiment. Analyses with the same function name and
/// source file are of the same kernel.
std::vector<Kernel> kernels_of(const std::vector<AnalysedSize>& analyses, const Experiment& e,
                               const std::vector<double>& work) {
  struct Analyses {
    std::string function;
    std::vector<ReuseLaw::Size> sizes;
  };
  std::map<std::pair<std::string, std::string>, Analyses> found;
  for (const AnalysedSize& analysed : analyses) {
    const double here = work[static_cast<std::size_t>(point_of(analysed, e) - e.points.data())];
    for (const KernelAnalysis& kernel : analysed.analysis.kernels) {
      const Locality* locality = usable(kernel);
      if (locality == nullptr || !kernel.mix) continue;
      Analyses& its = found[{source_function(kernel.function).name, kernel.file}];
      its.function = kernel.function;
      its.sizes.push_back(
          {here / analysed.procs, *locality, static_cast<double>(kernel.mix->flops)});
    }
  }
  std::vector<Kernel> kernels;
  for (auto& [name, its] : found)
    kernels.push_back({its.function, name.second, ReuseLaw(std::move(its.sizes))});
  return kernels;
}

bool counts_accesses(const Experiment& e) {
  for (const RunProfile& run : e.runs)
    for (const KernelProfile& kernel : run.kernels)
      if (kernel.counters.contains("acc_mm") || kernel.counters.contains("stall")) return true;
  return false;
}

/// What is known about a recorded function.
struct Function {
  /// Floating-point operations on each rank, and memory accesses by the level that serves them.
  std::map<std::string, double> counts;  // by metric
  double cpu_s = 0;
  double covered_s = 0;  // the part in analysed kernels and in what is inlined into them
};

/// Adds a kernel's counts at a working set, times `share`. Assumes inclusive caches: a cache holds
/// everything that the smaller ones hold, so misses cannot rise from one level to the next.
void add(const ReuseLaw& law, double share, double working_set, double llc_bytes,
         const CacheSizes& caches, Function* function) {
  const double accesses = law.accesses(working_set);
  const double past_l1 = std::min(accesses, law.misses(caches.l1_bytes, working_set));
  const double past_l2 = std::min(past_l1, law.misses(caches.l2_bytes, working_set));
  const double past_llc =
      std::min(past_l2, law.misses(std::max(llc_bytes, caches.l2_bytes), working_set));
  function->counts["flops"] += share * law.flops(working_set);
  function->counts["hit_L1"] += share * (accesses - past_l1);
  function->counts["hit_L2"] += share * (past_l1 - past_l2);
  function->counts["hit_LLC"] += share * (past_l2 - past_llc);
  function->counts["acc_mm"] += share * past_llc;
}

/// Writes counters for the functions of one run. `counted` are those of all analyses.
void add_counters(const std::vector<Kernel>& kernels, const CountedFunctions& counted,
                  const CacheSizes& caches, double working_set, RunProfile* run) {
  const std::vector<RecordedPlace> places = recorded_places(*run, counted);
  const PlaceIndex index(places);
  const double llc_bytes =
      caches.llc_bytes / std::max(1, run->config.max_ranks_per_node);  // ranks share it
  std::map<KernelId, Function> functions;
  std::set<std::string> analysed;
  for (const Kernel& kernel : kernels) {
    if (!kernel.law.covers(working_set)) continue;
    analysed.insert(source_function(kernel.function).name);
    for (const PlaceIndex::Part& part : index.parts_of({kernel.function, kernel.file, 0, {}, {}}))
      add(kernel.law, part.share, working_set, llc_bytes, caches,
          &functions[places[part.place].id]);
  }
  for (const RecordedPlace& place : places) {
    Function& function = functions[place.id];
    function.cpu_s += place.cpu_s;
    if (std::ranges::any_of(place.names, [&](const auto& name) { return analysed.contains(name); }))
      function.covered_s += place.cpu_s;
  }
  for (KernelProfile& kernel : run->kernels) {
    const Function& function = functions[kernel.id];
    if (!(function.cpu_s > 0) || function.covered_s / function.cpu_s < 1 - kMostUncovered) continue;
    for (const auto& [metric, count] : function.counts) {
      const bool is_flops = metric == "flops";
      if (is_flops && !(count > 0)) continue;
      Counter counter{
          Provenance::kSimulated,
          is_flops ? "flops of analysis.json" : "stack distances (" + caches.source + ")",
          1,
          {}};
      counter.samples.assign(run->times.main_s.per_rank.size(),
                             static_cast<std::uint64_t>(std::llround(count)));
      kernel.counters.try_emplace(metric, std::move(counter));
    }
  }
}

/// Why no analysis can be used, whatever it holds; empty if one can.
std::string why_none(const Experiment& e, const CacheSizes& caches) {
  if (counts_accesses(e)) return "the runs have counted memory accesses themselves";
  if (!caches.are_known())
    return "the machine's cache sizes are not known (apmt calibrate -o machine.yaml, then apmt fit "
           "--machine machine.yaml)";
  if (std::ranges::any_of(e.points, [](const auto& p) { return p.threads_per_rank > 1; }))
    return "stack distances follow one thread, and ranks have several";
  return {};
}

}  // namespace

Experiment with_analysed_counts(const Experiment& experiment, const std::vector<double>& work,
                                const CacheSizes& caches) {
  Experiment e = experiment;
  std::vector<AnalysedSize> analyses = std::exchange(e.analyses, {});
  if (analyses.empty()) return e;
  const auto say_unused = [&](const std::string& why) {
    e.warnings.push_back("analysis.json is not used: " + why);
  };
  if (const std::string why = why_none(e, caches); !why.empty()) {
    say_unused(why);
    return e;
  }
  std::erase_if(analyses, [&](const AnalysedSize& analysed) {
    const ExperimentPoint* point = point_of(analysed, e);
    if (point == nullptr) return true;  // its run was left out
    const std::string why = why_of_other_work(analysed, e, *point);
    if (!why.empty()) say_unused(why);
    return !why.empty();
  });
  if (analyses.empty()) return e;
  const std::vector<Kernel> kernels = kernels_of(analyses, e, work);
  if (kernels.empty())
    say_unused(
        "no kernel has stack distances and an instruction mix (apmt analyze --with "
        "mix,stack-distances)");
  kernels::Analysis all;  // the scopes of all analyses
  for (const AnalysedSize& analysed : analyses)
    all.scopes.insert(all.scopes.end(), analysed.analysis.scopes.begin(),
                      analysed.analysis.scopes.end());
  const CountedFunctions counted(all);
  for (std::size_t i = 0; i < e.points.size(); ++i)
    for (const std::size_t r : e.points[i].runs)
      add_counters(kernels, counted, caches, work[i] / e.points[i].procs, &e.runs[r]);
  grade_points(&e);
  return e;
}

}  // namespace apmt
