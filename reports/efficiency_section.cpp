#include "reports/numbers.h"
#include "reports/sections.h"
#include "reports/vocabulary.h"

namespace apmt {
namespace {

/// What the efficiencies are made of: seconds per process between MPI_Init and MPI_Finalize.
struct Ingredients {
  int procs = 0;
  double work = 0;
  double compute_s = 0;
  std::optional<double> runtime_s;  // absent where communication is not known
  std::optional<double> load_balance;
};

std::optional<Ingredients> measured_at(const ModelPoint& point) {
  if (!point.parts.comp_s) return std::nullopt;
  Ingredients x{point.procs, point.work, point.parts.comp_s->value, {}, point.load_balance};
  const MeasuredParts& parts = point.parts;
  if (!parts.comm_p2p_s || !parts.comm_coll_s) return x;
  double runtime = x.compute_s + parts.comm_p2p_s->value + parts.comm_coll_s->value;
  if (parts.comm_wait_s) runtime += parts.comm_wait_s->value;
  if (parts.comm_other_s) runtime += parts.comm_other_s->value;
  if (parts.off_cpu_s) runtime += parts.off_cpu_s->value;
  x.runtime_s = runtime;
  return x;
}

std::optional<Ingredients> predicted_at(const Model& model, const Prediction& p) {
  const std::optional<double> work = work_at(model, p);
  if (!p.parts.comp || !work) return std::nullopt;
  Ingredients x{p.procs, *work, p.parts.comp->time_s, {}, {}};
  if (p.parts.mem) x.compute_s += p.parts.mem->time_s;
  if (!p.missing.empty()) return x;
  x.runtime_s = p.time.time_s - (p.parts.others ? p.parts.others->time_s : 0);
  return x;
}

ReportRow row_of(const Ingredients& x, const Ingredients& reference, bool is_predicted) {
  const auto per_work = [](const Ingredients& i) { return i.compute_s * i.procs / i.work; };
  const double scaling = per_work(x) > 0 ? per_work(reference) / per_work(x) : 0;
  std::optional<double> parallel;
  if (x.runtime_s && *x.runtime_s > 0) parallel = x.compute_s / *x.runtime_s;
  std::optional<double> transfer;
  if (parallel && x.load_balance && *x.load_balance > 0)
    transfer = std::min(1.0, *parallel / *x.load_balance);
  const auto cell = [&](std::optional<double> value) {
    return from(is_predicted ? Source::kExtrapolated : Source::kDerived, number_cell(value));
  };
  return {.cells = {number_cell(x.procs), text_cell(is_predicted ? "predicted" : "measured"),
                    cell(parallel ? std::optional(*parallel * scaling) : std::nullopt),
                    cell(parallel), cell(x.load_balance), cell(transfer), cell(scaling)}};
}

}  // namespace

OptionalSection efficiency_section(const Model& model, const std::vector<Prediction>& predictions) {
  std::optional<Ingredients> reference;
  ReportTable table{.id = "efficiency"};
  for (const ModelPoint& point : model.points) {
    const std::optional<Ingredients> x = measured_at(point);
    if (!x || x->compute_s <= 0 || x->work <= 0) continue;
    if (!reference) reference = x;
    table.rows.push_back(row_of(*x, *reference, false));
  }
  if (!reference) return std::nullopt;
  for (const Prediction& prediction : predictions) {
    if (prediction.procs <= model.max_procs()) continue;
    const std::optional<Ingredients> x = predicted_at(model, prediction);
    if (x && x->compute_s > 0) table.rows.push_back(row_of(*x, *reference, true));
  }
  table.caption =
      "Global = parallel x computation scaling; parallel = load balance x communication; "
      "between MPI_Init and MPI_Finalize";
  table.columns = {{"procs", "processes", Quantity::kProcs},
                   {"from", "", Quantity::kText},
                   {"global", "global", Quantity::kShare, Source::kDerived},
                   {"parallel", "parallel", Quantity::kShare, Source::kDerived},
                   {"load_balance", "load balance", Quantity::kShare, Source::kDerived},
                   {"communication", "communication", Quantity::kShare, Source::kDerived},
                   {"computation", "computation scaling", Quantity::kShare, Source::kDerived}};
  ReportSection section{.id = "efficiency", .title = "Efficiencies"};
  section.sentences.push_back(
      "As the POP centre defines them: parallel is the share of the run spent computing, load "
      "balance "
      "the mean over the largest compute time, communication what waiting and transfer leave, "
      "computation scaling the total compute time of " +
      processes(reference->procs) + " over that here, for the same work.");
  section.tables.push_back(std::move(table));
  return section;
}

}  // namespace apmt
