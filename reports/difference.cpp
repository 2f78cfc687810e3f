#include "reports/difference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "base/input_error.h"
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

/// P(|T| > t) of Student's distribution.
double two_sided(double t, double degrees) {
  return incomplete_beta(0.5 * degrees, 0.5, degrees / (degrees + t * t));
}

std::optional<Sample> sample_at(const std::vector<FitPoint>& points, int procs, double work) {
  for (const FitPoint& p : points)
    if (p.procs == procs && std::abs(p.work - work) <= 1e-9 * work)
      return Sample{p.value, p.rel_sigma, p.repetitions};
  return std::nullopt;
}

/// What two models can be compared by, each with its measured points.
struct Comparable {
  std::string what;
  bool is_kernel;
  const std::vector<FitPoint>* before;
  const std::vector<FitPoint>* after;
};

std::vector<Comparable> common_quantities(const Model& before, const Model& after) {
  std::vector<Comparable> list;
  for (const KernelModel& b : before.kernels)
    for (const KernelModel& a : after.kernels) {
      const bool same = b.role == KernelRole::kRest ? a.role == KernelRole::kRest
                                                    : a.role != KernelRole::kRest && a.id == b.id;
      if (same) list.push_back({kernel_title(before, b), true, &b.points, &a.points});
    }
  for (const CommModel& b : before.comm)
    for (const CommModel& a : after.comm)
      if (a.part == b.part)
        list.push_back({part_words("comm_" + b.part), false, &b.points, &a.points});
  list.push_back({part_words("off_cpu"), false, &before.off_cpu.points, &after.off_cpu.points});
  list.push_back({part_words("others"), false, &before.others.points, &after.others.points});
  return list;
}

Change change_of(const ModelPoint& point, std::string what, bool is_kernel, const Sample& before,
                 const Sample& after) {
  Change change{point.procs, point.work, std::move(what), is_kernel, before, after, 0, 0,
                {},          false};
  change.difference_s = after.value_s - before.value_s;
  change.share = point.elapsed_s > 0 ? change.difference_s / point.elapsed_s : 0;
  change.chance = chance_of(before, after);
  return change;
}

/// Holm: the smallest of n chances must be below level / n, the next below level / (n - 1), ...
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
  return change.what + " takes " + format_seconds(std::abs(change.difference_s), 2) +
         (change.difference_s < 0 ? " less" : " more");
}

/// What is said first: the largest process count's elapsed time, and what of it changed.
std::string headline_of(const std::vector<Change>& changes) {
  const Change* elapsed = nullptr;
  for (const Change& change : changes)
    if (change.what == "elapsed" && (elapsed == nullptr || change.procs >= elapsed->procs))
      elapsed = &change;
  if (elapsed == nullptr) return {};
  const std::string figures = format_seconds(elapsed->before.value_s) + " before, " +
                              format_seconds(elapsed->after.value_s) + " after";
  std::string text = "At " + processes(elapsed->procs) + " ";
  const double relative = elapsed->after.value_s / elapsed->before.value_s - 1;
  if (!elapsed->chance)
    text += "the time changed by " + format_change(relative) + ": " + figures +
            "; with a single run on one side this may be chance.";
  else if (elapsed->is_significant)
    text += "it is " + format_share(std::abs(relative)) + (relative > 0 ? " slower" : " faster") +
            ": " + figures + ".";
  else
    text += "no change stands out from the scatter of the repetitions: " + figures + ".";
  const Change* most = nullptr;
  for (const Change& change : changes) {
    if (change.procs != elapsed->procs || change.work != elapsed->work) continue;
    if (change.what == "elapsed" || !change.is_significant) continue;
    if (most == nullptr || std::abs(change.difference_s) > std::abs(most->difference_s))
      most = &change;
  }
  if (most != nullptr) text += " Most of the difference: " + changed_words(*most) + " per process.";
  return text;
}

std::vector<std::string> only_in(const Model& here, const Model& there) {
  std::vector<std::string> names;
  for (const KernelModel& kernel : here.kernels) {
    if (kernel.role == KernelRole::kRest) continue;
    const bool shared = std::any_of(there.kernels.begin(), there.kernels.end(),
                                    [&](const KernelModel& k) { return k.id == kernel.id; });
    if (!shared) names.push_back(kernel.name);
  }
  return names;
}

}  // namespace

std::optional<double> chance_of(const Sample& before, const Sample& after) {
  if (before.repetitions < 2 || after.repetitions < 2) return std::nullopt;
  if (before.value_s <= 0 || after.value_s <= 0) return std::nullopt;
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
        const auto was = sample_at(*quantity.before, b.procs, b.work);
        const auto is = sample_at(*quantity.after, a.procs, a.work);
        if (was && is)
          changes.push_back(change_of(b, quantity.what, quantity.is_kernel, *was, *is));
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
  for (const auto& [names, words] : {std::pair(only_in(before, after), "only before"),
                                     std::pair(only_in(after, before), "only after")})
    if (!names.empty())
      report.reasons.push_back("Kernels with their own law " + std::string(words) + ": " +
                               join_list(names) + ".");
  ReportTable table{.id = "changes"};
  table.caption =
      "Seconds per process; chance: probability of so large a difference if nothing changed; *: "
      "significant";
  table.columns = {{"procs", "processes", Quantity::kProcs},
                   {"what", "what", Quantity::kText, Source::kNone, false, true},
                   {"before", "before", Quantity::kSeconds, Source::kMeasured},
                   {"after", "after", Quantity::kSeconds, Source::kMeasured},
                   {"change", "change", Quantity::kChange, Source::kDerived},
                   {"share", "of elapsed", Quantity::kChange, Source::kDerived},
                   {"chance", "chance", Quantity::kShare, Source::kDerived},
                   {"significant", "", Quantity::kText, Source::kDerived}};
  for (const Change& c : changes)
    table.rows.push_back(
        {.cells = {number_cell(c.procs), text_cell(c.what), number_cell(c.before.value_s),
                   number_cell(c.after.value_s),
                   number_cell(c.before.value_s > 0
                                   ? std::optional(c.after.value_s / c.before.value_s - 1)
                                   : std::nullopt),
                   number_cell(c.share), number_cell(c.chance),
                   text_cell(c.is_significant ? "*" : "")},
         .emphasised = c.is_significant});
  ReportSection section{.id = "changes", .title = "Changes"};
  section.tables.push_back(std::move(table));
  report.sections.push_back(std::move(section));
  return report;
}

Json to_json(const std::vector<Change>& changes) {
  Json list = Json::array();
  for (const Change& c : changes)
    list.push_back({{"procs", c.procs},
                    {"work", c.work},
                    {"what", c.what},
                    {"kernel", c.is_kernel},
                    {"before_s", c.before.value_s},
                    {"after_s", c.after.value_s},
                    {"repetitions_before", c.before.repetitions},
                    {"repetitions_after", c.after.repetitions},
                    {"share_of_elapsed", c.share},
                    {"chance", json_or_null(c.chance)},
                    {"significant", c.is_significant}});
  return list;
}

}  // namespace apmt
