// planted shares GROUPS MILLISECONDS | planted threads THREADS MILLISECONDS
// Spends CPU time in known functions; prints what each got, by the CPU clocks of the threads.
//   shares    each group of kFunctions functions gets MILLISECONDS, split among them as
//             1 : 2 : 3 ..., in random pieces of about two milliseconds;
//             prints "GROUP FUNCTION cpu_ns"
//   threads   THREADS threads, including main, spend MILLISECONDS each; prints "tid cpu_ns"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "tests/inject/programs/settle.h"

namespace {

constexpr int kMaxGroups = 16;
constexpr int kFunctions = 8;

std::int64_t thread_cpu_ns() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::int64_t{t.tv_sec} * 1000000000 + t.tv_nsec;
}

/// Each number makes a separate function, also in the machine code.
template <int Number>
[[gnu::noinline]] double spend(long steps) {
  volatile double x = 1;
  for (long i = 0; i < steps; ++i) x = x * (1 + 1e-12 * Number) + 1e-9;
  return x;
}

template <int... Number>
constexpr std::array<double (*)(long), sizeof...(Number)> all_of(
    std::integer_sequence<int, Number...>) {
  return {&spend<Number>...};
}
constexpr auto kSpend = all_of(std::make_integer_sequence<int, kMaxGroups * kFunctions>());

double steps_per_ns() {
  const std::int64_t begin = thread_cpu_ns();
  constexpr long kSteps = 1000000;
  spend<kMaxGroups * kFunctions>(kSteps);
  return static_cast<double>(kSteps) / static_cast<double>(thread_cpu_ns() - begin);
}

void shares(int groups, double milliseconds) {
  std::mt19937 random(1);
  std::exponential_distribution<double> piece_ns(1 / 2e6);
  std::array<double, kFunctions> weights{};
  for (int f = 0; f < kFunctions; ++f) weights[static_cast<std::size_t>(f)] = f + 1;
  std::discrete_distribution<int> choose(weights.begin(), weights.end());
  const double speed = steps_per_ns();
  for (int g = 0; g < groups; ++g) {
    std::array<std::int64_t, kFunctions> got{};
    for (std::int64_t all = 0; static_cast<double>(all) < milliseconds * 1e6;) {
      const auto f = static_cast<std::size_t>(choose(random));
      const long steps = std::lround(piece_ns(random) * speed);
      const std::int64_t begin = thread_cpu_ns();
      kSpend[static_cast<std::size_t>(g) * kFunctions + f](steps);
      const std::int64_t took = thread_cpu_ns() - begin;
      got[f] += took;
      all += took;
    }
    for (std::size_t f = 0; f < kFunctions; ++f)
      std::printf("%d %d %lld\n", g, g * kFunctions + static_cast<int>(f),
                  static_cast<long long>(got[f]));
  }
}

struct ThreadTruth {
  std::int64_t wanted_ns;
  int tid;
  std::int64_t cpu_ns;
};

void* spend_all(void* argument) {
  auto* truth = static_cast<ThreadTruth*>(argument);
  const std::int64_t begin = thread_cpu_ns();
  while (thread_cpu_ns() - begin < truth->wanted_ns) spend<0>(10000);
  settle();
  truth->tid = static_cast<int>(syscall(SYS_gettid));
  truth->cpu_ns = thread_cpu_ns() - begin;
  return nullptr;
}

void threads(int count, double milliseconds) {
  std::vector<ThreadTruth> truths(static_cast<std::size_t>(count),
                                  {std::llround(milliseconds * 1e6), 0, 0});
  std::vector<pthread_t> others(truths.size());
  for (std::size_t i = 1; i < truths.size(); ++i)
    pthread_create(&others[i], nullptr, spend_all, &truths[i]);
  spend_all(&truths[0]);
  for (std::size_t i = 1; i < truths.size(); ++i) pthread_join(others[i], nullptr);
  for (const ThreadTruth& t : truths)
    std::printf("%d %lld\n", t.tid, static_cast<long long>(t.cpu_ns));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int count = std::atoi(argv[2]);
  const double milliseconds = std::atof(argv[3]);
  if (std::strcmp(argv[1], "shares") == 0 && count <= kMaxGroups) shares(count, milliseconds);
  if (std::strcmp(argv[1], "threads") == 0) threads(count, milliseconds);
  return 0;
}
