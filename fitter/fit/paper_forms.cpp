#include "fitter/fit/paper_forms.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/mean.h"
#include "base/words.h"
#include "fitter/fit/linear_form.h"
#include "fitter/model/model_parts.h"

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

/// 1 - SS_res / SS_tot; 1 if all values are equal.
double r_squared(const std::vector<LawTerm>& terms, const std::vector<FitPoint>& points) {
  std::vector<double> values;
  for (const FitPoint& p : points) values.push_back(p.value);
  const double centre = mean(values);
  double residual = 0;
  double total = 0;
  for (const FitPoint& p : points) {
    residual += (p.value - value(terms, p)) * (p.value - value(terms, p));
    total += (p.value - centre) * (p.value - centre);
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
  for (const FitPoint& p : points) y.push_back(p.value);
  const bool work_varies = differ(points, &FitPoint::work);
  std::vector<LawTerm> best = {{.coefficient = mean(y)}};
  if (!differ(points, &FitPoint::procs)) return law_of_terms(std::move(best), points);
  double highest = r_squared(best, points) + 1e-9;
  for (const Shape& shape : kShapes) {
    // A law in x = D/P cannot have a logarithm, because LawTerm only has log2(P).
    if (work_varies && shape.log2_power != 0) continue;
    LawTerm term{.coefficient = 1, .p_exponent = shape.exponent, .log2_power = shape.log2_power};
    if (work_varies) term.work_exponent = -shape.exponent;
    std::vector<double> column;
    for (const FitPoint& p : points) column.push_back(term.value(p.procs, p.work));
    const std::vector<double> c =
        fit_form({{{std::vector<double>(points.size(), 1)}, {std::move(column)}}, y});
    const LawTerm constant{.coefficient = c[0]};
    term.coefficient = c[1];
    const double r2 = r_squared({constant, term}, points);
    if (r2 > highest + 1e-9) {
      highest = r2;
      best = {term, constant};
    }
  }
  return law_of_terms(std::move(best), points);
}

/// A count of one process, as a function of P or D/P. Counts are sums over the ranks, but the
/// paper's forms describe one process.
std::vector<LawTerm> form_of(std::vector<FitPoint> counts) {
  for (FitPoint& p : counts) p.value /= p.procs;
  return best_by_r_squared(counts).terms;
}

void add_terms(const std::vector<LawTerm>& terms, double factor, std::vector<LawTerm>* sum) {
  for (LawTerm t : terms) {
    t.coefficient *= factor;
    sum->push_back(t);
  }
}

/// A part of a form: its terms are multiplied by one coefficient, at most `most`, which is fitted.
struct FormPart {
  std::vector<LawTerm> terms;
  double most = INFINITY;
};

/// Fits the coefficients of the parts, none of them negative, to the points; deviations are
/// relative.
std::vector<double> coefficients_of(const std::vector<FormPart>& parts,
                                    const std::vector<FitPoint>& points) {
  LinearForm form;
  for (const FormPart& part : parts)
    form.columns.push_back({.numbers = {}, .least = 0, .most = part.most});
  for (const FitPoint& p : points) {
    if (p.value <= 0) continue;
    form.values.push_back(1);
    for (std::size_t i = 0; i < parts.size(); ++i)
      form.columns[i].numbers.push_back(std::max(value(parts[i].terms, p), 0.0) / p.value);
  }
  return fit_form(form);
}

Hypothesis law_of_parts(const std::vector<FormPart>& parts, const std::vector<double>& coefficients,
                        const std::vector<FitPoint>& points) {
  std::vector<LawTerm> terms;
  for (std::size_t i = 0; i < parts.size(); ++i) add_terms(parts[i].terms, coefficients[i], &terms);
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

/// The metric if it was counted at every point of the kernel.
const MetricModel* counted(const KernelModel& kernel, const char* name) {
  for (const MetricModel& m : kernel.metrics)
    if (m.metric == name && m.points.size() == kernel.points.size()) return &m;
  return nullptr;
}

/// The standard deviation divided by the mean; 0 if it is not known.
double relative_deviation(const std::vector<double>& values) {
  const double centre = mean(values);
  return centre > 0 ? standard_deviation(values) / centre : 0;
}

/// Seconds per cycle, as measured while the kernel ran.
double seconds_per_cycle(const KernelModel& kernel, const MetricModel& cycles) {
  std::vector<double> each;
  for (std::size_t i = 0; i < kernel.points.size(); ++i)
    if (cycles.points[i].value > 0)
      each.push_back(kernel.points[i].value * kernel.points[i].procs / cycles.points[i].value);
  return mean(each);
}

class PaperForms {
 public:
  PaperForms(const MemoryCosts& costs, Model* model) : costs_(costs), m_(*model) {}

  void use() {
    m_.method = kPaperMethod;
    m_.paper_forms.clear();
    for (KernelModel& k : m_.kernels)
      if (k.law.kind != TimeLaw::Kind::kZero) use_kernel(&k);
    for (CommModel& c : m_.comm)
      if (c.law && c.law->kind != TimeLaw::Kind::kZero) use_comm(&c);
    for (auto [part, name] :
         {std::pair(&m_.off_cpu, "time off the CPU"), {&m_.start, "T_start"}, {&m_.end, "T_end"}})
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
    const MetricModel* instructions = counted(*kernel, "instructions");
    if (instructions == nullptr || form_of(instructions->points).empty()) {
      replace(&kernel->law, best_by_r_squared(kernel->points), kernel->name, kernel->points);
      return;
    }
    const MetricModel* stalls = counted(*kernel, "stall");
    const MetricModel* cycles = counted(*kernel, "cycles");
    const std::vector<LawTerm> memory = all_levels_s(*kernel);
    std::string note;
    Hypothesis law =
        stalls != nullptr && cycles != nullptr && seconds_per_cycle(*kernel, *cycles) > 0
            ? from_stalls(*kernel, *instructions, *stalls, *cycles, memory, &note)
        : are_separable(*kernel, form_of(instructions->points), memory)
            ? from_accesses(*kernel, *instructions, memory, &note)
            : from_pace(*kernel, *instructions, &note);
    replace(&kernel->law, std::move(law), kernel->name, kernel->points, note);
  }

  /// instructions * CPI_comp / f + stalls / f.
  static Hypothesis from_stalls(const KernelModel& kernel, const MetricModel& instructions,
                                const MetricModel& stalls, const MetricModel& cycles,
                                const std::vector<LawTerm>& memory, std::string* note) {
    std::vector<double> cpi;
    for (std::size_t i = 0; i < kernel.points.size(); ++i)
      if (instructions.points[i].value > 0 && cycles.points[i].value > 0)
        cpi.push_back(std::max(cycles.points[i].value - stalls.points[i].value, 0.0) /
                      instructions.points[i].value);
    const double s = seconds_per_cycle(kernel, cycles);
    Hypothesis law = law_of_parts({{form_of(instructions.points)}, {form_of(stalls.points)}},
                                  {mean(cpi) * s, s}, kernel.points);
    *note = "instructions * CPI_comp + stalls, deviation of CPI_comp between runs " +
            percent(relative_deviation(cpi), 1);
    const FitPoint& last = kernel.points.back();
    if (const double memory_s = value(memory, last); memory_s > 0)
      *note += ", BF_mem " + brief_number(stalls.points.back().value / last.procs * s / memory_s);
    return law;
  }

  /// instructions * seconds per instruction.
  static Hypothesis from_pace(const KernelModel& kernel, const MetricModel& instructions,
                              std::string* note) {
    std::vector<double> pace;
    for (std::size_t i = 0; i < kernel.points.size(); ++i)
      if (instructions.points[i].value > 0 && kernel.points[i].value > 0)
        pace.push_back(kernel.points[i].value * kernel.points[i].procs /
                       instructions.points[i].value);
    *note =
        "instructions * CPI, deviation of CPI between runs " + percent(relative_deviation(pace), 1);
    return law_of_parts({{form_of(instructions.points)}}, {mean(pace)}, kernel.points);
  }

  /// Whether the times can show CPI_comp and BF_mem apart. If T_mem is proportional to the
  /// instructions, they cannot.
  static bool are_separable(const KernelModel& kernel, const std::vector<LawTerm>& instructions,
                            const std::vector<LawTerm>& memory) {
    constexpr double kProportional = 1.01;
    double least = INFINITY, most = 0;
    for (const FitPoint& p : kernel.points) {
      const double ratio = value(memory, p) / value(instructions, p);
      least = std::min(least, ratio);
      most = std::max(most, ratio);
    }
    return most > kProportional * least;
  }

  /// instructions * CPI_comp / f + BF_mem * T_mem; CPI_comp and BF_mem are fitted to the times.
  Hypothesis from_accesses(const KernelModel& kernel, const MetricModel& instructions,
                           const std::vector<LawTerm>& memory, std::string* note) const {
    const std::vector<FormPart> parts = {{form_of(instructions.points)}, {memory, 1}};
    const std::vector<double> c = coefficients_of(parts, kernel.points);
    *note = "instructions * CPI_comp + BF_mem * T_mem, CPI_comp " +
            brief_number(c[0] * *frequency_hz()) + ", BF_mem " + brief_number(c[1]);
    return law_of_parts(parts, c, kernel.points);
  }

  std::optional<double> frequency_hz() const {
    return m_.frequency_hz ? m_.frequency_hz : costs_.frequency_hz;
  }

  /// T_mem: the accesses of one process to each level times the level's latency. Empty if accesses
  /// or latencies are not known.
  std::vector<LawTerm> all_levels_s(const KernelModel& kernel) const {
    const auto in_seconds = [&](const std::optional<double>& cycles) {
      return cycles && frequency_hz() ? std::optional(*cycles / *frequency_hz()) : std::nullopt;
    };
    // Simulations count the hits in caches at the core's clock together.
    const bool simulated = counted(kernel, "hit_L1") == nullptr;
    std::vector<std::pair<const char*, std::optional<double>>> levels = {
        {simulated ? "hit_core" : "hit_L1", in_seconds(costs_.l1_cycles)},
        {"hit_LLC", costs_.llc_s},
        {"acc_mm", costs_.memory_s}};
    if (!simulated) levels.emplace_back("hit_L2", in_seconds(costs_.l2_cycles));
    std::vector<LawTerm> sum;
    for (const auto& [name, latency_s] : levels) {
      const MetricModel* accesses = counted(kernel, name);
      if (accesses == nullptr || !latency_s) return {};
      add_terms(form_of(accesses->points), *latency_s, &sum);
    }
    return sum;
  }

  /// Bytes of the part's operations, per process.
  std::vector<LawTerm> volume(const CommModel& comm) const {
    std::vector<LawTerm> terms;
    for (const CountModel& c : m_.counts)
      if (std::find(comm.ops.begin(), comm.ops.end(), c.op) != comm.ops.end())
        add_terms(form_of(c.bytes_points), 1, &terms);
    return terms;
  }

  void use_comm(CommModel* comm) {
    const std::string name = comm->part == "p2p"    ? "T_p2p"
                             : comm->part == "coll" ? "T_collective"
                                                    : "MPI " + comm->part;
    const std::vector<LawTerm> bytes = volume(*comm);
    std::vector<FormPart> parts = {{{{.coefficient = 1}}}};
    if (!bytes.empty()) parts.push_back({bytes});
    if (comm->part == "coll") parts.push_back({{{.coefficient = 1, .log2_power = 1}}});
    const bool follows_the_paper = comm->part == "coll" || (comm->part == "p2p" && !bytes.empty());
    if (follows_the_paper)
      replace(&*comm->law, law_of_parts(parts, coefficients_of(parts, comm->points), comm->points),
              name, comm->points, comm->part == "coll" ? "a log2 P + b s + c" : "a s + b");
    else
      replace(&*comm->law, best_by_r_squared(comm->points), name, comm->points);
  }

  const MemoryCosts& costs_;
  Model& m_;
};

}  // namespace

void use_paper_forms(const MemoryCosts& costs, Model* model) { PaperForms(costs, model).use(); }

}  // namespace apmt
