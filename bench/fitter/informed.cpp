#include "bench/fitter/informed.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "fitter/runs/spread.h"

namespace apmt::bench {
namespace {

constexpr int kGrid = 60;      // grid points for each share that the generator draws at random
constexpr int kDraws = 2001;   // draws from the posterior; odd, so that the median is one of them
constexpr unsigned kSeed = 1;  // fixed, so that the same input gives the same answer

/// The middle of cell `i` when the range from `low` to `high` is divided into `kGrid` equal cells.
double cell(int i, double low, double high) { return low + (high - low) * (i + 0.5) / kGrid; }

/// Every kernel that the generator may draw. A form with a second term is listed once for each cell
/// of this term's share; a form without one is listed as many times, so that all forms have equal
/// weight.
std::vector<PlantedTime> kernel_candidates(bool weak) {
  std::vector<PlantedTime> shapes;
  for (const KernelForm& form : kernel_forms(weak))
    for (int i = 0; i < kGrid; ++i) {
      const double share = std::exp(cell(i, std::log(kLeastSideShare), std::log(kMostSideShare)));
      shapes.push_back(planted_kernel(form, "", 1, share));
    }
  return shapes;
}

/// All candidates for the point-to-point time: mixtures of latency and bandwidth. How these two
/// depend on the process count is given by the counts of messages and bytes, which are known.
std::vector<PlantedTime> p2p_candidates(const PlantedTime& truth) {
  std::vector<PlantedTime> shapes;
  for (int i = 0; i < kGrid; ++i) {
    const double latency = cell(i, kLeastLatencyPart, kMostLatencyPart);
    PlantedTime shape = truth;
    shape.terms[0].coefficient = latency / shape.terms[0].basis(8);
    shape.terms[1].coefficient = (1 - latency) / shape.terms[1].basis(8);
    shapes.push_back(shape);
  }
  return shapes;
}

}  // namespace

Informed::Informed(const PlantedProgram& program, const std::vector<RunProfile>& runs,
                   const PlantedOptions& options)
    : noise_(options.noise), repetitions_(static_cast<std::size_t>(program.repetitions)) {
  const std::vector<PlantedPart> parts = parts_of(program);
  for (const PlantedPart& part : parts) {
    const bool is_kernel = parts_.size() < program.kernels.size();
    std::vector<PlantedTime> shapes = is_kernel ? kernel_candidates(program.weak)
                                      : part.truth == &program.p2p
                                          ? p2p_candidates(program.p2p)
                                          : std::vector<PlantedTime>{*part.truth};
    parts_.push_back(weigh(std::move(shapes), runs, part.measured));
  }
}

Informed::Part Informed::weigh(std::vector<PlantedTime> shapes, const std::vector<RunProfile>& runs,
                               const Seconds& measured) const {
  // ln seconds = level + ln shape(P) + noise; the level may have any value.
  const auto n = static_cast<double>(runs.size());
  Part part;
  part.log_level_sd = noise_ / std::sqrt(n);
  std::vector<double> log_weights;
  for (PlantedTime& shape : shapes) {
    double sum = 0, squares = 0;
    for (const RunProfile& r : runs) {
      const double residual = std::log(measured(r)) - std::log(shape.value(r.config.procs));
      sum += residual;
      squares += residual * residual;
    }
    const double scatter = std::max(0.0, squares - sum * sum / n);
    log_weights.push_back(-scatter / (2 * noise_ * noise_));
    part.candidates.push_back({std::move(shape), 0, sum / n});
  }
  const double best = *std::max_element(log_weights.begin(), log_weights.end());
  double cumulative = 0;
  for (std::size_t i = 0; i < log_weights.size(); ++i)
    part.candidates[i].cumulative = cumulative += std::exp(log_weights[i] - best);
  return part;
}

Informed::Draws Informed::no_time() const {
  return {std::vector<double>(kDraws, 0),
          std::vector<std::vector<double>>(kDraws, std::vector<double>(repetitions_, 0))};
}

void Informed::add(const Part& part, double procs, std::mt19937_64& random, Draws* to) const {
  const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1.0p-53; };
  const auto factor = [&](double sd) {
    return std::exp(sd * std::sqrt(-2 * std::log(uniform())) * std::cos(2 * M_PI * uniform()));
  };
  std::vector<double> here;
  for (const Candidate& c : part.candidates)
    here.push_back(std::exp(c.log_level) * c.shape.value(procs));
  for (int i = 0; i < kDraws; ++i) {
    const auto drawn =
        std::lower_bound(part.candidates.begin(), part.candidates.end(),
                         uniform() * part.candidates.back().cumulative,
                         [](const Candidate& c, double at) { return c.cumulative < at; });
    const double truth =
        here[static_cast<std::size_t>(drawn - part.candidates.begin())] * factor(part.log_level_sd);
    to->truths[i] += truth;
    for (double& run : to->runs[i]) run += truth * factor(noise_);
  }
}

Informed::Answer Informed::answer(Draws draws) {
  std::vector<double> seen;
  for (std::vector<double>& r : draws.runs) seen.push_back(median(std::move(r)));
  std::sort(draws.truths.begin(), draws.truths.end());
  std::sort(seen.begin(), seen.end());
  return {draws.truths[kDraws / 2], seen[kDraws / 10], seen[kDraws - 1 - kDraws / 10]};
}

Informed::Answer Informed::at(double procs) const {
  std::mt19937_64 random(kSeed);
  Draws draws = no_time();
  for (const Part& part : parts_) add(part, procs, random, &draws);
  return answer(std::move(draws));
}

Informed::Answer Informed::part_at(std::size_t part, double procs) const {
  std::mt19937_64 random(kSeed);
  Draws draws = no_time();
  add(parts_.at(part), procs, random, &draws);
  return answer(std::move(draws));
}

}  // namespace apmt::bench
