// The best possible prediction without knowing a program's true forms: the bound for every method.
#pragma once

#include <random>
#include <vector>

#include "bench/fitter/planted.h"

namespace apmt::bench {

/// A prediction that uses how programs are drawn (`random_program`: which forms, how often, the
/// spread of every coefficient, the noise), but not which one was drawn: the median of the exact
/// posterior. No method has a smaller expected absolute error over such programs.
class Informed {
 public:
  Informed(const PlantedProgram& program, const std::vector<RunProfile>& runs,
           const PlantedOptions& options);
  struct Answer {
    double median_s = 0;  // of the noise-free time
    double low_s = 0;     // 80 % of what as many runs would show lie between
    double high_s = 0;
  };
  Answer at(double procs) const;  // the whole
  /// One of `parts_of` the program.
  Answer part_at(std::size_t part, double procs) const;

 private:
  /// One possible form of a part of the time, without its level.
  struct Candidate {
    PlantedTime shape;
    double cumulative = 0;  // posterior, summed up to here
    double log_level = 0;   // posterior mean
  };
  struct Part {
    std::vector<Candidate> candidates;
    double log_level_sd = 0;
  };
  /// Draws of the posterior: the noise-free time, and what repeated runs would measure.
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
