#include "reports/difference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "base/input_error.h"
#include "reports/comparable.h"
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
  const FitPoint* const p = point_at(points, procs, work);
  if (p == nullptr) return std::nullopt;
  return Sample{p->value, p->rel_sigma, p->repetitions};
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
  if (const bool is_before = lacks_waiting_and_ends(before);
      is_before != lacks_waiting_and_ends(after))
    report.warnings.push_back(
        std::string("the times ") + (is_before ? "before" : "after") +
        " were imported: they tell neither waiting from messages and collectives, which are "
        "compared together, nor the start and end of the program and time off the CPU, which are "
        "not "
        "compared");
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
