// Laws of counts: closed forms of how a quantity grows with the process count P and the work D.
// Value types; count_fit.h makes them, law.cpp evaluates them.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/described_struct.h"

namespace apmt {

/// One measured value that a law was fitted to.
struct FitPoint {
  double procs = 0;
  double work = 1;          // D, in the user's units; 1 if the runs have no problem size
  double value = 0;         // median: seconds per rank, or a count over all ranks
  double rel_sigma = 0;     // standard deviation of one repetition / value; 0 when unknown
  double rel_sampling = 0;  // sampling error of one repetition / value; 0 when not sampled
  int repetitions = 1;
  double work_per_process() const { return work / procs; }
};

/// The first of the points with the most processes.
const FitPoint& largest_point(const std::vector<FitPoint>& points);

/// The number of distinct pairs of P and D; points that differ only in layout count once.
std::size_t distinct_places(const std::vector<FitPoint>& points);

/// Whether points differ in &FitPoint::procs or &FitPoint::work.
bool differ(const std::vector<FitPoint>& points, double FitPoint::*in);

/// A function of P alone that is not a power.
enum class GridShape {
  kNone,     // 1
  kSides2,   // px + py of the squarest 2-D process grid (as MPI_Dims_create)
  kSides3,   // px + py + pz of the most cubic 3-D grid
  kFaces3,   // px*py + py*pz + px*pz of the same grid
  kAround2,  // (3 px - 2)(3 py - 2): sum over a 2-D grid's processes of 1 + neighbours (up to 8)
  kAround3,  // (3 px - 2)(3 py - 2)(3 pz - 2): the same in 3-D (up to 26)
  kAcross3,  // P times the number of sides of the 3-D grid that are longer than one process
};

inline constexpr std::array kGridShapeNames = {"none",    "sides2",  "sides3", "faces3",
                                               "around2", "around3", "across3"};
constexpr const auto& names_of(Of<GridShape>) { return kGridShapeNames; }

/// The value of a shape at P. If P is not a whole number, the ideal grid of d dimensions with sides
/// P^(1/d) is used.
double grid_shape(GridShape shape, double procs);

/// The term is coefficient * P^p_exponent * log2(P)^log2_power * D^work_exponent * shape(P), or, if
/// exp_rate is not 0, coefficient * exp(exp_rate * P). It is zero where the work per process is not
/// within [from_x, below_x), because accesses to memory follow another law where a rank's data fit
/// into a cache.
struct LawTerm {
  double coefficient = 0;
  double p_exponent = 0;
  int log2_power = 0;
  double work_exponent = 0;
  GridShape shape = GridShape::kNone;
  double exp_rate = 0;
  double from_x = 0;
  double below_x = INFINITY;
  bool operator==(const LawTerm&) const = default;
  double value(double procs, double work) const;
};

/// One law that the data allow.
struct Hypothesis {
  std::vector<LawTerm> terms;  // added; none: identically zero
  int free_numbers = 0;
  double weight = 1;        // posterior share; the shares of the hypotheses kept add up to 1
  double rel_residual = 0;  // root mean square of the relative residuals at the fitted points;
                            // 0 for a local law, which only continues from the last one
  bool exact = false;       // reproduces every value to 1e-6 (CountKind in count_fit.h)
  double value(double procs, double work) const;  // never negative
  std::string formula() const;                    // "4 * P - 4 * P^0.5", for people
};

/// The law of a count: all laws that the measured points cannot tell apart, the likeliest first.
/// Empty when no law was admissible (too few process counts).
struct CountLaw {
  std::vector<Hypothesis> hypotheses;
  double value(double procs, double work) const;  // of the likeliest; 0 when there is none
  double low(double procs, double work) const;    // smallest and largest over the hypotheses
  double high(double procs, double work) const;
  bool is_exact() const;
};

}  // namespace apmt
