#include "fitter/memory_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "fitter/log_mixture.h"
#include "fitter/spread.h"

namespace apmt {
namespace {

constexpr double kLineBytes = 64;
constexpr double kWorstCount = 0.3;  // a law of counts with a larger relative residual is useless
constexpr std::size_t kWays = 64;

// Assumed values for figures that no machine profile gives.
constexpr double kAssumedLlc_s = 15e-9;
constexpr double kAssumedMemory_s = 100e-9;
constexpr double kAssumedFrequency_hz = 3e9;
constexpr double kAssumedBytesPerS = 8e9;  // of a single core

struct Normal {
  double mean = 0;
  double sd = 1;
  double ln_density(double x) const {
    return -0.5 * std::pow((x - mean) / sd, 2) - std::log(sd) - 0.918938533204673;
  }
};

/// Compiled code needs 0.1 to 3 cycles per instruction when its data are in the caches: the usual
/// value times e^(-2 sd) to e^(2 sd). An assumed frequency adds an uncertainty with sd 0.3.
constexpr double kUsualCpi = 0.6, kCpiSpread = 0.8, kUnknownFrequency = 0.3;
/// A floating-point operation needs 0.06 cycles in the widest vectors, and about 20 cycles if most
/// instructions of the kernel are of other kinds.
constexpr double kUsualCyclesPerFlop = 1, kFlopSpread = 1.5;
/// The prior of ln BF (BF is the blocking factor) is uniform between two extremes: fifty accesses
/// overlap (as many as a core can have in flight), or each access waits for the one before it.
/// Values beyond the extremes are possible only if the latencies are wrong; kEdge is the standard
/// deviation of ln BF there.
constexpr double kMostOverlap = 0.02, kEdge = 0.15, kEdgeAssumed = 0.4;
/// The time that the bandwidth requires may differ from the calibrated time by the factor
/// `streamed`; kStreamed is the standard deviation of ln `streamed`. The share of the calibrated
/// time that does not overlap with computation (`exposed`) has the prior of BF, but with kStreamed
/// in place of kEdge.
constexpr double kStreamed = 0.2, kStreamedAssumed = 0.6;
/// Possible values for the scatter of the times about a Form. The times scatter because costs vary
/// a little between problem sizes.
constexpr std::array<double, 7> kScatter = {3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3};
constexpr Normal kLnScatter{-2.995732273553991, 1.2};  // ln 0.05

constexpr int kNodes = 161;  // of the grid of t in Form
constexpr int kZooms = 4;
constexpr double kWidest = 7;  // largest t on the grid
constexpr double kTail = 1e-7;

const MetricModel* find(const std::vector<MetricModel>& metrics, const char* name) {
  for (const MetricModel& m : metrics)
    if (m.metric == name && !m.law.hypotheses.empty()) return &m;
  return nullptr;
}

/// Adds the likeliest law, multiplied by `factor`, to *sum.
void add_scaled(const CountLaw& law, double factor, Hypothesis* sum) {
  const Hypothesis& likeliest = law.hypotheses.front();
  for (LawTerm term : likeliest.terms) {
    term.coefficient *= factor;
    sum->terms.push_back(term);
  }
  sum->free_numbers += likeliest.free_numbers;
  sum->rel_residual = std::max(sum->rel_residual, likeliest.rel_residual);
}

bool says_something(const MetricModel* m) {
  return m != nullptr && m->law.hypotheses.front().rel_residual <= kWorstCount;
}

/// The accesses to memory that the core waits for. Accesses that a prefetcher covers use only
/// bandwidth; they are excluded if they were counted separately.
const MetricModel* waited_for(const std::vector<MetricModel>& metrics) {
  const MetricModel* demand = find(metrics, "acc_mm_demand");
  return says_something(demand) ? demand : find(metrics, "acc_mm");
}

/// The counts and time of one process at one point.
struct Point {
  double ln_time = 0;
  double variance = 0;  // of ln_time, as repetitions and sampling show
  double core = 0;
  double unhidden_s = 0;
  double transfers_s = 0;
};

struct Node {
  double weight = 0;
  MemorySplit::Costs costs;
};

/// One form of a kernel's time: c + BF * unhidden_s (kWaits), c + exposed * transfers_s (kLate), or
/// max(c, streamed * transfers_s) (kStreams), where c = core_s * instructions. Each form is a level
/// times a shape; the shape has one parameter t, which node() explains.
class Form {
 public:
  enum class Kind { kWaits, kLate, kStreams };
  /// `cycles`: prior of ln(core cycles per unit). A unit is an instruction or, if instructions were
  /// not counted, a floating-point operation.
  Form(Kind kind, const std::vector<Point>& points, const MemoryCosts& costs, Normal cycles,
       double frequency_hz, bool is_frequency_known)
      : kind_(kind), points_(points) {
    const double unknown = is_frequency_known ? 0 : kUnknownFrequency;
    core_ = {cycles.mean - std::log(frequency_hz), std::hypot(cycles.sd, unknown)};
    streamed_ = {0, costs.bandwidth.empty() ? kStreamedAssumed : kStreamed};
    edge_ = kind == Kind::kLate ? streamed_.sd : costs.memory_s ? kEdge : kEdgeAssumed;
    // The share of memory in the time at a point. The reference is the point where this share is
    // largest.
    const auto weight = [&](const Point& p) { return memory_of(p) / std::exp(p.ln_time); };
    reference_ =
        *std::max_element(points.begin(), points.end(),
                          [&](const Point& a, const Point& b) { return weight(a) < weight(b); });
  }

  bool is_possible() const { return memory_of(reference_) > 0; }

  /// Adds the nodes of a grid over t. The weight of a node is its posterior probability, up to a
  /// factor that is the same for all forms.
  void add_nodes(std::vector<Node>* nodes) const {
    double low = -kWidest, high = kWidest;
    std::vector<Node> found;
    for (int zoom = 0; zoom < kZooms; ++zoom) {
      const double step = (high - low) / (kNodes - 1);
      found.clear();
      for (int i = 0; i < kNodes; ++i) found.push_back(node(low + i * step, step));
      const auto [first, last] = held_range(found);
      if (last - first > kNodes / 3) break;  // enough nodes have weight
      const double from = low + step * std::max(0, first - 2);
      high = low + step * std::min(kNodes - 1, last + 2);
      low = from;
    }
    nodes->insert(nodes->end(), found.begin(), found.end());
  }

 private:
  double memory_of(const Point& p) const {
    return kind_ == Kind::kWaits ? p.unhidden_s : p.transfers_s;
  }

  double& memory_cost(MemorySplit::Costs* costs) const {
    if (kind_ == Kind::kWaits) return costs->blocked;
    return kind_ == Kind::kLate ? costs->exposed : costs->streamed;
  }

  /// The range of nodes whose weights are not negligible.
  static std::pair<int, int> held_range(const std::vector<Node>& nodes) {
    double sum = 0;
    for (const Node& n : nodes) sum += n.weight;
    int first = 0, last = kNodes - 1;
    double dropped = 0;
    while (first < last && (dropped += nodes[static_cast<std::size_t>(first)].weight) < kTail * sum)
      ++first;
    dropped = 0;
    while (last > first && (dropped += nodes[static_cast<std::size_t>(last)].weight) < kTail * sum)
      --last;
    return {first, last};
  }

  /// The node at t = ln(memory / core) at the reference point.
  Node node(double t, double step) const {
    const bool adds = kind_ != Kind::kStreams;
    const double core_part = adds ? 1 / (1 + std::exp(t)) : std::exp(-0.5 * t);
    const double memory_part = adds ? 1 / (1 + std::exp(-t)) : std::exp(0.5 * t);
    std::vector<double> off;  // ln time minus ln of the shape
    for (const Point& p : points_) {
      const double c = core_part * p.core / reference_.core;
      const double m = memory_part * memory_of(p) / memory_of(reference_);
      off.push_back(p.ln_time - std::log(adds ? c + m : std::max(c, m)));
    }
    // For each scatter, the level is integrated out. The costs are those of the likeliest level.
    double weight = 0, ln_level = 0;
    for (const double scatter : kScatter) {
      double precision = 0, pulled = 0, ln_weight = kLnScatter.ln_density(std::log(scatter));
      for (std::size_t i = 0; i < off.size(); ++i) {
        const double p = 1 / (scatter * scatter + points_[i].variance);
        precision += p;
        pulled += p * off[i];
        ln_weight += 0.5 * std::log(p);
      }
      const double level = pulled / precision;
      for (std::size_t i = 0; i < off.size(); ++i)
        ln_weight -= 0.5 * std::pow(off[i] - level, 2) / (scatter * scatter + points_[i].variance);
      ln_weight -= 0.5 * std::log(precision);
      ln_weight += ln_prior(level + std::log(core_part / reference_.core),
                            level + std::log(memory_part / memory_of(reference_)));
      const double w = std::exp(ln_weight);
      weight += w;
      ln_level += w * level;
    }
    Node node;
    node.weight = weight * step;
    const double level = weight > 0 ? std::exp(ln_level / weight) : 0;
    node.costs.core_s = level * core_part / reference_.core;
    memory_cost(&node.costs) = level * memory_part / memory_of(reference_);
    return node;
  }

  double ln_prior(double ln_core_s, double ln_memory) const {
    double ln = core_.ln_density(ln_core_s);
    if (kind_ == Kind::kStreams) return ln + streamed_.ln_density(ln_memory);
    ln -= std::log(-std::log(kMostOverlap));
    if (ln_memory > 0) ln -= 0.5 * std::pow(ln_memory / edge_, 2);
    if (ln_memory < std::log(kMostOverlap))
      ln -= 0.5 * std::pow((ln_memory - std::log(kMostOverlap)) / edge_, 2);
    return ln;
  }

  Kind kind_;
  const std::vector<Point>& points_;
  Normal core_;
  Normal streamed_;
  double edge_ = 0;
  Point reference_;
};

/// Replaces weighted costs with equally likely ones, sorted by memory's share at the last point.
std::vector<MemorySplit::Costs> equally_likely(std::vector<Node> nodes, const MemorySplit& split,
                                               const FitPoint& at) {
  std::vector<double> shares;
  for (const Node& n : nodes) shares.push_back(split.share(n.costs, at.procs, at.work));
  std::vector<std::size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return shares[a] < shares[b]; });
  double sum = 0;
  for (const Node& n : nodes) sum += n.weight;
  std::vector<MemorySplit::Costs> ways;
  double passed = 0;
  for (const std::size_t i : order) {
    passed += nodes[i].weight;
    while (ways.size() < kWays &&
           passed >= sum * (static_cast<double>(ways.size()) + 0.5) / static_cast<double>(kWays))
      ways.push_back(nodes[i].costs);
  }
  while (ways.size() < kWays) ways.push_back(nodes[order.back()].costs);
  return ways;
}

std::optional<MemorySplit> from_stalls(const MemoryEvidence& e) {
  const MetricModel* stall = find(e.metrics, "stall");
  const MetricModel* cycles = find(e.metrics, "cycles");
  if (!says_something(stall) || !says_something(cycles)) return std::nullopt;
  MemorySplit split;
  split.from = "stalls";
  add_scaled(cycles->law, 1, &split.core);
  add_scaled(stall->law, -1, &split.core);
  add_scaled(stall->law, 1, &split.unhidden);
  double squares = 0;
  for (std::size_t i = 0; i < stall->points.size(); ++i)
    squares += std::pow(stall->points[i].rel_sampling, 2);
  const double sd = std::sqrt(squares) / static_cast<double>(stall->points.size());
  const double cycle_s = 1 / e.frequency_hz.value_or(kAssumedFrequency_hz);
  for (std::size_t i = 0; i < kWays; ++i) {
    const double z = standard_normal_quantile((static_cast<double>(i) + 0.5) / kWays);
    split.ways.push_back({cycle_s, cycle_s * std::exp(sd * z), 0});
  }
  return split;
}

std::vector<Point> points_of(const MemoryEvidence& e, const MetricModel& core,
                             const MetricModel& memory, const MemoryCosts& costs) {
  const MetricModel* waited = waited_for(e.metrics);
  const MetricModel* llc = find(e.metrics, "hit_LLC");
  std::vector<Point> points;
  for (std::size_t i = 0; i < e.times.size(); ++i) {
    const FitPoint& t = e.times[i];
    if (t.value <= 0 || core.points[i].value <= 0) continue;
    Point p;
    p.ln_time = std::log(t.value);
    const double sigma = std::max({t.rel_sigma, t.rel_sampling}) * median_factor(t.repetitions);
    p.variance = sigma * sigma;
    p.core = core.points[i].value / t.procs;
    const double accesses = memory.points[i].value / t.procs;
    p.unhidden_s = waited->points[i].value / t.procs * costs.memory_s.value_or(kAssumedMemory_s);
    if (llc != nullptr)
      p.unhidden_s += llc->points[i].value / t.procs * costs.llc_s.value_or(kAssumedLlc_s);
    p.transfers_s =
        accesses * kLineBytes * costs.s_per_byte(e.busy_cores[i]).value_or(1 / kAssumedBytesPerS);
    points.push_back(p);
  }
  return points;
}

std::optional<MemorySplit> from_counts(const MemoryEvidence& e, const MemoryCosts& costs) {
  const MetricModel* instructions = find(e.metrics, "instructions");
  Normal cycles{std::log(kUsualCpi), kCpiSpread};
  if (instructions == nullptr) {
    instructions = find(e.metrics, "flops");
    cycles = {std::log(kUsualCyclesPerFlop), kFlopSpread};
  }
  const MetricModel* memory = find(e.metrics, "acc_mm");
  const auto unhidden = unhidden_seconds(e.metrics, costs);
  if (!says_something(instructions) || !unhidden) return std::nullopt;
  const std::vector<Point> points = points_of(e, *instructions, *memory, costs);
  if (points.empty()) return std::nullopt;
  MemorySplit split;
  split.from = "counts";
  add_scaled(instructions->law, 1, &split.core);
  split.unhidden = *unhidden;
  add_scaled(memory->law,
             kLineBytes * costs.s_per_byte(e.busy_cores.back()).value_or(1 / kAssumedBytesPerS),
             &split.transfers);
  std::optional<double> frequency_hz = e.frequency_hz;
  if (!frequency_hz) frequency_hz = costs.frequency_hz;
  std::vector<Node> nodes;
  for (const Form::Kind kind : {Form::Kind::kWaits, Form::Kind::kLate, Form::Kind::kStreams}) {
    const Form form(kind, points, costs, cycles, frequency_hz.value_or(kAssumedFrequency_hz),
                    frequency_hz.has_value());
    if (form.is_possible()) form.add_nodes(&nodes);
  }
  double sum = 0;
  for (const Node& n : nodes) sum += n.weight;
  if (!(sum > 0)) {
    // If there are nodes but none has any weight, no costs explain the times. If there are no
    // nodes, nothing accesses memory; then the core takes all of the time.
    if (!nodes.empty()) return std::nullopt;
    nodes = {{1, {std::exp(points.back().ln_time) / points.back().core, 0, 0}}};
  }
  split.ways = equally_likely(std::move(nodes), split, e.times.back());
  return split;
}

}  // namespace

std::optional<Hypothesis> unhidden_seconds(const std::vector<MetricModel>& metrics,
                                           const MemoryCosts& costs) {
  if (!says_something(find(metrics, "acc_mm"))) return std::nullopt;
  Hypothesis seconds;
  add_scaled(waited_for(metrics)->law, costs.memory_s.value_or(kAssumedMemory_s), &seconds);
  if (const MetricModel* llc = find(metrics, "hit_LLC"); says_something(llc))
    add_scaled(llc->law, costs.llc_s.value_or(kAssumedLlc_s), &seconds);
  return seconds;
}

std::optional<MemorySplit> fit_memory_split(const MemoryEvidence& evidence,
                                            const MemoryCosts& costs) {
  if (std::optional<MemorySplit> split = from_stalls(evidence)) return split;
  return from_counts(evidence, costs);
}

}  // namespace apmt
