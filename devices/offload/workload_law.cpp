#include "devices/offload/workload_law.h"

#include <algorithm>
#include <cmath>

#include "fitter/numeric/power_between.h"

namespace apmt::devices {
namespace {

constexpr double kSameSize = 1e-9;  // relative

/// Scales the counts of two analyses to another working set, which may lie between those of the
/// analyses or beyond them.
struct Scaling {
  double ln_ratio = 0;
  double at = 0;

  double operator()(double low, double high) const {
    return power_between(low, high, ln_ratio, at);
  }
};

double levels_of(const Schedule& schedule) {
  double levels = 0;
  for (const Schedule::Width& w : schedule.widths) levels += w.levels;
  return levels;
}

/// Steps through the levels of a schedule in the order of their widths. A position is between 0 and
/// 1: the share of levels that are before it.
class ByShare {
 public:
  explicit ByShare(const Schedule& schedule) : of_(schedule), levels_(levels_of(schedule)) {
    if (!is_over()) end_ = share();
  }
  bool is_over() const { return at_ == of_.widths.size(); }
  double end() const { return end_; }
  double width() const { return of_.widths[at_].operations / of_.widths[at_].levels; }
  void skip_to(double share_done) {
    if (end_ > share_done + kSameSize) return;
    if (++at_; !is_over()) end_ += share();
  }

 private:
  double share() const { return of_.widths[at_].levels / levels_; }
  const Schedule& of_;
  double levels_;
  std::size_t at_ = 0;
  double end_ = 0;
};

/// Scales the widths of the levels so that their operations add up to the schedule's total. Each
/// level keeps its first operation; the number of its other operations is multiplied by a factor
/// that is the same for all levels.
void fill(Schedule* s) {
  const double levels = levels_of(*s);
  double sum = 0;
  for (const Schedule::Width& w : s->widths) sum += w.operations;
  if (!(sum > levels) || !(s->operations > levels)) return;
  const double factor = (s->operations - levels) / (sum - levels);
  for (Schedule::Width& w : s->widths) w.operations = w.levels + (w.operations - w.levels) * factor;
}

/// The schedule at another working set, scaled from the schedules of two analyses. Levels are
/// ordered by width; those of the two schedules correspond if the same share of all levels comes
/// before them (ByShare). Their width is a power of the working set.
std::optional<Schedule> scaled(const std::optional<Schedule>& low,
                               const std::optional<Schedule>& high, const Scaling& by) {
  if (!low || !high) return std::nullopt;
  Schedule s{by(low->depth, high->depth), by(low->operations, high->operations), {}};
  double done = 0;
  for (ByShare a(*low), b(*high); !a.is_over() && !b.is_over();) {
    const double next = std::min(a.end(), b.end());
    const double levels = (next - done) * s.depth;
    if (levels > 0) s.widths.push_back({levels, levels * std::max(1.0, by(a.width(), b.width()))});
    done = next;
    a.skip_to(done);
    b.skip_to(done);
  }
  fill(&s);
  return s;
}

const IdiomBlock* same_idiom(const std::vector<IdiomBlock>& blocks, const IdiomBlock& as) {
  for (const IdiomBlock& block : blocks)
    if (block.place == as.place && block.idiom == as.idiom) return &block;
  return nullptr;
}

/// Scales the idioms that both analyses found at the same place. References of other idioms are
/// not part of `share_idioms`, so they are treated like references outside idioms.
void scale_idioms(const Workload& low, const Workload& high, const Scaling& by, Workload* w) {
  w->idioms.clear();
  double low_references = 0, high_references = 0, low_kept = 0, high_kept = 0;
  for (const IdiomBlock& b : high.idioms) high_references += b.references;
  for (const IdiomBlock& a : low.idioms) {
    low_references += a.references;
    const IdiomBlock* b = same_idiom(high.idioms, a);
    if (b == nullptr) continue;
    low_kept += a.references;
    high_kept += b->references;
    w->idioms.push_back({a.place, a.idiom, by(a.references, b->references), by(a.bytes, b->bytes),
                         by(a.footprint_bytes, b->footprint_bytes)});
  }
  w->share_idioms = 0;
  if (!w->idioms.empty())
    w->share_idioms = std::min(1.0, by(low.share_idioms * low_kept / low_references,
                                       high.share_idioms * high_kept / high_references));
}

std::vector<ReuseLaw::Size> sizes_of(const std::vector<AnalysedWorkload>& analysed) {
  std::vector<ReuseLaw::Size> sizes;
  for (const AnalysedWorkload& a : analysed)
    sizes.push_back({a.working_set, a.workload.lines->distances, a.workload.flops});
  return sizes;
}

std::vector<AnalysedWorkload> sorted(std::vector<AnalysedWorkload> analysed) {
  std::stable_sort(analysed.begin(), analysed.end(),
                   [](const auto& a, const auto& b) { return a.working_set < b.working_set; });
  const auto is_same = [](const auto& a, const auto& b) {
    return std::log(b.working_set / a.working_set) < kSameSize;
  };
  analysed.erase(std::unique(analysed.begin(), analysed.end(), is_same), analysed.end());
  return analysed;
}

}  // namespace

WorkloadLaw::WorkloadLaw(std::vector<AnalysedWorkload> analysed)
    : analysed_(sorted(std::move(analysed))), reuse_(sizes_of(analysed_)) {}

double WorkloadLaw::extrapolation(double working_set) const {
  return std::max({1.0, working_set / largest(), smallest() / working_set});
}

Workload WorkloadLaw::at(double working_set) const {
  for (const AnalysedWorkload& a : analysed_)
    if (std::abs(std::log(working_set / a.working_set)) < kSameSize) return a.workload;
  std::size_t next = 1;
  while (next + 1 < analysed_.size() && analysed_[next].working_set < working_set) ++next;
  const Workload& low = analysed_[next - 1].workload;
  const Workload& high = analysed_[next].workload;
  const double ln_ratio = std::log(analysed_[next].working_set / analysed_[next - 1].working_set);
  const Scaling by{ln_ratio, std::log(working_set / analysed_[next - 1].working_set) / ln_ratio};
  Workload w = low;
  const auto scale = [&](double Workload::*count) { w.*count = by(low.*count, high.*count); };
  for (double Workload::*count :
       {&Workload::invocations, &Workload::instructions, &Workload::flops, &Workload::additions,
        &Workload::multiplications, &Workload::loaded_bytes, &Workload::stored_bytes,
        &Workload::synchronisations_inside_parallel})
    scale(count);
  if (w.flops > 0)
    w.share_single =
        std::min(1.0, by(low.share_single * low.flops, high.share_single * high.flops) / w.flops);
  w.floating_point = scaled(low.floating_point, high.floating_point, by);
  w.all_operations = scaled(low.all_operations, high.all_operations, by);
  w.load_chain.reset();
  if (low.load_chain && high.load_chain)
    w.load_chain = LoadChain{by(low.load_chain->depth, high.load_chain->depth),
                             by(low.load_chain->unforeseen, high.load_chain->unforeseen)};
  w.lines->distances = reuse_.locality(working_set);
  w.lines->accesses = w.lines->distances.accesses;
  w.lines->access_bytes = by(low.lines->access_bytes, high.lines->access_bytes);
  w.lines->is_sampled = low.lines->is_sampled || high.lines->is_sampled;
  w.footprint_bytes.reset();
  if (low.footprint_bytes && high.footprint_bytes)
    w.footprint_bytes = by(*low.footprint_bytes, *high.footprint_bytes);
  w.most_call_bytes.reset();
  if (low.most_call_bytes && high.most_call_bytes)
    w.most_call_bytes = by(*low.most_call_bytes, *high.most_call_bytes);
  if (low.synchronisations && high.synchronisations)
    w.synchronisations = by(*low.synchronisations, *high.synchronisations);
  else
    w.synchronisations.reset();
  w.vector_flops.reset();  // only methods that read the analysis itself use vectors
  scale_idioms(low, high, by, &w);
  w.is_complete = low.is_complete && high.is_complete;
  w.is_estimated = low.is_estimated || high.is_estimated;
  return w;
}

}  // namespace apmt::devices
