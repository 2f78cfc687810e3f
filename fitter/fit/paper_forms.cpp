#include "fitter/fit/paper_forms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

#include "fitter/model/model_parts.h"
#include "fitter/numeric/small_least_squares.h"

namespace apmt {
namespace {

/// c0 + c1 * x^i * log2(x)^j; x = P, or D/P if sizes vary.
struct Shape {
  double exponent;
  int log2_power;
};
constexpr std::array<Shape, 9> kShapes = {
    {{-1, 0}, {1, 0}, {0, 1}, {-0.5, 0}, {0.5, 0}, {-2, 0}, {2, 0}, {-1, 1}, {1, 1}}};

double value(const std::vector<LawTerm>& terms, const FitPoint& p) {
  double sum = 0;
  for (const LawTerm& t : terms) sum += t.value(p.procs, p.work);
  return sum;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

/// 1 - SS_res / SS_tot; 1 if all values are equal.
double r_squared(const std::vector<LawTerm>& terms, const std::vector<FitPoint>& points) {
  std::vector<double> values;
  for (const FitPoint& p : points) values.push_back(p.value);
  const double mean = mean_of(values);
  double residual = 0;
  double total = 0;
  for (const FitPoint& p : points) {
    residual += (p.value - value(terms, p)) * (p.value - value(terms, p));
    total += (p.value - mean) * (p.value - mean);
  }
  return total > 0 ? 1 - residual / total : 1;
}

Hypothesis law_of_terms(std::vector<LawTerm> terms, const std::vector<FitPoint>& points) {
  Hypothesis h;
  std::erase_if(terms, [](const LawTerm& t) { return t.coefficient == 0; });
  h.free_numbers = static_cast<int>(terms.size());
  double sum = 0;
  for (const FitPoint& p : points)
    if (p.value > 0) {
      const double off = value(terms, p) / p.value - 1;
      sum += off * off;
    }
  h.rel_residual = points.empty() ? 0 : std::sqrt(sum / static_cast<double>(points.size()));
  h.terms = std::move(terms);
  return h;
}

/// The form that the paper chooses: a constant and the term with the highest coefficient of
/// determination.
Hypothesis best_by_r_squared(const std::vector<FitPoint>& points) {
  std::vector<double> y;
  std::set<double> procs;
  bool work_varies = false;
  for (const FitPoint& p : points) {
    y.push_back(p.value);
    procs.insert(p.procs);
    work_varies = work_varies || p.work != points.front().work;
  }
  std::vector<LawTerm> best = {{.coefficient = mean_of(y)}};
  if (procs.size() < 2) return law_of_terms(std::move(best), points);
  double highest = r_squared(best, points) + 1e-9;
  for (const Shape& shape : kShapes) {
    LawTerm constant{.coefficient = 1};
    // A law in x = D/P cannot have a logarithm, because LawTerm only has log2(P).
    if (work_varies && shape.log2_power != 0) continue;
    LawTerm term{.coefficient = 1, .p_exponent = shape.exponent, .log2_power = shape.log2_power};
    if (work_varies) term.work_exponent = -shape.exponent;
    std::vector<double> column;
    for (const FitPoint& p : points) column.push_back(term.value(p.procs, p.work));
    const auto c = solve_least_squares({std::vector<double>(points.size(), 1), column}, y);
    if (!c) continue;
    constant.coefficient = (*c)[0];
    term.coefficient = (*c)[1];
    const double r2 = r_squared({constant, term}, points);
    if (r2 > highest + 1e-9) {
      highest = r2;
      best = {term, constant};
    }
  }
  return law_of_terms(std::move(best), points);
}

void multiply(std::vector<LawTerm>* terms, double factor) {
  for (LawTerm& t : *terms) t.coefficient *= factor;
}

/// Divides counts, which are sums over the ranks, by the number of processes, because the paper's
/// forms describe one process.
std::vector<FitPoint> per_process(std::vector<FitPoint> points) {
  for (FitPoint& p : points) p.value /= p.procs;
  return points;
}

/// Fits the coefficients of terms, none of them negative, to the points; residuals are relative.
Hypothesis fit_terms(const std::vector<std::vector<LawTerm>>& features,
                     const std::vector<FitPoint>& points) {
  std::vector<FitPoint> used;
  for (const FitPoint& p : points)
    if (p.value > 0) used.push_back(p);
  std::vector<std::vector<double>> columns;
  for (const auto& feature : features) {
    columns.emplace_back();
    for (const FitPoint& p : used)
      columns.back().push_back(std::max(value(feature, p), 0.0) / p.value);
  }
  std::vector<LawTerm> terms;
  if (!used.empty()) {
    const std::vector<double> c = solve_non_negative(columns, std::vector<double>(used.size(), 1));
    for (std::size_t i = 0; i < c.size(); ++i) {
      std::vector<LawTerm> scaled = features[i];
      multiply(&scaled, c[i]);
      terms.insert(terms.end(), scaled.begin(), scaled.end());
    }
  }
  return law_of_terms(std::move(terms), points);
}

TimeLaw closed_law(const TimeLaw& before, Hypothesis h) {
  TimeLaw law;
  law.kind = TimeLaw::Kind::kExact;
  law.size_rule = before.size_rule;
  law.linear_exponent = before.linear_exponent;
  law.prior = before.prior;
  law.points = before.points;
  law.exact.hypotheses = {std::move(h)};
  return law;
}

const MetricModel* metric(const KernelModel& kernel, const char* name) {
  for (const MetricModel& m : kernel.metrics)
    if (m.metric == name && !m.points.empty()) return &m;
  return nullptr;
}

class PaperForms {
 public:
  explicit PaperForms(Model* model) : m_(*model) {}

  void use() {
    m_.method = kPaperMethod;
    m_.paper_forms.clear();
    for (KernelModel& k : m_.kernels)
      if (k.law.kind != TimeLaw::Kind::kZero) use_kernel(&k);
    for (CommModel& c : m_.comm)
      if (c.law && c.law->kind != TimeLaw::Kind::kZero) use_comm(&c);
    for (auto [part, name] : {std::pair(&m_.off_cpu, "time off the CPU"),
                              {&m_.start, "T_start"},
                              {&m_.end, "T_end"}})
      if (part->law && part->law->kind != TimeLaw::Kind::kZero)
        replace(&*part->law, best_by_r_squared(part->points), name, part->points);
    m_.warnings.emplace_back(
        "the paper's forms have no interval: both ends are the estimate, whatever the error is");
  }

 private:
  void replace(TimeLaw* law, Hypothesis h, const std::string& of,
               const std::vector<FitPoint>& points, const std::string& note = {}) {
    m_.paper_forms.push_back({of, h.formula(), r_squared(h.terms, points), note});
    *law = closed_law(*law, std::move(h));
  }

  void use_kernel(KernelModel* kernel) {
    const MetricModel* instructions = metric(*kernel, "instructions");
    if (instructions == nullptr || instructions->points.size() != kernel->points.size()) {
      replace(&kernel->law, best_by_r_squared(kernel->points), kernel->name, kernel->points);
      return;
    }
    const MetricModel* stalls = metric(*kernel, "stall");
    const MetricModel* cycles = metric(*kernel, "cycles");
    const bool splits = stalls != nullptr && cycles != nullptr &&
                        stalls->points.size() == kernel->points.size() &&
                        cycles->points.size() == kernel->points.size();
    // If cycles were counted, s_per_cycle is 1/f as measured while the kernel ran.
    std::vector<double> cpi;
    std::vector<double> s_per_cycle;
    for (std::size_t i = 0; i < kernel->points.size(); ++i) {
      const FitPoint& p = kernel->points[i];
      const double n = instructions->points[i].value;
      const double seconds = p.value * p.procs;
      if (n <= 0 || seconds <= 0) continue;
      if (!splits) {
        cpi.push_back(seconds / n);
        continue;
      }
      if (cycles->points[i].value <= 0) continue;
      cpi.push_back(std::max(cycles->points[i].value - stalls->points[i].value, 0.0) / n);
      s_per_cycle.push_back(seconds / cycles->points[i].value);
    }
    if (cpi.empty()) {
      replace(&kernel->law, best_by_r_squared(kernel->points), kernel->name, kernel->points);
      return;
    }
    const double mean = mean_of(cpi);
    double ss = 0;
    for (const double c : cpi) ss += (c - mean) * (c - mean);
    const double deviation =
        cpi.size() > 1 ? std::sqrt(ss / static_cast<double>(cpi.size() - 1)) / mean : 0;
    const double s = splits ? mean_of(s_per_cycle) : 1;
    std::vector<LawTerm> terms = best_by_r_squared(per_process(instructions->points)).terms;
    multiply(&terms, mean * s);
    if (splits) {
      std::vector<LawTerm> stalled = best_by_r_squared(per_process(stalls->points)).terms;
      multiply(&stalled, s);
      terms.insert(terms.end(), stalled.begin(), stalled.end());
    }
    char note[96];
    std::snprintf(note, sizeof note, "%s, deviation of %s between runs %.1f %%",
                  splits ? "instructions * CPI_comp + stalls" : "instructions * CPI",
                  splits ? "CPI_comp" : "CPI", 100 * deviation);
    replace(&kernel->law, law_of_terms(std::move(terms), kernel->points), kernel->name,
            kernel->points, note);
  }

  /// Bytes of the part's operations, per process.
  std::vector<LawTerm> volume(const CommModel& comm) const {
    std::vector<LawTerm> terms;
    for (const CountModel& c : m_.counts) {
      if (std::find(comm.ops.begin(), comm.ops.end(), c.op) == comm.ops.end()) continue;
      const std::vector<LawTerm> bytes = best_by_r_squared(per_process(c.bytes_points)).terms;
      terms.insert(terms.end(), bytes.begin(), bytes.end());
    }
    return terms;
  }

  void use_comm(CommModel* comm) {
    const std::string name = comm->part == "p2p"    ? "T_p2p"
                             : comm->part == "coll" ? "T_collective"
                                                    : "MPI " + comm->part;
    const std::vector<LawTerm> bytes = volume(*comm);
    std::vector<std::vector<LawTerm>> features = {{{.coefficient = 1}}};
    if (!bytes.empty()) features.push_back(bytes);
    if (comm->part == "coll") features.push_back({{.coefficient = 1, .log2_power = 1}});
    const bool follows_the_paper = comm->part == "coll" || (comm->part == "p2p" && !bytes.empty());
    if (follows_the_paper)
      replace(&*comm->law, fit_terms(features, comm->points), name, comm->points,
              comm->part == "coll" ? "a log2 P + b s + c" : "a s + b");
    else
      replace(&*comm->law, best_by_r_squared(comm->points), name, comm->points);
    comm->method = "paper";
  }

  Model& m_;
};

}  // namespace

void use_paper_forms(Model* model) { PaperForms(model).use(); }

}  // namespace apmt
