#include "devices/calibrate/idioms.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "machine/repeat.h"

namespace apmt::devices {
namespace {

constexpr double kEnoughBytes = 2.5e8;  // referenced by the passes of one measurement

std::uint64_t side_of(std::uint64_t elements, std::uint64_t matrices) {
  const double side = std::sqrt(static_cast<double>(elements / matrices));
  return std::max<std::uint64_t>(2, static_cast<std::uint64_t>(side));
}

}  // namespace

IdiomPass pass_of(const std::string& idiom, std::uint64_t most_bytes, std::uint64_t workers,
                  std::uint64_t element_bytes) {
  IdiomPass pass{.idiom = idiom};
  const std::uint64_t elements = most_bytes / element_bytes;
  std::uint64_t& n = pass.n;
  const auto set = [&](double footprint, double references) {
    pass.footprint_bytes = footprint * static_cast<double>(element_bytes);
    pass.referenced_bytes = references * static_cast<double>(element_bytes);
  };
  const auto real = [&] { return static_cast<double>(n); };
  if (idiom == "gather" || idiom == "scatter") {
    n = std::max<std::uint64_t>(2, elements / 3);
    pass.b = n, pass.c = 2 * n;
    set(3 * real(), 3 * real());
  } else if (idiom == "reduction") {
    n = std::max<std::uint64_t>(2, elements);
    set(real(), real());
  } else if (idiom == "stream" || idiom == "stencil") {
    n = std::max<std::uint64_t>(4, elements / 2) - 2;
    pass.b = n;
    set(2 * real(), 3 * real());
  } else if (idiom == "transpose") {
    n = side_of(elements, 2);
    pass.b = n * n;
    set(2 * real() * real(), 2 * real() * real());
  } else if (idiom == "matrix-vector product") {
    n = side_of(elements, 1);
    if (n > 3) n -= 1;  // room for both vectors
    pass.b = n * n, pass.c = pass.b + n;
    set(real() * real() + 2 * real(), 2 * real() * real() + real());
  } else {
    n = side_of(elements, 3);
    pass.b = n * n, pass.c = 2 * pass.b;
    // A few rows of a large product suffice, because each row touches the whole second matrix.
    constexpr double kEnough = 2e7;
    const double nn = real() * real();
    const double most = std::ceil(real() / static_cast<double>(workers));
    pass.rows = static_cast<std::uint64_t>(std::clamp(kEnough / nn, 1.0, most));
    const double done = std::min(real(), static_cast<double>(pass.rows * workers));
    set(3 * nn, done * (3 * nn + real()));
  }
  return pass;
}

std::uint64_t scattered(std::uint64_t i, std::uint64_t n) {
  const auto bits = std::bit_width(n - 1);
  const std::uint64_t mask = std::bit_ceil(n) - 1;
  // The body of this loop permutes the numbers below the next power of two. It is repeated until
  // the result is below n, so the whole loop permutes the numbers below n.
  do {
    for (int round = 0; round < 2; ++round) {
      i = i * 0x9E3779B97F4A7C15u & mask;
      if (bits > 1) i ^= i >> ((bits + 1) / 2);
    }
    i = i * 0xD1342543DE82EF95u & mask;
  } while (i >= n);
  return i;
}

std::map<std::string, Curve> measure_idioms(IdiomRunner& runner, const IdiomSizes& sizes,
                                            const std::function<void()>& step) {
  std::map<std::string, Curve> curves;
  for (const char* idiom : kIdioms) {
    Curve curve;
    curve.origin = sizes.origin;
    for (std::uint64_t size = sizes.smallest_bytes; size <= sizes.largest_bytes; size *= 2) {
      const IdiomPass pass = pass_of(idiom, size, runner.workers(), runner.element_bytes());
      // Small passes are repeated without a pause, so that the time to start a measurement and
      // to wait for its end is negligible.
      const std::uint64_t passes =
          static_cast<std::uint64_t>(std::clamp(kEnoughBytes * sizes.effort / pass.referenced_bytes,
                                                1.0, static_cast<double>(sizes.most_passes)));
      runner.prepare(pass);
      runner.seconds(1);
      const Figure rate = repeat([&] { return pass.referenced_bytes / runner.seconds(passes); },
                                 {kWantedIdiomSpread, 3, 9, 0.1});
      // Two sizes may give the same footprint, because the sides of matrices are rounded.
      if (curve.points.empty() || pass.footprint_bytes > curve.points.back().bytes)
        curve.points.push_back({pass.footprint_bytes, rate.value, rate.spread});
    }
    if (!curve.points.empty()) curves[idiom] = std::move(curve);
    step();
  }
  return curves;
}

}  // namespace apmt::devices
