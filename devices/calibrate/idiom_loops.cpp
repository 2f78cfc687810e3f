#include "devices/calibrate/idiom_loops.h"

#include <algorithm>
#include <bit>
#include <cmath>

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define APMT_WIDEST __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define APMT_WIDEST
#endif

namespace apmt::devices {
namespace {

using Index = std::uint64_t;

// Vectors are 16 bytes wide, because every processor supports this; wider vectors would go through
// memory on some processors.
typedef double Doubles __attribute__((vector_size(16), aligned(8), may_alias));
constexpr Index kLanes = 2;
constexpr Index kSums = 8;

APMT_WIDEST void stream(double* a, const double* b, Index from, Index to) {
  for (Index i = from; i < to; ++i) a[i] = a[i] + b[i];
}
APMT_WIDEST void stencil(double* __restrict a, const double* b, Index from, Index to) {
  for (Index i = from; i < to; ++i) a[i] = b[i] + b[i + 2];
}
APMT_WIDEST void gather(double* __restrict a, const double* b, const Index* c, Index from,
                        Index to) {
  for (Index i = from; i < to; ++i) a[i] = b[c[i]];
}
APMT_WIDEST void scatter(double* a, const Index* b, const double* c, Index from, Index to) {
  for (Index i = from; i < to; ++i) a[b[i]] = c[i];
}
/// Uses partial sums, as a port would: with a single sum, each addition waits for the previous one.
double reduction(const double* a, Index from, Index to) {
  Doubles s[kSums] = {};
  Index i = from;
  for (; i + kSums * kLanes <= to; i += kSums * kLanes)
    for (Index k = 0; k < kSums; ++k) s[k] += *reinterpret_cast<const Doubles*>(a + i + k * kLanes);
  double sum = 0;
  for (const Doubles& each : s) sum += each[0] + each[1];
  for (; i < to; ++i) sum += a[i];
  return sum;
}
void transpose(double* __restrict a, const double* b, Index n, Index from, Index to) {
  for (Index i = from; i < to; ++i)
    for (Index j = 0; j < n; ++j) a[i * n + j] = b[j * n + i];
}
APMT_WIDEST void add_row(double* __restrict c, const double* b, double a, Index n) {
  for (Index j = 0; j < n; ++j) c[j] += a * b[j];
}
double dot(const double* a, const double* b, Index n) {
  Doubles s[kSums] = {};
  Index j = 0;
  for (; j + kSums * kLanes <= n; j += kSums * kLanes)
    for (Index k = 0; k < kSums; ++k)
      s[k] += *reinterpret_cast<const Doubles*>(a + j + k * kLanes) *
              *reinterpret_cast<const Doubles*>(b + j + k * kLanes);
  double sum = 0;
  for (const Doubles& each : s) sum += each[0] + each[1];
  for (; j < n; ++j) sum += a[j] * b[j];
  return sum;
}

/// A permutation of the numbers below n, a power of two, that no prefetcher can predict.
Index scattered(Index i, Index n) {
  const auto bits = std::bit_width(n) - 1;
  const Index mask = n - 1;
  for (int round = 0; round < 2; ++round) {
    i = i * 0x9E3779B97F4A7C15u & mask;
    if (bits > 1) i ^= i >> ((bits + 1) / 2);
  }
  return i * 0xD1342543DE82EF95u & mask;
}

Index side_of(std::uint64_t bytes, Index matrices) {
  const double side = std::sqrt(static_cast<double>(bytes / matrices / sizeof(double)));
  return std::max<Index>(2, static_cast<Index>(side));
}

}  // namespace

IdiomLoop::IdiomLoop(const std::string& idiom, std::uint64_t most_bytes, SharedMemory& memory,
                     Team& team)
    : idiom_(idiom), team_(team) {
  constexpr double kSize = sizeof(double);
  const auto set = [&](double footprint, double references) {
    pass_ = {footprint * kSize, references * kSize};
  };
  double* all = reinterpret_cast<double*>(memory.begin());
  a_ = b_ = c_ = all;
  if (idiom == "gather" || idiom == "scatter") {
    n_ = std::bit_floor(std::max<Index>(2, most_bytes / (3 * sizeof(double))));
    b_ = all + n_;
    index_ = reinterpret_cast<Index*>(all + 2 * n_);
    team_.run([&](std::size_t thread) {
      for (Index i = thread; i < n_; i += team_.size()) index_[i] = scattered(i, n_);
    });
    set(3 * static_cast<double>(n_), 3 * static_cast<double>(n_));
  } else if (idiom == "reduction") {
    n_ = std::max<Index>(2, most_bytes / sizeof(double));
    set(static_cast<double>(n_), static_cast<double>(n_));
  } else if (idiom == "stream" || idiom == "stencil") {
    n_ = std::max<Index>(4, most_bytes / (2 * sizeof(double))) - 2;
    b_ = all + n_;
    set(2 * static_cast<double>(n_), 3 * static_cast<double>(n_));
  } else if (idiom == "transpose") {
    n_ = side_of(most_bytes, 2);
    b_ = all + n_ * n_;
    const double nn = static_cast<double>(n_) * static_cast<double>(n_);
    set(2 * nn, 2 * nn);
  } else if (idiom == "matrix-vector product") {
    n_ = side_of(most_bytes, 1);
    if (n_ > 3) n_ -= 1;  // room for both vectors
    b_ = all + n_ * n_;
    c_ = b_ + n_;
    const double nn = static_cast<double>(n_) * static_cast<double>(n_);
    set(nn + 2 * static_cast<double>(n_), 2 * nn + static_cast<double>(n_));
  } else {
    n_ = side_of(most_bytes, 3);
    b_ = all + n_ * n_;
    c_ = b_ + n_ * n_;
    // A few rows of a large product suffice, because each row touches all of the other matrix.
    constexpr double kEnough = 2e7;
    const double nn = static_cast<double>(n_) * static_cast<double>(n_);
    const double most = std::ceil(static_cast<double>(n_) / static_cast<double>(team.size()));
    rows_ = static_cast<Index>(std::clamp(kEnough / nn, 1.0, most));
    const double done = std::min(static_cast<double>(n_), static_cast<double>(rows_ * team.size()));
    set(3 * nn, done * (3 * nn + static_cast<double>(n_)));
  }
}

void IdiomLoop::work(std::size_t thread, std::uint64_t passes) const {
  const Index from = n_ * thread / team_.size(), to = n_ * (thread + 1) / team_.size();
  double sum = 0;
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    if (idiom_ == "stream") {
      stream(a_, b_, from, to);
    } else if (idiom_ == "stencil") {
      stencil(a_, b_, from, std::min(to, n_ - 2));
    } else if (idiom_ == "gather") {
      gather(a_, b_, index_, from, to);
    } else if (idiom_ == "scatter") {
      scatter(a_, index_, b_, from, to);
    } else if (idiom_ == "reduction") {
      sum += reduction(a_, from, to);
    } else if (idiom_ == "transpose") {
      transpose(a_, b_, n_, from, to);
    } else if (idiom_ == "matrix-vector product") {
      for (Index i = from; i < to; ++i) c_[i] = dot(a_ + i * n_, b_, n_);
    } else {
      const Index first = std::min(n_, rows_ * thread), last = std::min(n_, rows_ * (thread + 1));
      for (Index i = first; i < last; ++i)
        for (Index k = 0; k < n_; ++k) add_row(c_ + i * n_, b_ + k * n_, a_[i * n_ + k], n_);
    }
    asm volatile("" : : "r"(a_) : "memory");
  }
  volatile double sink = sum;
  static_cast<void>(sink);
}

double IdiomLoop::seconds(std::uint64_t passes) {
  return team_.run([&](std::size_t thread) { work(thread, passes); }) / static_cast<double>(passes);
}

}  // namespace apmt::devices
