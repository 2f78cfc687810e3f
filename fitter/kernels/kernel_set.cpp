#include "fitter/kernels/kernel_set.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "base/square.h"
#include "fitter/runs/run_parts.h"
#include "fitter/runs/spread.h"

namespace apmt {
namespace {

constexpr double kErrors = 2;          // standard errors that count as evidence
constexpr double kFewestSamples = 10;  // with fewer at any point, nothing is concluded
constexpr double kFewestForLaw = 25;   // with fewer at every point, a kernel gets no law of its own
constexpr double kMostOfIt = 0.5;      // a kernel with more of the compute time gets a law anyway

/// Seconds per rank of one function in every run; 0 where it does not occur.
struct Joined {
  explicit Joined(std::size_t runs) : per_rank_s(runs, 0), samples(runs, 0) {}
  std::string name;
  std::vector<double> per_rank_s;
  std::vector<double> samples;
};

std::map<KernelId, Joined> join_kernels(const Experiment& e) {
  std::map<KernelId, Joined> kernels;
  for (std::size_t r = 0; r < e.runs.size(); ++r) {
    const RunProfile& run = e.runs[r];
    if (run.grade == Grade::kD) continue;  // grade D: not sampled, no functions
    const double scale = elapsed_per_cpu(run) / recorded_ranks(run);
    for (const KernelProfile& k : run.kernels) {
      const Counter* counter = cpu_counter(k);
      if (counter == nullptr) continue;
      Joined& joined = kernels.try_emplace(k.id, e.runs.size()).first->second;
      joined.name = k.name.empty() ? k.id.linkage_name : k.name;
      joined.per_rank_s[r] = scale * counter->total();
      joined.samples[r] = counter->independent_samples();
    }
  }
  return kernels;
}

FitPoint point_of(const Joined& k, const ExperimentPoint& at, double work) {
  std::vector<double> values;
  double samples = 0;
  for (const std::size_t r : at.runs) {
    values.push_back(k.per_rank_s[r]);
    samples += k.samples[r] / static_cast<double>(at.runs.size());
  }
  return fit_point(at.procs, work, measured(values, samples > 0 ? 1 / std::sqrt(samples) : 1));
}

double share_of(double seconds, double all_s) { return all_s > 0 ? seconds / all_s : 0; }

/// A kernel that is not selected so far. `all_s` is the compute time of each point.
KernelModel kernel_of(const KernelId& id, const Joined& k, const Experiment& e,
                      const std::vector<double>& work, const std::vector<double>& all_s) {
  KernelModel kernel;
  kernel.id = id;
  kernel.name = k.name;
  kernel.role = KernelRole::kRest;
  for (std::size_t i = 0; i < e.points.size(); ++i) {
    kernel.points.push_back(point_of(k, e.points[i], work[i]));
    kernel.max_share = std::max(kernel.max_share, share_of(kernel.points[i].value, all_s[i]));
  }
  return kernel;
}

/// Whether the kernel is selected by the last rule of select_kernels(). Uses weighted regression of
/// ln t on l = -ln(work per process).
bool does_not_scale(const KernelModel& k) {
  double sw = 0, sl = 0, sy = 0, sll = 0, sly = 0;
  for (const FitPoint& p : k.points) {
    if (p.value <= 0) return false;
    if (p.rel_sampling > 1 / std::sqrt(kFewestSamples)) return false;
    // The scatter of repetitions includes the sampling error; with one repetition only the sampling
    // error is known.
    const double sigma =
        std::max({p.rel_sigma, p.rel_sampling, 0.005}) * median_factor(p.repetitions);
    const double w = 1 / (sigma * sigma);
    const double l = std::log(p.procs / p.work);
    const double y = std::log(p.value);
    sw += w;
    sl += w * l;
    sy += w * y;
    sll += w * l * l;
    sly += w * l * y;
  }
  const double spread = sll - sl * sl / sw;
  // If the work per process is the same everywhere (weak scaling), every kernel should take
  // constant time, so nothing is concluded.
  if (spread <= 1e-6 * sw) return false;
  const double slope = (sly - sl * sy / sw) / spread;
  const double error = 1 / std::sqrt(spread);
  return slope >= -kErrors * error && slope > -1 + kErrors * error;
}

/// Whether the kernel has enough samples, over all runs of a point, for a law of its own. Laws of
/// many functions with few samples would hide their sum's trend; a large one nearly is the sum.
bool has_enough_samples(const KernelModel& k) {
  if (k.max_share > kMostOfIt) return true;
  return std::any_of(k.points.begin(), k.points.end(), [](const FitPoint& p) {
    return p.value > 0 && p.repetitions >= kFewestForLaw * square(p.rel_sampling);
  });
}

/// Functions, by name, whose MPI calls take more than `threshold` of the time of the runs at any
/// point.
std::set<std::string> callers_above(const Experiment& e, double threshold) {
  std::set<std::string> found;
  for (const ExperimentPoint& point : e.points) {
    if (point.oversubscribed) continue;
    std::map<std::string, double> in_calls_s;
    double all_s = 0;
    for (const std::size_t r : point.runs) {
      for (const MpiRow& row : e.runs[r].mpi) in_calls_s[row.caller] += row.time_s;
      all_s += e.runs[r].times.main_s.total();
    }
    if (all_s <= 0) continue;  // imported without the time of the whole run
    for (const auto& [caller, seconds] : in_calls_s)
      if (!caller.empty() && seconds > threshold * all_s) found.insert(caller);
  }
  return found;
}

}  // namespace

KernelSet select_kernels(const Experiment& e, const std::vector<double>& work, double threshold) {
  const std::map<KernelId, Joined> joined = join_kernels(e);
  std::vector<double> all_s;
  for (const ExperimentPoint& point : e.points)
    all_s.push_back(point.parts.comp_s ? point.parts.comp_s->value : 0);
  KernelSet set;
  set.functions = static_cast<int>(joined.size());
  set.coverage.assign(e.points.size(), 0);
  const std::set<std::string> callers = callers_above(e, threshold);
  std::map<std::string, int> of_name;  // calls are known by the name of the caller only
  for (const auto& [id, k] : joined) of_name[k.name] += 1;
  // The numbers of samples of small functions are added, and the sampling error of their sum
  // follows from the total.
  Joined small(e.runs.size());
  small.name = "(rest)";
  for (const auto& [id, k] : joined) {
    KernelModel kernel = kernel_of(id, k, e, work, all_s);
    const bool is_large = kernel.max_share > threshold;
    if ((is_large && has_enough_samples(kernel)) ||
        (callers.contains(k.name) && of_name.at(k.name) == 1))
      kernel.role = KernelRole::kCritical;
    else if (does_not_scale(kernel))
      kernel.role = KernelRole::kNonScalable;
    if (kernel.role == KernelRole::kRest) {
      set.too_few_samples += is_large;
      for (std::size_t r = 0; r < e.runs.size(); ++r) {
        small.per_rank_s[r] += k.per_rank_s[r];
        small.samples[r] += k.samples[r];
      }
      continue;
    }
    for (std::size_t i = 0; i < e.points.size(); ++i)
      set.coverage[i] += share_of(kernel.points[i].value, all_s[i]);
    set.kernels.push_back(std::move(kernel));
  }
  for (double& c : set.coverage) c = std::min(c, 1.0);
  std::ranges::stable_sort(set.kernels, std::greater{},
                           [](const KernelModel& k) { return k.points.back().value; });
  KernelModel rest = kernel_of({}, small, e, work, all_s);
  rest.functions = set.functions - static_cast<int>(set.kernels.size());
  if (std::ranges::any_of(rest.points, [](const FitPoint& p) { return p.value > 0; }))
    set.kernels.push_back(std::move(rest));
  return set;
}

std::vector<std::vector<std::optional<double>>> kernel_seconds(
    const Experiment& e, const std::vector<KernelModel>& kernels) {
  const std::map<KernelId, Joined> joined = join_kernels(e);
  std::set<KernelId> own;
  for (const KernelModel& kernel : kernels)
    if (kernel.role != KernelRole::kRest) own.insert(kernel.id);
  std::vector<std::vector<std::optional<double>>> seconds(
      e.points.size(), std::vector<std::optional<double>>(kernels.size()));
  for (std::size_t i = 0; i < e.points.size(); ++i) {
    const ExperimentPoint& point = e.points[i];
    const auto seconds_of = [&](const Joined& k) { return point_of(k, point, 1).value; };
    const bool is_sampled = std::ranges::all_of(point.runs, [&](std::size_t r) {
      return e.runs[r].grade != Grade::kD && !e.runs[r].kernels.empty();
    });
    double others = 0;
    for (const auto& [id, k] : joined)
      if (!own.contains(id)) others += seconds_of(k);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const bool is_rest = kernels[k].role == KernelRole::kRest;
      const auto found = joined.find(kernels[k].id);
      if (is_rest && kernels[k].functions == 0 && point.parts.comp_s)
        seconds[i][k] = point.parts.comp_s->value;  // without samples, it is all in one kernel
      else if (is_sampled)
        seconds[i][k] = is_rest ? others : found == joined.end() ? 0 : seconds_of(found->second);
    }
  }
  return seconds;
}

}  // namespace apmt
