// Where each of a model's draws stands in the distribution of each of its laws.
//
// A model says 512 things that may all be true: its draws. The distribution of a law is cut into as
// many strata of equal probability, and every draw holds another one of them, in each of three
// things that are unknown about the law: the curve that it follows, the noise about it, and how far
// the program strays from it. So the draws of one law have its quantiles, whichever law it is.
//
// Which draw holds which stratum says how laws err together. It comes from a Gaussian copula: a
// score shared by all laws and one of the law's own, of which only the order counts. The law's own
// is a permutation made from a hash of what the law is the law of, so that it depends on no other
// law, and on no order.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace apmt {

inline constexpr std::size_t kDraws = 512;
/// One number for each draw.
using Draws = std::array<double, kDraws>;
/// Of each draw, its stratum: each stratum occurs once.
using Strata = std::array<std::uint16_t, kDraws>;

/// The quantile of a standard normal in the middle of each stratum.
const Draws& stratum_normals();

struct DrawPlaces {
  Strata curve;
  Strata noise;
  Strata straying;
};

/// Beyond noise, of curves and straying, this part of what is shared of noise is shared: noise
/// bends curves, too.
inline constexpr double kSharedBeyondNoise = 0.25;

/// `seed`: of the law, see seed_of(). `shared_noise`: the correlation of the noise of two laws.
DrawPlaces draw_places(std::uint32_t seed, double shared_noise);

/// Of laws that are free of noise, all in the same order: which of several closed forms is the true
/// one is the same question for each of them.
const Strata& common_curve();

/// What a problem size never seen does to all laws alike, in standard deviations.
const Strata& common_size();

/// Draw k holds the stratum step * k + start, modulo the number of draws, of what laws have in
/// common: curve, noise, straying, problem size. A law's own noise and straying follow the stratum
/// of its curve in the same way.
using LatticeStep = std::array<std::size_t, 2>;
std::array<LatticeStep, 4> lattice_steps();

/// A hash (FNV-1a) of what the law is the law of.
std::uint32_t seed_of(const std::string& identity);

}  // namespace apmt
