#include <algorithm>

#include "reports/numbers.h"
#include "reports/sections.h"
#include "reports/vocabulary.h"

namespace apmt {
namespace {

/// The times from which the efficiencies are calculated: seconds per process between MPI_Init and
/// MPI_Finalize.
struct Ingredients {
  int procs = 0;
  double work = 0;
  double compute_s = 0;
  std::optional<double> runtime_s;   // absent where communication is not known
  std::optional<double> transfer_s;  // MPI without waiting; absent if waiting was not measured
  std::optional<double> load_balance;
};

std::optional<Ingredients> measured_at(const ModelPoint& point) {
  if (!point.parts.comp_s) return std::nullopt;
  Ingredients x{point.procs, point.work, point.parts.comp_s->value, {}, {}, point.load_balance};
  const MeasuredParts& parts = point.parts;
  if (!parts.comm_p2p_s || !parts.comm_coll_s) return x;
  double transfer = parts.comm_p2p_s->value + parts.comm_coll_s->value;
  if (parts.comm_other_s) transfer += parts.comm_other_s->value;
  double runtime = x.compute_s + transfer;
  if (parts.comm_wait_s) {
    runtime += parts.comm_wait_s->value;
    x.transfer_s = transfer;
  }
  if (parts.off_cpu_s) runtime += parts.off_cpu_s->value;
  x.runtime_s = runtime;
  return x;
}

std::optional<Ingredients> predicted_at(const Model& model, const Prediction& p) {
  const std::optional<double> work = work_at(model, p);
  if (!p.parts.comp || !work) return std::nullopt;
  Ingredients x{p.procs, *work, p.parts.comp->time_s, {}, {}, {}};
  if (p.parts.mem) x.compute_s += p.parts.mem->time_s;
  if (!p.missing.empty()) return x;
  x.runtime_s = p.time.time_s;
  for (const auto* part : {&p.parts.start, &p.parts.end})
    if (*part) x.runtime_s = *x.runtime_s - (*part)->time_s;
  if (!p.parts.comm_wait) return x;
  x.transfer_s = 0;
  for (const auto* part : {&p.parts.comm_p2p, &p.parts.comm_coll, &p.parts.comm_other})
    if (*part) *x.transfer_s += (*part)->time_s;
  return x;
}

/// The efficiencies at one process count; absent where unknown. If an efficiency has a comment, it
/// is the product of the two efficiencies in this comment.
struct Shares {
  int procs = 0;
  bool is_predicted = false;
  std::optional<double> global;    // parallel x computation
  std::optional<double> parallel;  // load balance x communication
  std::optional<double> load_balance;
  std::optional<double> communication;  // serialisation x transfer
  std::optional<double> serialisation;
  std::optional<double> transfer;
  std::optional<double> computation;
};

struct Level {
  const char* id;
  const char* title;
  int depth;
  std::optional<double> Shares::*share;
  bool only_where_known;  // show a column or row only if one of its values is known
};
constexpr Level kLevels[] = {
    {"global", "global", 0, &Shares::global, false},
    {"parallel", "parallel", 1, &Shares::parallel, false},
    {"load_balance", "load balance", 2, &Shares::load_balance, false},
    {"communication", "communication", 2, &Shares::communication, false},
    {"serialisation", "serialisation", 3, &Shares::serialisation, true},
    {"transfer", "transfer", 3, &Shares::transfer, true},
    {"computation", "computation scaling", 1, &Shares::computation, false},
};

std::optional<double> ratio(std::optional<double> part, std::optional<double> whole) {
  if (!part || !whole || *whole <= 0) return std::nullopt;
  return std::min(1.0, *part / *whole);
}

Shares shares_of(const Ingredients& x, const Ingredients& reference, bool is_predicted) {
  const auto per_work = [](const Ingredients& i) { return i.compute_s * i.procs / i.work; };
  Shares e;
  e.procs = x.procs;
  e.is_predicted = is_predicted;
  e.computation = per_work(x) > 0 ? per_work(reference) / per_work(x) : 0;
  if (x.runtime_s && *x.runtime_s > 0) e.parallel = x.compute_s / *x.runtime_s;
  if (e.parallel) e.global = *e.parallel * *e.computation;
  e.load_balance = x.load_balance;
  e.communication = ratio(e.parallel, x.load_balance);
  if (e.parallel && x.transfer_s) e.transfer = std::max(0.0, 1 - *x.transfer_s / *x.runtime_s);
  e.serialisation = ratio(e.communication, e.transfer);
  return e;
}

std::vector<Level> known_levels(const std::vector<Shares>& all) {
  std::vector<Level> levels;
  for (const Level& level : kLevels)
    if (!level.only_where_known || std::any_of(all.begin(), all.end(), [&](const auto& e) {
          return (e.*level.share).has_value();
        }))
      levels.push_back(level);
  return levels;
}

ReportTable table_of(const std::vector<Shares>& all) {
  ReportTable table{.id = "efficiency", .repeats_chart = true};
  table.caption =
      "Global = parallel x computation scaling; parallel = load balance x communication; "
      "between MPI_Init and MPI_Finalize";
  table.columns = {{"procs", "processes", Quantity::kProcs}, {"from", "", Quantity::kText}};
  const std::vector<Level> levels = known_levels(all);
  for (const Level& level : levels)
    table.columns.push_back({level.id, level.title, Quantity::kShare, Source::kDerived});
  for (const Shares& e : all) {
    ReportRow row{
        .cells = {number_cell(e.procs), text_cell(e.is_predicted ? "predicted" : "measured")}};
    for (const Level& level : levels)
      row.cells.push_back(from(e.is_predicted ? Source::kExtrapolated : Source::kDerived,
                               number_cell(e.*level.share)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

EfficiencyTree tree_of(const std::vector<Shares>& all) {
  EfficiencyTree tree;
  tree.description = "Efficiencies, each the product of those one step further in";
  for (const Shares& e : all) tree.columns.push_back({e.procs, !e.is_predicted});
  for (const Level& level : known_levels(all)) {
    EfficiencyTree::Node node{level.title, level.depth, {}};
    for (const Shares& e : all) node.shares.push_back(e.*level.share);
    tree.nodes.push_back(std::move(node));
  }
  return tree;
}

}  // namespace

OptionalSection efficiency_section(const Model& model, const std::vector<Prediction>& predictions) {
  if (knows_only_wholes(model)) return std::nullopt;
  std::optional<Ingredients> reference;
  std::vector<Shares> all;
  for (const ModelPoint& point : model.points) {
    const std::optional<Ingredients> x = measured_at(point);
    if (!x || x->compute_s <= 0 || x->work <= 0) continue;
    if (!reference) reference = x;
    all.push_back(shares_of(*x, *reference, false));
  }
  if (!reference) return std::nullopt;
  for (const Prediction& prediction : predictions) {
    if (prediction.procs <= model.max_procs()) continue;
    const std::optional<Ingredients> x = predicted_at(model, prediction);
    if (x && x->compute_s > 0) all.push_back(shares_of(*x, *reference, true));
  }
  ReportSection section{.id = "efficiency", .title = "Efficiencies"};
  section.sentences.push_back(
      "As defined by the POP centre: parallel is the share of the run spent computing; load "
      "balance "
      "is the mean over the largest compute time; communication is what waiting and transfer "
      "leave; "
      "computation scaling is the total compute time of " +
      processes(reference->procs) + " over that of each count, for the same work.");
  const bool split = std::any_of(all.begin(), all.end(), [](const auto& e) { return e.transfer; });
  if (split)
    section.sentences.push_back(
        "Communication is serialisation (waiting for other processes, and time off the CPU) times "
        "transfer (the share of the run that is not spent moving messages).");
  section.tables.push_back(table_of(all));
  section.efficiency_tree = tree_of(all);
  return section;
}

}  // namespace apmt
