#include "devices/calibrate/arithmetic.h"

namespace apmt::devices {
namespace {

// The number of independent chains of operations. On most processors, this number is larger than
// the latency in cycles times the number of units (for example 4 x 2), so that the units never
// wait. It is also small enough for the registers.
constexpr int kChains = 10;

template <class T, int kLanes>
struct Vector {
  typedef T Type __attribute__((vector_size(kLanes * sizeof(T))));
};
template <class T>
struct Vector<T, 1> {
  using Type = T;
};

// Keeps a value in a register, and makes sure that the operation that computes it is a separate
// instruction: the compiler can neither join two values in one vector nor move the operation out of
// the loop.
template <class V>
[[gnu::always_inline]] inline void keep_one(V& x) {
#if defined(__x86_64__)
  asm volatile("" : "+v"(x));
#elif defined(__aarch64__)
  asm volatile("" : "+w"(x));
#else
  asm volatile("" : "+m"(x));
#endif
}
template <class... V>
[[gnu::always_inline]] inline void keep(V&... x) {
  (keep_one(x), ...);
}

template <class T, class V>
[[gnu::always_inline]] inline void fused(std::uint64_t rounds) {
  const V a = V{} + T(0.999), b = V{} + T(0.001);
  V x0 = V{} + T(1), x1 = x0, x2 = x0, x3 = x0, x4 = x0, x5 = x0, x6 = x0, x7 = x0, x8 = x0,
    x9 = x0;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    x0 = x0 * a + b, x1 = x1 * a + b, x2 = x2 * a + b, x3 = x3 * a + b, x4 = x4 * a + b;
    x5 = x5 * a + b, x6 = x6 * a + b, x7 = x7 * a + b, x8 = x8 * a + b, x9 = x9 * a + b;
    keep(x0, x1, x2, x3, x4, x5, x6, x7, x8, x9);
  }
}

/// A loop of as many additions as multiplications, in separate chains.
template <class T, class V>
[[gnu::always_inline]] inline void apart(std::uint64_t rounds) {
  const V a = V{} + T(0.999), b = V{} + T(0.001);
  V x0 = V{} + T(1), x1 = x0, x2 = x0, x3 = x0, x4 = x0, y0 = x0, y1 = x0, y2 = x0, y3 = x0,
    y4 = x0;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    x0 = x0 * a, x1 = x1 * a, x2 = x2 * a, x3 = x3 * a, x4 = x4 * a;
    y0 = y0 + b, y1 = y1 + b, y2 = y2 + b, y3 = y3 + b, y4 = y4 + b;
    keep(x0, x1, x2, x3, x4, y0, y1, y2, y3, y4);
    // The products shrink. They start again at 1 before they become subnormal numbers, with which
    // arithmetic is slow.
    if (i % 1024 == 0) x0 = x1 = x2 = x3 = x4 = V{} + T(1);
  }
}

/// Runs the loop of a form and returns the number of operations. Vectors have `kBytes`. Without
/// fused multiply-add, kFma returns 0 and kPeak is kVector.
template <class T, int kBytes, bool kHasFma>
[[gnu::always_inline]] inline double all_forms(Form form, std::uint64_t rounds) {
  constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
  using V = typename Vector<T, kLanes>::Type;
  const double n = kChains * static_cast<double>(rounds);
  switch (form) {
    case Form::kScalar:
      apart<T, T>(rounds);
      return n;
    case Form::kFma:
      if constexpr (kHasFma) {
        fused<T, T>(rounds);
        return 2 * n;
      }
      return 0;
    case Form::kVector:
      apart<T, V>(rounds);
      return n * kLanes;
    case Form::kPeak:
      if constexpr (kHasFma) {
        fused<T, V>(rounds);
        return 2 * n * kLanes;
      }
      apart<T, V>(rounds);
      return n * kLanes;
  }
  return 0;
}

#if defined(__x86_64__)
double base(Form form, bool is_double, std::uint64_t rounds) {
  return is_double ? all_forms<double, 16, false>(form, rounds)
                   : all_forms<float, 16, false>(form, rounds);
}
__attribute__((target("avx2,fma"))) double avx2(Form form, bool is_double, std::uint64_t rounds) {
  return is_double ? all_forms<double, 32, true>(form, rounds)
                   : all_forms<float, 32, true>(form, rounds);
}
__attribute__((target("avx512f,avx2,fma"))) double avx512(Form form, bool is_double,
                                                          std::uint64_t rounds) {
  return is_double ? all_forms<double, 64, true>(form, rounds)
                   : all_forms<float, 64, true>(form, rounds);
}
#else
double base(Form form, bool is_double, std::uint64_t rounds) {
#if defined(__aarch64__) || defined(__powerpc64__)
  constexpr bool kHasFma = true;
#else
  constexpr bool kHasFma = false;
#endif
  return is_double ? all_forms<double, 16, kHasFma>(form, rounds)
                   : all_forms<float, 16, kHasFma>(form, rounds);
}
#endif

}  // namespace

std::vector<std::string> vector_sets() {
  std::vector<std::string> sets = {"base"};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) sets.emplace_back("avx2");
  if (__builtin_cpu_supports("avx512f")) sets.emplace_back("avx512");
#endif
  return sets;
}

double arithmetic(const std::string& set, Form form, bool is_double, std::uint64_t rounds) {
#if defined(__x86_64__)
  if (set == "avx512") return avx512(form, is_double, rounds);
  if (set == "avx2") return avx2(form, is_double, rounds);
#endif
  return set == "base" ? base(form, is_double, rounds) : 0;
}

}  // namespace apmt::devices
