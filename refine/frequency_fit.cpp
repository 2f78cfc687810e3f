#include "refine/frequency_fit.h"

#include <algorithm>
#include <cmath>

#include "base/words.h"

namespace apmt {
namespace {

constexpr double kSameFrequency = 0.02;  // relative; frequencies closer than this count as one
constexpr double kTurbo = 0.03;          // relative; equal frequencies may differ by this
constexpr double kOneOff = 0.1;          // relative; how far a rank or thread may be from the mean
constexpr double kNoisyCpi = 0.05;       // no line if the relative error of a CPI is larger
constexpr double kVague = 0.25;          // a CPI_core with a larger relative error is rejected
constexpr double kUnlikely = 3;          // standard errors; a larger deviation is not chance

std::string number(double x) { return formatted("%.3g", x); }
std::string ghz(double hz) { return formatted("%.2f GHz", hz * 1e-9); }

struct Line {
  double intercept = 0;
  double gradient = 0;
  double intercept_se = 0;
  double gradient_se = 0;
  double r_squared = 0;
  double chi_squared_per_freedom = 0;  // 0 with two points
  double worst = 0;                    // largest residual / y
};

/// Fits a weighted straight line. If the points scatter more than the sigmas explain, the standard
/// errors are calculated from the scatter.
Line weighted_line(const std::vector<double>& x, const std::vector<double>& y,
                   const std::vector<double>& sigma) {
  double w = 0, wx = 0, wy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double weight = 1 / (sigma[i] * sigma[i]);
    w += weight;
    wx += weight * x[i];
    wy += weight * y[i];
  }
  const double mean_x = wx / w, mean_y = wy / w;
  double sxx = 0, sxy = 0, syy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double weight = 1 / (sigma[i] * sigma[i]);
    sxx += weight * (x[i] - mean_x) * (x[i] - mean_x);
    sxy += weight * (x[i] - mean_x) * (y[i] - mean_y);
    syy += weight * (y[i] - mean_y) * (y[i] - mean_y);
  }
  Line line;
  line.gradient = sxx > 0 ? sxy / sxx : 0;
  line.intercept = mean_y - line.gradient * mean_x;
  const double rest = std::max(0.0, syy - line.gradient * sxy);
  line.r_squared = syy > 0 ? 1 - rest / syy : 1;
  const double freedom = static_cast<double>(x.size()) - 2;
  if (freedom > 0) line.chi_squared_per_freedom = rest / freedom;
  const double inflate = std::max(1.0, line.chi_squared_per_freedom);
  line.gradient_se = sxx > 0 ? std::sqrt(inflate / sxx) : INFINITY;
  line.intercept_se =
      std::sqrt(inflate / w + mean_x * mean_x * line.gradient_se * line.gradient_se);
  for (std::size_t i = 0; i < x.size(); ++i)
    line.worst =
        std::max(line.worst, std::abs(y[i] - line.intercept - line.gradient * x[i]) / y[i]);
  return line;
}

/// Fits a line in a few rounds, because the weights depend on the line, though little. `x_sigma`
/// are relative. Errors in cycles shift a point only along CPI, errors in accesses and frequency
/// only along x. Errors in instructions shift CPI and, unless accesses per instruction are the same
/// in all runs, x, too; the resulting distance from the line is then proportional to CPI_core.
Line iterated_line(const std::vector<CpiObservation>& all, const std::vector<double>& x,
                   const std::vector<double>& x_sigma, bool are_accesses_same) {
  constexpr double kLeast = 1e-9;  // so that exact values get finite weights
  std::vector<double> y, sigma(all.size());
  for (const CpiObservation& o : all) y.push_back(o.cpi);
  Line line{.intercept = INFINITY};
  for (int round = 0; round < 5; ++round) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double core = std::clamp(line.intercept, 0.0, y[i]);
      const double cycles = y[i] * all[i].cycles_sigma;
      const double instructions =
          (are_accesses_same ? core + line.gradient * x[i] : core) * all[i].instructions_sigma;
      const double along_x = line.gradient * x[i] * x_sigma[i];
      sigma[i] =
          std::max(std::sqrt(cycles * cycles + instructions * instructions + along_x * along_x),
                   kLeast * y[i]);
    }
    line = weighted_line(x, y, sigma);
  }
  return line;
}

/// `memory_s`: seconds of memory per instruction at a gradient of 1.
void take(const Line& fitted, double memory_s, CpiLine* line) {
  line->cpi_core = fitted.intercept;
  line->cpi_core_se = fitted.intercept_se;
  line->blocked_s = fitted.gradient * memory_s;
  line->blocked_s_se = fitted.gradient_se * memory_s;
  line->r_squared = fitted.r_squared;
}

CpiLine& reject(CpiLine* line, const char* verdict, std::string why) {
  line->verdict = verdict;
  line->why = std::move(why);
  return *line;
}

/// Rejects the line if a CPI or a frequency is missing, or a CPI is too uncertain; returns true if
/// it did.
bool has_no_cpi(const std::vector<CpiObservation>& all, CpiLine* line) {
  for (const CpiObservation& o : all) {
    const double error = std::hypot(o.cycles_sigma, o.instructions_sigma);
    if (!(o.cpi > 0) || !(o.hz() > 0) || error > kNoisyCpi) {
      reject(line, line_verdict::kTooFewInstructions,
             o.cpi > 0 ? "at " + ghz(o.hz()) + " its CPI is known only within " +
                             percent(error, 1) + "; run longer or more often"
                       : "it was not counted in every run");
      return true;
    }
  }
  return false;
}

/// Whether the ranks or threads of a run had clearly different frequencies, so that the mean
/// frequency describes none of them.
bool is_mixed(const CpiObservation& o) {
  return o.frequency.spread > kTurbo || o.frequency.highest_hz > (1 + kOneOff) * o.hz() ||
         (o.frequency.lowest_hz > 0 && o.frequency.lowest_hz < (1 - kOneOff) * o.hz());
}

bool any_mixed(const std::vector<CpiObservation>& all, CpiLine* line) {
  const auto mixed = std::ranges::find_if(all, is_mixed);
  if (mixed == all.end()) return false;
  const RunFrequency& e = mixed->frequency;
  reject(line, line_verdict::kTurboMoved,
         e.slowest + " ran at " + ghz(e.lowest_hz) + " and " + e.fastest + " at " +
             ghz(e.highest_hz) + " in one run; neither ran at the mean, " + ghz(mixed->hz()));
  return true;
}

/// Sets the blocking factor if accesses were counted in every run: blocked_s relative to the
/// weighted mean of memory_s over all runs.
void find_blocking_factor(const std::vector<CpiObservation>& all, CpiLine* line) {
  const auto sigma_of = [](const CpiObservation& o) {
    return *o.memory_s * std::max(std::hypot(o.memory_sigma, o.instructions_sigma), 1e-9);
  };
  double w = 0, wm = 0;
  for (const CpiObservation& o : all) {
    if (!o.memory_s || !(*o.memory_s > 0)) return;
    const double sigma = sigma_of(o);
    w += 1 / (sigma * sigma);
    wm += *o.memory_s / (sigma * sigma);
  }
  const double mean = wm / w;
  double chi_squared = 0;
  for (const CpiObservation& o : all)
    chi_squared += std::pow((*o.memory_s - mean) / sigma_of(o), 2);
  const double freedom = static_cast<double>(all.size()) - 1;
  const double inflate = freedom > 0 ? std::max(1.0, chi_squared / freedom) : 1;
  line->bf_mem = line->blocked_s / mean;
  line->bf_mem_se =
      std::hypot(line->blocked_s_se / mean, *line->bf_mem * (std::sqrt(inflate / w) / mean));
}

/// If memory takes constant time in ns, stalled cycles per instruction grow with the frequency. If
/// they do not, the memory clock changed with the core clock.
bool memory_clock_moved(const std::vector<CpiObservation>& all) {
  std::vector<double> x, y, sigma;
  double stalled = 0;
  for (const CpiObservation& o : all) {
    if (!o.stall_cpi || !(*o.stall_cpi > 0)) return false;
    x.push_back(std::log(o.hz()));
    y.push_back(std::log(*o.stall_cpi));
    sigma.push_back(std::max(o.stall_sigma, 1e-6));
    stalled = std::max(stalled, *o.stall_cpi / o.cpi);
  }
  constexpr double kMatters = 0.1;  // share of all cycles; fewer stalls show nothing
  if (stalled < kMatters) return false;
  const Line growth = weighted_line(x, y, sigma);
  return growth.gradient + kUnlikely * growth.gradient_se < 0.5;
}

}  // namespace

bool is_same_frequency(double a_hz, double b_hz) {
  return std::max(a_hz, b_hz) < (1 + kSameFrequency) * std::min(a_hz, b_hz);
}

bool differs_from_asked(const std::vector<CpiObservation>& all, CpiLine* line) {
  for (const CpiObservation& o : all) {
    if (!o.asked_hz || !(o.hz() > 0) || std::abs(o.hz() / *o.asked_hz - 1) <= kTurbo) continue;
    reject(line, line_verdict::kTurboMoved,
           ghz(*o.asked_hz) + " was set, " + ghz(o.hz()) + " was measured");
    return true;
  }
  return false;
}

CpiLine fit_frequency_line(const std::vector<CpiObservation>& all) {
  CpiLine line;
  line.from = "frequencies";
  const auto [low, high] = std::ranges::minmax_element(all, {}, &CpiObservation::hz);
  if (all.empty() || is_same_frequency(low->hz(), high->hz()))
    return reject(&line, line_verdict::kNotIdentified,
                  "only one frequency; two that differ by a fifth or more are needed");
  if (has_no_cpi(all, &line) || differs_from_asked(all, &line) || any_mixed(all, &line))
    return line;
  std::vector<double> x, x_sigma;
  for (const CpiObservation& o : all) {
    x.push_back(o.hz());
    x_sigma.push_back(o.frequency.spread);
  }
  const Line fitted = iterated_line(all, x, x_sigma, true);
  take(fitted, 1, &line);
  find_blocking_factor(all, &line);
  if (memory_clock_moved(all))
    return reject(&line, line_verdict::kMemoryClockMoved,
                  "stalled cycles per instruction did not grow with the frequency: the memory "
                  "clock changed with the core clock");
  constexpr double kScatter = 9;  // largest chi squared per degree of freedom of a line
  if (fitted.chi_squared_per_freedom > kScatter && fitted.worst > 0.02)
    return reject(&line, line_verdict::kNotALine,
                  "CPI lies up to " + percent(fitted.worst, 1) + " off the line");
  if (line.blocked_s < -kUnlikely * line.blocked_s_se &&
      line.blocked_s * high->hz() < -0.02 * line.cpi_core)
    return reject(&line, line_verdict::kNotALine,
                  "CPI falls as the frequency grows: something else differed between the runs");
  if (!(line.cpi_core_se < kVague * line.cpi_core))
    return reject(&line, line_verdict::kNotIdentified,
                  "CPI_core is " + number(line.cpi_core) + " +- " + number(line.cpi_core_se) +
                      "; use frequencies farther apart, or longer runs");
  line.verdict = line_verdict::kGood;
  line.why = std::to_string(all.size()) + " runs from " + ghz(low->hz()) + " to " + ghz(high->hz());
  return line;
}

CpiLine fit_spread_line(const std::vector<CpiObservation>& all) {
  CpiLine line;
  line.from = "spread";
  if (has_no_cpi(all, &line) || any_mixed(all, &line)) return line;
  std::vector<double> x, x_sigma;
  double memory = 0;
  for (const CpiObservation& o : all) {
    if (!o.memory_s)
      return reject(
          &line, line_verdict::kNotIdentified,
          "accesses to memory were not counted in every run, or their latency is unknown");
    x.push_back(*o.memory_s * o.hz());
    x_sigma.push_back(std::hypot(o.memory_sigma, o.frequency.spread));
    memory += *o.memory_s / static_cast<double>(all.size());
  }
  if (all.size() < 3)
    return reject(&line, line_verdict::kNotIdentified,
                  "two runs always lie on a line; three are needed");
  const Line fitted = iterated_line(all, x, x_sigma, false);
  take(fitted, memory, &line);
  line.bf_mem = fitted.gradient;
  line.bf_mem_se = fitted.gradient_se;
  const auto [low, high] = std::ranges::minmax_element(x);
  const std::string range =
      "memory cycles per instruction from " + number(*low) + " to " + number(*high);
  // CPI_core may differ between these runs, unlike between runs at several frequencies, so only a
  // close fit is accepted.
  constexpr double kWide = 1.25;
  if (*high < kWide * *low || !(fitted.gradient_se < kVague * std::abs(fitted.gradient)) ||
      !(line.cpi_core_se < kVague * line.cpi_core))
    return reject(&line, line_verdict::kNotIdentified, range + ": the spread is too narrow");
  constexpr double kFit = 0.9;
  if (fitted.r_squared < kFit || fitted.gradient < 0 || fitted.worst > 0.1)
    return reject(&line, line_verdict::kNotALine,
                  "CPI lies up to " + percent(fitted.worst, 1) + " off the line (R^2 " +
                      number(fitted.r_squared) + ")");
  line.verdict = line_verdict::kGood;
  line.why = range;
  return line;
}

}  // namespace apmt
