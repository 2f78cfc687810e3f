#include "devices/calibrate/idiom_loops.h"

#include <algorithm>

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define APMT_WIDEST __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define APMT_WIDEST
#endif

namespace apmt::devices {
namespace {

using Index = std::uint64_t;

// Vectors are 16 bytes wide, because every processor supports this width. On a processor without
// wider registers, the compiler would keep wider vectors in memory.
typedef double Doubles __attribute__((vector_size(16), aligned(8), may_alias));
constexpr Index kLanes = 2;
constexpr Index kSums = 8;
constexpr Index kLine = 8;  // elements of a cache line

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

}  // namespace

void IdiomLoops::prepare(const IdiomPass& pass) {
  pass_ = pass;
  a_ = reinterpret_cast<double*>(memory_.begin());
  b_ = a_ + pass.b;
  c_ = a_ + pass.c;
  index_ = reinterpret_cast<Index*>(c_);
  if (pass.idiom != "gather" && pass.idiom != "scatter") return;
  team_.run([&](std::size_t thread) {
    for (Index i = thread; i < pass.n; i += team_.size()) index_[i] = scattered(i, pass.n);
  });
}

void IdiomLoops::work(std::size_t thread, std::uint64_t passes) const {
  const std::string& idiom = pass_.idiom;
  const Index n = pass_.n;
  // Arrays are divided among the threads at the starts of cache lines, so that no two threads write
  // to the same line.
  const bool is_array = pass_.idiom == "stream" || pass_.idiom == "stencil" ||
                        pass_.idiom == "gather" || pass_.idiom == "reduction";
  const auto first_of = [&](Index each) {
    const Index first = n * each / team_.size();
    return is_array && each < team_.size() ? first / kLine * kLine : first;
  };
  const Index from = first_of(thread), to = first_of(thread + 1);
  double sum = 0;
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    if (idiom == "stream") {
      stream(a_, b_, from, to);
    } else if (idiom == "stencil") {
      stencil(a_, b_, from, std::min(to, n - 2));
    } else if (idiom == "gather") {
      gather(a_, b_, index_, from, to);
    } else if (idiom == "scatter") {
      scatter(a_, index_, b_, from, to);
    } else if (idiom == "reduction") {
      sum += reduction(a_, from, to);
    } else if (idiom == "transpose") {
      transpose(a_, b_, n, from, to);
    } else if (idiom == "matrix-vector product") {
      for (Index i = from; i < to; ++i) c_[i] = dot(a_ + i * n, b_, n);
    } else {
      const Index first = std::min(n, pass_.rows * thread),
                  last = std::min(n, pass_.rows * (thread + 1));
      for (Index i = first; i < last; ++i)
        for (Index k = 0; k < n; ++k) add_row(c_ + i * n, b_ + k * n, a_[i * n + k], n);
    }
    asm volatile("" : : "r"(a_) : "memory");
  }
  volatile double sink = sum;
  static_cast<void>(sink);
}

double IdiomLoops::seconds(std::uint64_t passes) {
  return team_.run([&](std::size_t thread) { work(thread, passes); }) / static_cast<double>(passes);
}

}  // namespace apmt::devices
