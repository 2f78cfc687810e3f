#include <algorithm>
#include <cmath>
#include <map>

#include "reports/numbers.h"
#include "reports/sections.h"
#include "reports/sentences.h"
#include "reports/vocabulary.h"
#include "reports/words.h"

namespace apmt {
namespace {

constexpr double kLikely = 0.5;         // unit costs of a less probable family are not shown
constexpr double kLeastEnd = 0.01;      // share of the run below which its end is not explained
constexpr double kLeastOfCause = 0.05;  // causes of a smaller share of the waiting are not shown

std::string law_text(const CountLaw& law) {
  if (law.hypotheses.empty()) return {};
  const std::string more = law.hypotheses.size() > 1
                               ? " (likeliest of " + std::to_string(law.hypotheses.size()) + ")"
                               : std::string();
  return law.hypotheses.front().formula() + more;
}

/// The unit costs in the likeliest family of laws: "Point-to-point, as counts times unit costs
/// (...): 2.1 us per message (MPI_Isend) and 0.31 ns per byte (...)." Empty if this family is
/// less likely than not.
std::string unit_costs(const CommModel& comm) {
  if (!comm.law || comm.law->families.empty()) return {};
  const CountFamily& family =
      *std::max_element(comm.law->families.begin(), comm.law->families.end(),
                        [](const auto& a, const auto& b) { return a.posterior < b.posterior; });
  if (family.posterior < kLikely) return {};
  std::vector<std::string> costs;
  for (const Feature& feature : family.features) {
    if (!feature.costs_something()) continue;
    const bool per = feature.unit.starts_with("s/");
    const std::string error =
        feature.cost_ln_sd ? " +- " + error_words(*feature.cost_ln_sd) : std::string();
    costs.push_back(format_seconds(feature.cost) + error + " per " +
                    (per ? feature.unit.substr(2) : feature.unit) + " (" + feature.of + ")");
  }
  if (costs.empty()) return {};
  return std::string(comm.part == "p2p"    ? "Point-to-point"
                     : comm.part == "coll" ? "Collectives"
                                           : "Other MPI") +
         (comm.group.empty() ? "" : " (" + comm.group + ")") + ", as counts times unit costs (" +
         family.name + ", probability " + format_share(family.posterior) +
         "): " + join_list(costs) + ".";
}

/// The share of a feature in the time at the last point of its law.
double share_of(const Feature& feature, const TimeLaw& law) {
  const FitPoint& last = law.points.back();
  return feature.cost * feature.at_point(law.points.size() - 1, last.procs, last.work) / last.value;
}

/// The entry with the largest value.
const std::pair<const std::string, double>& likeliest_of(
    const std::map<std::string, double>& probabilities) {
  return *std::max_element(probabilities.begin(), probabilities.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
}

/// The causes of waiting (`what`), if they explain it more likely than not: "Waiting is explained
/// by 1.1 times what the busiest process computes beyond the mean and 12 ms of random delays
/// (probability 71 %)." Families with the same second feature, such as random delays, are one
/// explanation, and their probabilities are added. If the busiest process is among the causes
/// shown, also says why it has more to do, provided that one reason is at least as likely as all
/// others together. The reason is the name of a family of laws.
std::string causes_of_waiting(const std::string& what, const std::optional<TimeLaw>& law) {
  if (!law || law->families.empty()) return {};
  std::map<std::string, double> of_explanations;
  for (const CountFamily& family : law->families)
    of_explanations[family.features.back().of] += family.posterior;
  const auto& [explanation, probability] = likeliest_of(of_explanations);
  if (probability < kLikely) return {};
  std::map<std::string, double> of_reasons;
  const CountFamily* likeliest = nullptr;
  for (const CountFamily& family : law->families) {
    if (family.features.back().of != explanation) continue;
    of_reasons[family.name] += family.posterior;
    if (!likeliest || family.posterior > likeliest->posterior) likeliest = &family;
  }
  std::vector<std::string> causes;
  bool is_uneven = false;
  for (const Feature& cause : likeliest->features) {
    if (share_of(cause, *law) < kLeastOfCause) continue;
    const bool is_time = cause.unit == "s";
    is_uneven = is_uneven || !is_time;
    causes.push_back(is_time ? format_seconds(cause.cost) + " of " + cause.of
                             : format_significant(cause.cost, 2) + " times " + cause.of);
  }
  if (causes.empty()) return {};
  const std::string sentence = what + " is explained by " + join_list(causes) + " (probability " +
                               format_share(probability) + ").";
  const auto& [reason, of_all] = likeliest_of(of_reasons);
  const double of_reason = of_all / probability;
  if (!is_uneven || of_reason < kLikely) return sentence;
  return sentence + " The busiest process most likely has more to do because of " + reason + " (" +
         format_share(of_reason) + ").";
}

bool any_counted(const std::vector<FitPoint>& points) {
  return std::any_of(points.begin(), points.end(), [](const FitPoint& p) { return p.value > 0; });
}

/// A row per operation: its measured count, the law of this count, and the predicted count at the
/// target.
ReportTable counts_table(const Model& model, const Prediction* target, Quantity quantity) {
  const bool bytes = quantity == Quantity::kBytes;
  const int largest = model.max_procs();
  const std::optional<double> known_work = target ? work_at(model, *target) : std::nullopt;
  const bool has_work = known_work.has_value();
  const double work = known_work.value_or(1);
  const auto words = [&](double v) { return bytes ? format_bytes(v) : format_count(v); };
  ReportTable table{.id = bytes ? "bytes" : "calls"};
  table.caption =
      std::string(bytes ? "Bytes sent or contributed, or received by operations that only receive"
                        : "Calls") +
      ", all processes together; P: processes" +
      (model.work.empty() ? std::string() : ", D: " + model.work);
  if (const std::string sizes = measured_sizes_words(model); !sizes.empty())
    table.caption += "; " + sizes;
  table.columns = {
      {"operation", "operation", Quantity::kText, Source::kNone, false, true},
      {"measured", "at " + std::to_string(largest), quantity, Source::kMeasured},
      {"law", "follows", Quantity::kText, Source::kFitted, false, true, true},
  };
  if (has_work) {
    table.columns.push_back({"predicted", "at " + std::to_string(target->procs), quantity,
                             predicted_source(model, *target)});
  }
  for (const CountModel& count : model.counts) {
    const std::vector<FitPoint>& points = bytes ? count.bytes_points : count.calls_points;
    const CountLaw& law = bytes ? count.bytes : count.calls;
    if (!any_counted(points)) continue;
    ReportRow row{.cells = {text_cell(count.op), number_cell(value_at(points, largest)),
                            text_cell(law_text(law))}};
    if (has_work && law.hypotheses.empty()) row.cells.emplace_back();
    if (has_work && !law.hypotheses.empty()) {
      ReportCell cell = number_cell(law.value(target->procs, work));
      const std::string low = words(law.low(target->procs, work));
      const std::string high = words(law.high(target->procs, work));
      if (low != high) cell.text = low + " to " + high;
      row.cells.push_back(cell);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Sentences about disturbances of the runs. If several differ only in their numbers, only the
/// first is shown, with the number of the others.
std::vector<std::string> said_once(const Experiment& experiment) {
  std::vector<std::string> list;
  std::map<std::string, std::pair<std::size_t, int>> places;  // index of the first, how many more
  for (const RunProfile& run : experiment.runs)
    for (std::string& sentence : health_sentences(run)) {
      std::string kind = sentence;
      std::erase_if(kind, [](char c) { return c >= '0' && c <= '9'; });
      const auto [place, is_new] = places.try_emplace(kind, list.size(), 0);
      if (is_new)
        list.push_back(std::move(sentence));
      else
        ++place->second.second;
    }
  for (const auto& [kind, place] : places)
    if (place.second > 0)
      list[place.first] += " The same, with other numbers, applies to " +
                           plural(place.second, "other run", "other runs") + ".";
  return list;
}

}  // namespace

OptionalSection communication_section(const Model& model, const Prediction* target) {
  ReportSection section{.id = "communication", .title = "Communication"};
  for (const Quantity quantity : {Quantity::kCount, Quantity::kBytes}) {
    ReportTable table = counts_table(model, target, quantity);
    if (!table.rows.empty()) section.tables.push_back(std::move(table));
  }
  if (section.tables.empty()) return std::nullopt;
  const std::string crowded = oversubscribed_words(model);
  if (!crowded.empty()) {
    section.sentences.push_back(capitalised(crowded) +
                                " had more ranks than cores: counts are valid, time inside MPI is "
                                "not.");
  }
  for (const CommModel& comm : model.comm) {
    const std::string costs =
        comm.part != "wait"
            ? unit_costs(comm)
            : causes_of_waiting("Waiting" + (comm.group.empty() ? "" : " in " + comm.group),
                                comm.law);
    if (!costs.empty()) section.sentences.push_back(costs);
  }
  const ModelPoint& largest = model.points.back();
  if (largest.parts.end_s && largest.parts.end_s->value > kLeastEnd * largest.elapsed_s) {
    const std::string causes = causes_of_waiting("The time in MPI_Finalize", model.end.law);
    if (!causes.empty()) section.sentences.push_back(causes);
  }
  return section;
}

OptionalSection trust_section(const Model& model, const Prediction* target) {
  const Backtest& backtest = target ? target->backtest : model.backtest;
  ReportSection section{.id = "trust", .title = "Back-test and reference models"};
  const std::string sentence = backtest_sentence(model, backtest);
  if (!sentence.empty()) section.sentences.push_back(sentence);
  ReportTable table{.id = "baselines"};
  table.columns = {{"model", "model", Quantity::kText},
                   {"formula", "formula", Quantity::kText, Source::kNone, false, true, true}};
  if (backtest.possible) {
    table.columns.push_back({"backtest_error", "back-test at " + std::to_string(backtest.procs),
                             Quantity::kChange, Source::kDerived});
  }
  if (target) {
    table.columns.push_back({"time", "predicts for " + std::to_string(target->procs),
                             Quantity::kSeconds, predicted_source(model, *target)});
  }
  ReportRow own{.cells = {text_cell("apmt"), text_cell("the sum of its kernels and parts")},
                .emphasised = true};
  if (backtest.possible) own.cells.push_back(number_cell(backtest.error));
  if (target) own.cells.push_back(time_cell(target->time));
  table.rows.push_back(std::move(own));
  for (const Baseline& baseline : model.baselines) {
    ReportRow row{.cells = {text_cell(baseline.name), text_cell(baseline.formula)}};
    if (backtest.possible) {
      const auto error = backtest.baseline_errors.find(baseline.name);
      row.cells.push_back(error == backtest.baseline_errors.end() ? ReportCell{}
                                                                  : number_cell(error->second));
    }
    if (target) {
      const auto time = target->baselines_s.find(baseline.name);
      row.cells.push_back(time == target->baselines_s.end() ? ReportCell{}
                                                            : number_cell(time->second));
    }
    table.rows.push_back(std::move(row));
  }
  const bool says_something = table.columns.size() > 2 && !model.baselines.empty();
  if (says_something) section.tables.push_back(std::move(table));
  if (section.sentences.empty() && section.tables.empty()) return std::nullopt;
  return section;
}

OptionalSection points_section(const Model& model, const Experiment* experiment) {
  if (model.points.empty()) return std::nullopt;
  ReportTable table{.id = "points"};
  const bool sized = model.scaling == Scaling::kWeak || model.scaling == Scaling::kMixed;
  const bool spread = std::any_of(model.points.begin(), model.points.end(),
                                  [](const auto& p) { return p.rel_sigma > 0; });
  const bool crowded = std::any_of(model.points.begin(), model.points.end(),
                                   [](const auto& p) { return p.oversubscribed; });
  table.columns = {{"procs", "processes", Quantity::kProcs}};
  if (sized) table.columns.push_back({"sizes", "sizes", Quantity::kText});
  table.columns.push_back({"runs", "runs", Quantity::kCount, Source::kMeasured});
  table.columns.push_back({"elapsed", "elapsed", Quantity::kSeconds, Source::kMeasured});
  if (spread) table.columns.push_back({"spread", "spread", Quantity::kShare, Source::kMeasured});
  table.columns.push_back({"fit_error", "fit error", Quantity::kChange, Source::kDerived});
  table.columns.push_back({"coverage", "coverage", Quantity::kShare, Source::kMeasured});
  table.columns.push_back({"closure", "unexplained", Quantity::kChange, Source::kDerived});
  table.columns.push_back({"load_balance", "load balance", Quantity::kShare, Source::kMeasured});
  if (crowded) table.columns.push_back({"cores", "cores", Quantity::kText, Source::kMeasured});
  bool partial = false;
  for (const ModelPoint& point : model.points) {
    const bool closed = point.parts.comp_s && point.parts.comm_p2p_s && point.parts.comm_coll_s;
    partial = partial || !closed;
    ReportRow row;
    row.cells.push_back(number_cell(point.procs));
    if (sized) row.cells.push_back(text_cell(params_words(point.params)));
    row.cells.push_back(number_cell(point.repetitions));
    row.cells.push_back(number_cell(point.elapsed_s));
    if (spread) {
      row.cells.push_back(
          number_cell(point.rel_sigma > 0 ? std::optional(point.rel_sigma) : std::nullopt));
    }
    row.cells.push_back(number_cell(point.complete && point.known_s > 0
                                        ? std::optional(point.fitted_s / point.known_s - 1)
                                        : std::nullopt));
    row.cells.push_back(number_cell(point.coverage));
    row.cells.push_back(number_cell(closed && point.elapsed_s > 0
                                        ? std::optional(point.parts.closure_s / point.elapsed_s)
                                        : std::nullopt));
    row.cells.push_back(number_cell(point.load_balance));
    if (crowded) row.cells.push_back(text_cell(point.oversubscribed ? "shared" : "own"));
    table.rows.push_back(std::move(row));
  }
  ReportSection section{.id = "measurement", .title = "What was measured"};
  table.caption =
      "Coverage: share of compute time in kernels that have their own law; unexplained: "
      "elapsed time in none of the measured parts" +
      std::string(partial ? ", unknown where the time inside MPI is unknown" : "");
  section.tables.push_back(std::move(table));
  if (experiment == nullptr) return section;
  section.sentences = said_once(*experiment);
  return section;
}

}  // namespace apmt
