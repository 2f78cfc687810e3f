#include "reports/difference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "base/input_error.h"
#include "base/mean.h"
#include "reports/numbers.h"
#include "reports/vocabulary.h"

namespace apmt {
namespace {

/// Continued fraction of the incomplete beta function (Lentz), for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  double c = 1;
  double d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < kTiny ? kTiny : d);
  double h = d;
  for (int m = 1; m <= 500; ++m) {
    for (const double numerator : {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                                   -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))}) {
      d = 1 + numerator * d;
      d = 1 / (std::abs(d) < kTiny ? kTiny : d);
      c = 1 + numerator / c;
      if (std::abs(c) < kTiny) c = kTiny;
      h *= d * c;
    }
    if (std::abs(d * c - 1) < 1e-14) break;
  }
  return h;
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/// P(|T| > t) for Student's t distribution with `degrees` degrees of freedom.
double two_sided(double t, double degrees) {
  return incomplete_beta(0.5 * degrees, 0.5, degrees / (degrees + t * t));
}

/// The probability of a mean so far from 0 if the true mean were 0, as on the other side.
double chance_beside_zero(const Sample& sample) {
  if (sample.rel_sigma <= 0) return 0;
  return two_sided(std::sqrt(sample.repetitions) / sample.rel_sigma, sample.repetitions - 1);
}

std::optional<Sample> sample_at(const std::vector<FitPoint>& points, int procs, double work) {
  for (const FitPoint& p : points)
    if (p.procs == procs && std::abs(p.work - work) <= 1e-9 * work)
      return Sample{p.value, p.rel_sigma, p.repetitions};
  return std::nullopt;
}

/// One quantity that both models have, with its measured points from each.
struct Comparable {
  std::string what;
  bool is_kernel;
  std::vector<FitPoint> before;
  std::vector<FitPoint> after;
  std::string part = {};  // as Change::part
};

/// The kernel's measured times, multiplied by the share that the model attributes to memory (or to
/// computation). Points without any sample are left out, because they have no time to divide.
std::vector<FitPoint> part_of_times(const KernelModel& kernel, bool memory) {
  std::vector<FitPoint> points = kernel.points;
  std::erase_if(points, [](const FitPoint& p) { return p.value == 0; });
  for (FitPoint& p : points) {
    const double share = mean(kernel.law.split->shares(p.procs, p.work));
    p.value *= memory ? share : 1 - share;
  }
  return points;
}

void add_parts(const std::string& name, const KernelModel& before, const KernelModel& after,
               std::vector<Comparable>* list) {
  if (before.law.split && after.law.split)
    for (const bool memory : {false, true})
      list->push_back({name + ": " + (memory ? "memory" : "computation"), true,
                       part_of_times(before, memory), part_of_times(after, memory),
                       memory ? "mem" : "comp"});
  if (!before.calls.any() || !after.calls.any()) return;
  list->push_back({name + ": its messages", true, before.calls.transfer_points,
                   after.calls.transfer_points, "transfer"});
  list->push_back(
      {name + ": its waiting", true, before.calls.wait_points, after.calls.wait_points, "wait"});
}

using KernelPair = std::pair<const KernelModel*, const KernelModel*>;

bool is_in(const std::vector<KernelPair>& pairs, const KernelModel& kernel) {
  return std::ranges::any_of(pairs, [&](const KernelPair& pair) {
    return pair.first == &kernel || pair.second == &kernel;
  });
}

/// Pairs the kernels that both models have, except "(rest)", which stands for all small functions
/// together. Kernels are paired first by id, then by name and source, then by name alone, because
/// an executable or source may have been renamed. A step pairs two kernels only if neither of them
/// matches a further kernel.
std::vector<KernelPair> common_kernels(const Model& before, const Model& after) {
  std::vector<const KernelModel*> left;
  std::vector<const KernelModel*> right;
  for (const KernelModel& kernel : before.kernels)
    if (kernel.role != KernelRole::kRest) left.push_back(&kernel);
  for (const KernelModel& kernel : after.kernels)
    if (kernel.role != KernelRole::kRest) right.push_back(&kernel);
  std::vector<KernelPair> pairs;
  const auto pair_up = [&](const auto& are_alike) {
    const auto partners = [&](const KernelModel* of, const auto& among) {
      return std::count_if(among.begin(), among.end(),
                           [&](const KernelModel* kernel) { return are_alike(*of, *kernel); });
    };
    for (std::size_t i = 0; i < left.size();) {
      const auto found = std::find_if(right.begin(), right.end(), [&](const KernelModel* kernel) {
        return are_alike(*left[i], *kernel);
      });
      if (found == right.end() || partners(left[i], right) > 1 || partners(*found, left) > 1) {
        ++i;
        continue;
      }
      pairs.emplace_back(left[i], *found);
      right.erase(found);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
    }
  };
  const auto name = [](const KernelModel& kernel) {
    return kernel.id.linkage_name.empty() ? kernel.name : kernel.id.linkage_name;
  };
  pair_up([](const KernelModel& a, const KernelModel& b) { return a.id == b.id; });
  pair_up([&](const KernelModel& a, const KernelModel& b) {
    return name(a) == name(b) && a.id.source == b.id.source;
  });
  pair_up([&](const KernelModel& a, const KernelModel& b) { return name(a) == name(b); });
  return pairs;
}

/// All computation outside the kernels in `pairs`: the sum over the other kernels, at each point
/// where it is known.
std::vector<FitPoint> rest_points(const Model& model, const std::vector<KernelPair>& pairs) {
  std::vector<FitPoint> points;
  for (const ModelPoint& p : model.points) {
    if (!p.parts.comp_s || knows_only_wholes(model)) continue;
    FitPoint sum{.procs = double(p.procs), .work = p.work, .repetitions = p.repetitions};
    double variance = 0;
    bool is_known = true;
    for (const KernelModel& kernel : model.kernels) {
      if (is_in(pairs, kernel)) continue;
      const std::optional<Sample> its = sample_at(kernel.points, p.procs, p.work);
      is_known = is_known && its;
      if (!its) break;
      sum.value += its->value_s;
      variance += std::pow(its->value_s * its->rel_sigma, 2);
      sum.repetitions = std::min(sum.repetitions, its->repetitions);
    }
    if (sum.value > 0) sum.rel_sigma = std::sqrt(variance) / sum.value;
    if (is_known) points.push_back(sum);
  }
  return points;
}

/// Adds what the kernels in `pairs` leave of the computation. If that is the small functions of
/// both models, it also has parts.
void add_rest(const Model& before, const Model& after, const std::vector<KernelPair>& pairs,
              std::vector<Comparable>* list) {
  std::vector<const KernelModel*> rest;
  bool are_small = true;
  for (const Model* model : {&before, &after})
    for (const KernelModel& kernel : model->kernels) {
      if (is_in(pairs, kernel)) continue;
      rest.push_back(&kernel);
      are_small = are_small && kernel.role == KernelRole::kRest;
    }
  if (rest.empty()) return;
  if (rest.size() != 2 || !are_small) {
    list->push_back({"the rest of the computation", true, rest_points(before, pairs),
                     rest_points(after, pairs)});
    return;
  }
  list->push_back({kernel_title(before, *rest[0]), true, rest[0]->points, rest[1]->points});
  add_parts(kernel_title(before, *rest[0]), *rest[0], *rest[1], list);
}

std::vector<Comparable> common_quantities(const Model& before, const Model& after) {
  std::vector<Comparable> list;
  const std::vector<KernelPair> pairs = common_kernels(before, after);
  for (const auto& [b, a] : pairs) {
    list.push_back({kernel_title(before, *b), true, b->points, a->points});
    add_parts(kernel_title(before, *b), *b, *a, &list);
  }
  add_rest(before, after, pairs, &list);
  for (const char* part : {"p2p", "coll", "wait", "other"})
    list.push_back({part_words("comm_" + std::string(part)), false, before.comm_points(part),
                    after.comm_points(part)});
  list.push_back({part_words("off_cpu"), false, before.off_cpu.points, after.off_cpu.points});
  list.push_back({part_words("start"), false, before.start.points, after.start.points});
  list.push_back({part_words("end"), false, before.end.points, after.end.points});
  return list;
}

Change change_of(const ModelPoint& point, std::string what, bool is_kernel, const Sample& before,
                 const Sample& after) {
  Change change{.procs = point.procs,
                .work = point.work,
                .what = std::move(what),
                .is_kernel = is_kernel,
                .before = before,
                .after = after};
  change.difference_s = after.value_s - before.value_s;
  change.share = point.elapsed_s > 0 ? change.difference_s / point.elapsed_s : 0;
  change.chance = chance_of(before, after);
  return change;
}

/// Marks changes that are large enough and significant by Holm's method: the smallest of n p-values
/// must be at most level / n, the next at most level / (n - 1), and so on until one is larger than
/// its limit.
void decide(const DifferenceOptions& options, std::vector<Change>* changes) {
  std::vector<Change*> by_chance;
  for (Change& change : *changes)
    if (change.chance) by_chance.push_back(&change);
  std::sort(by_chance.begin(), by_chance.end(),
            [](const Change* a, const Change* b) { return *a->chance < *b->chance; });
  std::size_t left = by_chance.size();
  for (Change* change : by_chance) {
    if (*change->chance > options.level / static_cast<double>(left--)) break;
    change->is_significant = std::abs(change->share) >= options.threshold;
  }
}

std::string changed_words(const Change& change) {
  const bool is_elapsed = change.what == "elapsed";
  return (is_elapsed ? "the elapsed time" : change.what) + " takes " +
         format_seconds(std::abs(change.difference_s)) +
         (change.difference_s < 0 ? " less" : " more") + (is_elapsed ? "" : " per process");
}

/// "a single run on one side", or on each.
std::string single_runs_words(const Change& change) {
  const bool both = change.before.repetitions < 2 && change.after.repetitions < 2;
  return std::string("a single run on ") + (both ? "each" : "one") + " side";
}

bool is_larger(const Change& change, const Change* than) {
  return than == nullptr || std::abs(change.share) > std::abs(than->share);
}

/// The kernel or part with the largest significant change at the point of `elapsed`, in the same
/// direction as the elapsed time.
const Change* most_of(const std::vector<Change>& changes, const Change& elapsed) {
  const Change* most = nullptr;
  for (const Change& change : changes)
    if (change.procs == elapsed.procs && change.work == elapsed.work && change.what != "elapsed" &&
        change.is_significant && (change.difference_s > 0) == (elapsed.difference_s > 0) &&
        is_larger(change, most))
      most = &change;
  return most;
}

/// Names the largest significant change of a part or at another point, and counts the others. Used
/// for a headline that reports no significant change of the elapsed time at the largest process
/// count.
std::string changes_elsewhere(const std::vector<Change>& changes) {
  const Change* most = nullptr;
  std::size_t others = 0;
  for (const Change& change : changes) {
    if (!change.is_significant) continue;
    ++others;
    if (is_larger(change, most)) most = &change;
  }
  if (most == nullptr) return {};
  std::string text = " But at " + processes(most->procs) + " " + changed_words(*most) + ".";
  if (--others > 0)
    text += " In the table * marks " +
            plural(static_cast<double>(others), "further change", "further changes") + ".";
  return text;
}

/// The headline: how the elapsed time at the largest process count changed, and which kernel or
/// part changed most.
std::string headline_of(const std::vector<Change>& changes) {
  const Change* elapsed = nullptr;
  for (const Change& change : changes)
    if (change.what == "elapsed" && (elapsed == nullptr || change.procs >= elapsed->procs))
      elapsed = &change;
  if (elapsed == nullptr) return {};
  const std::string figures = format_seconds(elapsed->before.value_s) + " before, " +
                              format_seconds(elapsed->after.value_s) + " after";
  const std::string where = "At " + processes(elapsed->procs) + " ";
  const double relative = elapsed->after.value_s / elapsed->before.value_s - 1;
  if (!elapsed->chance)
    return where + "the time changed by " + format_change(relative) + ": " + figures + "; with " +
           single_runs_words(*elapsed) + " this may be chance." + changes_elsewhere(changes);
  if (elapsed->is_significant) {
    const std::string whole = "it is " + format_share(std::abs(relative)) +
                              (relative > 0 ? " slower" : " faster") + ": " + figures + ".";
    const Change* cause = most_of(changes, *elapsed);
    return where + (cause == nullptr ? whole : changed_words(*cause) + ", and " + whole);
  }
  constexpr int kTells = 3;             // with fewer repetitions, their scatter says little
  constexpr double kWorthAWord = 0.05;  // with few repetitions, only larger changes are mentioned
  const int fewest = std::min(elapsed->before.repetitions, elapsed->after.repetitions);
  if (fewest < kTells && std::abs(relative) > kWorthAWord)
    return where + "the time changed by " + format_change(relative) + ": " + figures + "; " +
           plural(fewest, "repetition", "repetitions") +
           " on a side are too few to tell that from chance." + changes_elsewhere(changes);
  return where + "no change of the elapsed time stands out from the scatter of the repetitions: " +
         figures + "." + changes_elsewhere(changes);
}

/// The difference of the times, relative to the time before. Absent if the time before is 0, or if
/// the time after is known only to be shorter than the time that one sample stands for.
std::optional<double> relative_change(const Change& change) {
  const bool is_bound = change.after.value_s == 0 && change.after.one_sample_s;
  if (is_no_time(change.before.value_s) || is_bound) return std::nullopt;
  return change.after.value_s / change.before.value_s - 1;
}

/// Whether both times are known to be 0, not only shorter than the time of one sample.
bool has_no_time(const Change& change) {
  return is_no_time(change.before.value_s) && is_no_time(change.after.value_s) &&
         !change.before.one_sample_s && !change.after.one_sample_s;
}

/// Names of the kernels of `here` that are in none of the pairs.
std::vector<std::string> unpaired(const Model& here, const std::vector<KernelPair>& pairs) {
  std::vector<std::string> names;
  for (const KernelModel& kernel : here.kernels)
    if (kernel.role != KernelRole::kRest && !is_in(pairs, kernel)) names.push_back(kernel.name);
  return names;
}

/// The kernels whose source file was renamed: "stencil (solver.c before, solver2.c after)".
std::vector<std::string> renamed(const std::vector<KernelPair>& pairs) {
  std::vector<std::string> list;
  for (const auto& [before, after] : pairs)
    if (before->id.source != after->id.source && !before->id.source.empty() &&
        !after->id.source.empty())
      list.push_back(before->name + " (" + before->id.source + " before, " + after->id.source +
                     " after)");
  return list;
}

}  // namespace

std::optional<double> chance_of(const Sample& before, const Sample& after) {
  if (before.repetitions < 2 || after.repetitions < 2) return std::nullopt;
  const bool is_new = before.value_s <= 0;
  if (is_new && after.value_s <= 0) return std::nullopt;
  if (is_new || after.value_s <= 0) {
    if ((is_new ? before : after).one_sample_s) return std::nullopt;
    return chance_beside_zero(is_new ? after : before);
  }
  const double distance = std::abs(std::log(after.value_s / before.value_s));
  const double a = before.rel_sigma * before.rel_sigma / before.repetitions;
  const double b = after.rel_sigma * after.rel_sigma / after.repetitions;
  if (a + b <= 0) return distance > 0 ? 0.0 : 1.0;  // times without noise
  const double degrees =
      (a + b) * (a + b) / (a * a / (before.repetitions - 1) + b * b / (after.repetitions - 1));
  return two_sided(distance / std::sqrt(a + b), degrees);
}

std::vector<Change> compare(const Model& before, const Model& after,
                            const DifferenceOptions& options) {
  std::vector<Change> changes;
  const std::vector<Comparable> quantities = common_quantities(before, after);
  for (const ModelPoint& b : before.points)
    for (const ModelPoint& a : after.points) {
      if (a.procs != b.procs || a.params != b.params) continue;
      changes.push_back(change_of(b, "elapsed", false, {b.elapsed_s, b.rel_sigma, b.repetitions},
                                  {a.elapsed_s, a.rel_sigma, a.repetitions}));
      for (const Comparable& quantity : quantities) {
        auto was = sample_at(quantity.before, b.procs, b.work);
        auto is = sample_at(quantity.after, a.procs, a.work);
        if (!was || !is) continue;
        if (quantity.is_kernel && quantity.part.empty()) {
          was->one_sample_s = b.parts.one_sample_s();
          is->one_sample_s = a.parts.one_sample_s();
        }
        Change change = change_of(b, quantity.what, quantity.is_kernel, *was, *is);
        change.part = quantity.part;
        // A time of computation or memory has no p-value, because it is calculated by the model and
        // not measured.
        if (change.part == "comp" || change.part == "mem") change.chance.reset();
        changes.push_back(std::move(change));
      }
    }
  if (changes.empty())
    throw InputError("", "the two have no process count and size in common", "record both alike",
                     ExitCode::kNotEnoughData);
  decide(options, &changes);
  std::stable_sort(changes.begin(), changes.end(), [](const Change& x, const Change& y) {
    return std::tuple(x.procs, x.work, x.what != "elapsed", -std::abs(x.difference_s)) <
           std::tuple(y.procs, y.work, y.what != "elapsed", -std::abs(y.difference_s));
  });
  return changes;
}

Report make_difference_report(const Model& before, const Model& after,
                              const std::vector<Change>& changes) {
  Report report;
  report.title = "Difference of " + before.program;
  report.headline = headline_of(changes);
  if (before.program != after.program)
    report.warnings.push_back("two programs, " + before.program + " and " + after.program +
                              ": only parts with the same name are compared");
  const std::vector<KernelPair> pairs = common_kernels(before, after);
  if (const std::vector<std::string> list = renamed(pairs); !list.empty())
    report.reasons.push_back("Compared though the source has another name: " + join_list(list) +
                             ".");
  for (const auto& [names, words] : {std::pair(unpaired(before, pairs), "only before"),
                                     std::pair(unpaired(after, pairs), "only after")})
    if (!names.empty())
      report.reasons.push_back("Kernels with their own law " + std::string(words) + ": " +
                               join_list(names) + ".");
  ReportTable table{.id = "changes"};
  table.caption =
      "Seconds per process; chance: probability of so large a difference if nothing changed; *: "
      "significant. Computation and memory are a kernel's measured time as the model divides it; "
      "its messages and waiting are beside that time";
  table.columns = {{"procs", "processes", Quantity::kProcs},
                   {"what", "what", Quantity::kText, Source::kNone, false, true},
                   {"before", "before", Quantity::kSeconds, Source::kMeasured},
                   {"after", "after", Quantity::kSeconds, Source::kMeasured},
                   {"change", "change", Quantity::kChange, Source::kDerived},
                   {"share", "of elapsed", Quantity::kChange, Source::kDerived},
                   {"chance", "chance", Quantity::kShare, Source::kDerived},
                   {"significant", "", Quantity::kText, Source::kDerived}};
  std::set<std::string> shown;
  for (const Change& c : changes) {
    if (has_no_time(c)) continue;
    shown.insert(c.what);
    table.rows.push_back({.cells = {number_cell(c.procs), text_cell(c.what),
                                    sampled_cell(c.before.value_s, c.before.one_sample_s),
                                    sampled_cell(c.after.value_s, c.after.one_sample_s),
                                    number_cell(relative_change(c)), number_cell(c.share),
                                    number_cell(c.chance), text_cell(c.is_significant ? "*" : "")},
                          .emphasised = c.is_significant});
  }
  std::vector<std::string> nothing;
  for (const Change& c : changes)
    if (shown.insert(c.what).second) nothing.push_back(c.what);
  ReportSection section{.id = "changes", .title = "Changes"};
  if (!nothing.empty())
    section.sentences.push_back("No time before or after: " + join_list(nothing) + ".");
  section.tables.push_back(std::move(table));
  report.sections.push_back(std::move(section));
  return report;
}

Json to_json(const std::vector<Change>& changes, const std::vector<std::string>& warnings) {
  Json list = Json::array();
  for (const Change& c : changes)
    list.push_back({{"procs", c.procs},
                    {"work", c.work},
                    {"what", c.what},
                    {"kernel", c.is_kernel},
                    {"part", c.part.empty() ? Json() : Json(c.part)},
                    {"before_s", c.before.value_s},
                    {"after_s", c.after.value_s},
                    {"repetitions_before", c.before.repetitions},
                    {"repetitions_after", c.after.repetitions},
                    {"share_of_elapsed", c.share},
                    {"chance", json_or_null(c.chance)},
                    {"significant", c.is_significant},
                    {"warnings", warnings}});
  return list;
}

}  // namespace apmt
