// The best prediction that is possible without knowing a program's true laws. On average, no method
// can be better.
#pragma once

#include <random>
#include <vector>

#include "bench/fitter/planted.h"

namespace apmt::bench {

/// A predictor that knows how programs are drawn (`random_program`: the forms and how often they
/// are drawn, the spread of every coefficient, the noise), but not which program was drawn. It
/// predicts the median of the exact posterior. No method has a smaller expected absolute error over
/// such programs.
class Informed {
 public:
  Informed(const PlantedProgram& program, const std::vector<RunProfile>& runs,
           const PlantedOptions& options);
  struct Answer {
    double median_s = 0;  // of the noise-free time
    double low_s = 0;     // 80 % interval for the median of as many repetitions as were profiled
    double high_s = 0;
  };
  Answer at(double procs) const;  // for the whole time
  /// The prediction for one part of the time; `part` is its index in parts_of(program).
  Answer part_at(std::size_t part, double procs) const;

 private:
  /// One possible form of a part of the time. The time is `shape` times a factor, the level.
  struct Candidate {
    PlantedTime shape;
    double cumulative = 0;  // sum of the posterior weights up to and including this candidate
    double log_level = 0;   // posterior mean of the logarithm of the level
  };
  struct Part {
    std::vector<Candidate> candidates;
    double log_level_sd = 0;
  };
  /// Draws from the posterior: the noise-free time, and what repeated runs would measure.
  struct Draws {
    std::vector<double> truths;
    std::vector<std::vector<double>> runs;
  };
  Part weigh(std::vector<PlantedTime> shapes, const std::vector<RunProfile>& runs,
             const Seconds& measured) const;
  Draws no_time() const;
  void add(const Part& part, double procs, std::mt19937_64& random, Draws* to) const;
  static Answer answer(Draws draws);

  double noise_;
  std::size_t repetitions_;
  std::vector<Part> parts_;
};

}  // namespace apmt::bench
