// Places the draws of a model in the distribution of each of its laws.
//
// A model's predictions are 512 equally likely draws. The distribution of a law is cut into 512
// strata of equal probability, and every draw has a different stratum. So the draws of every law
// have the quantiles of its distribution. This is done for each of four things that are unknown
// about a law: its curve, the noise, how far the program deviates from the curve, and whether it
// changes in a way that the runs do not show.
//
// If the draws of two laws have similar strata, the errors of the laws are correlated. A Gaussian
// copula gives each pair of laws the right correlation: in each law, the draws are ordered by the
// sum of a score that all laws share and a score of the law's own. The law's own score is a
// permutation made from a hash of the law's part and kernel, so that it depends on no other law and
// not on the order of laws.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace apmt {

inline constexpr std::size_t kDraws = 512;
/// One number for each draw.
using Draws = std::array<double, kDraws>;
/// The stratum of each draw; each stratum occurs once.
using Strata = std::array<std::uint16_t, kDraws>;

/// The quantile of a standard normal in the middle of each stratum.
const Draws& stratum_normals();

struct DrawPlaces {
  Strata curve;
  Strata noise;
  Strata straying;
  Strata change;
};

/// `seed` comes from seed_of() for the law. `shared_noise` is the correlation of the noise of two
/// laws.
DrawPlaces draw_places(std::uint32_t seed, double shared_noise);

/// The strata of the curves of laws without noise; all these laws share them. If such a law has
/// several closed forms, the stratum decides whether a draw uses the likeliest form, a lower or a
/// higher one. So, in all laws without noise, a draw uses a form of the same kind: likeliest, lower
/// or higher.
const Strata& common_curve();

/// The strata of the effect of a problem size that was not profiled; the same in all laws.
const Strata& common_size();

/// The number of sets of costs of core and memory (MemorySplit::ways).
inline constexpr std::size_t kWays = 64;

/// The value of each draw, from a value for each set of costs; all 0 if there is no set. A draw has
/// the same set in all kernels, because sets with the same index have the same costs of the machine
/// (shared_costs.h). All sets occur equally often.
Draws in_draws(const std::vector<double>& of_ways);

/// For each set of costs, a standard normal deviate that does not depend on the costs.
const std::array<double, kWays>& way_normals();

/// Standard normal deviates for the sets of costs, in an order of their own for each seed.
std::array<double, kWays> normals_of_ways(std::uint32_t seed);

/// A permutation of the sets of costs, for what is a kernel's own.
std::array<std::uint16_t, kWays> order_of_ways(std::uint32_t seed);

/// The pairs {step, start} of the six quantities that all laws share: the curve, the noise, the
/// deviation, the effect of a problem size, the costs of core and memory, and the unseen change.
/// Draw k has the stratum step * k + start, modulo the number of draws. A law's own noise,
/// deviation and change are computed from the stratum of its curve in the same way.
using LatticeStep = std::array<std::size_t, 2>;
std::array<LatticeStep, 6> lattice_steps();

/// A hash (FNV-1a) of `identity`, the names of a law's part and kernel.
std::uint32_t seed_of(const std::string& identity);

}  // namespace apmt
