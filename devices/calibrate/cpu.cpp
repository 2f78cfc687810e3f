#include "devices/calibrate/cpu.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "base/input_error.h"
#include "devices/calibrate/arithmetic.h"
#include "devices/calibrate/idiom_loops.h"
#include "devices/calibrate/parallel_loop.h"
#include "devices/card_figures.h"
#include "machine/core_probe.h"
#include "machine/cpu_identity.h"
#include "machine/memory_probe.h"

namespace apmt::devices {
namespace {

constexpr const char* kSource = "apmt";
const Patience kPatience{0.03, 5, 15, 0.6};

CardFigure measured(const Figure& figure, const std::string& line, double factor = 1) {
  return {figure.value * factor, figure.spread, {kSource, line}};
}

std::uint64_t number_in(const char* file, const std::string& name) {
  std::ifstream in(file);
  std::string word;
  while (in >> word)
    if (word == name || name.empty()) {
      std::uint64_t number = 0;
      if (name.empty()) return word == "max" ? 0 : std::strtoull(word.c_str(), nullptr, 10);
      in >> number;
      return number;
    }
  return 0;
}

class CpuProbe {
 public:
  explicit CpuProbe(const CalibrationOptions& options)
      : options_(options),
        cpus_(usable_cpus()),
        caches_(caches_here()),
        team_(cpus_),
        one_({cpus_.at(0)}) {
    total_ = 2 * kForms.size() + 2 + kIdioms.size() + (options.effort < 1 ? 0 : 1 + caches_.size());
  }

  Device measure() {
    describe();
    arithmetic_rates();
    synchronisation();
    if (options_.effort >= 1) levels();
    idioms();
    return std::move(device_);
  }

 private:
  struct NamedForm {
    Form form;
    MaybeFigure Rates::*core;
    MaybeFigure Rates::*all;
    const char* words;
  };
  static constexpr std::array kForms = {
      NamedForm{Form::kScalar, &Rates::scalar_core, &Rates::scalar_all, "additions and products"},
      NamedForm{Form::kFma, &Rates::fma_core, &Rates::fma_all, "fused, without vectors"},
      NamedForm{Form::kVector, &Rates::vector_core, &Rates::vector_all, "vectors, not fused"},
      NamedForm{Form::kPeak, &Rates::peak_core, &Rates::peak_all, "everything the processor has"}};

  void step() {
    if (options_.on_progress) options_.on_progress(++done_, total_);
  }

  /// The number of rounds of a run. A run lasts some milliseconds, so that the time to start the
  /// threads is negligible.
  std::uint64_t work(double rounds) const {
    return static_cast<std::uint64_t>(std::max(10.0, rounds * options_.effort));
  }

  void describe() {
    device_.name = options_.name;
    device_.kind = "cpu";
    device_.note = identify_cpu().model;
    device_.sources[kSource] = {
        .kind = "measured", .address = {}, .publisher = {}, .note = options_.by};
    device_.cores = CardFigure{
        static_cast<double>(cpus_.size()), 0, {kSource, "processors that could be used"}};
    device_.units = device_.cores;
    if (const auto frequency = measure_frequency_hz())
      device_.frequency_hz = measured(*frequency, "a chain of additions of a cycle each");
    if (const std::uint64_t kib = number_in("/proc/meminfo", "MemTotal:"))
      device_.memory_bytes =
          CardFigure{static_cast<double>(kib * 1024), 0, {kSource, "MemTotal of /proc/meminfo"}};
    if (!caches_.empty()) {
      device_.line_bytes = CardFigure{
          static_cast<double>(caches_.back().line_bytes), 0, {kSource, "as the kernel says"}};
      device_.fast_bytes = CardFigure{static_cast<double>(caches_.back().size_bytes),
                                      0,
                                      {kSource, caches_.back().name + ", as the kernel says"}};
    }
    step();
  }

  /// Operations per second of a team; nothing if the processor does not have the form.
  std::optional<Figure> rate(Team& team, Form form, bool is_double) {
    std::optional<Figure> best;
    for (const std::string& set : vector_sets()) {
      const std::uint64_t rounds = work(4'000'000);
      const double made =
          arithmetic(set, form, is_double, 1000) / 1000 * static_cast<double>(rounds);
      if (made <= 0) continue;
      const Figure figure = repeat(
          [&] {
            const double seconds =
                team.run([&](std::size_t) { arithmetic(set, form, is_double, rounds); });
            return made * static_cast<double>(team.size()) / seconds;
          },
          {0.03, 5, 15, 0.2});
      // Keeps the rate of the fastest set of vector instructions, because the widest vectors may
      // lower the frequency.
      if (!best || figure.value > best->value) best = figure;
    }
    return best;
  }

  void arithmetic_rates() {
    for (const bool is_double : {true, false})
      for (const NamedForm& form : kForms) {
        Rates& rates = is_double ? device_.in_double : device_.in_single;
        if (const auto one = rate(one_, form.form, is_double))
          rates.*form.core = measured(*one, form.words);
        if (const auto all = rate(team_, form.form, is_double)) {
          rates.*form.all = measured(*all, form.words);
          // All cores together are never slower than one of them. A lower rate is noise; the rate
          // of one core then replaces it.
          if (rates.*form.core)
            (rates.*form.all)->value =
                std::max((rates.*form.all)->value, (rates.*form.core)->value);
        }
        step();
      }
  }

  void synchronisation() {
    if (team_.size() > 1) {
      const std::uint64_t rounds = work(20'000);
      SpinBarrier barrier(team_.size());
      const Figure figure = repeat(
          [&] {
            return team_.run([&](std::size_t) {
              for (std::uint64_t i = 0; i < rounds; ++i) barrier.wait();
            }) / static_cast<double>(rounds);
          },
          kPatience);
      device_.synchronisation_s = measured(figure, "a barrier of one thread on each processor");
      if (const auto loop =
              parallel_loop_s(static_cast<unsigned>(team_.size()), work(5'000), kPatience))
        device_.launch_s = measured(*loop, "an empty parallel loop of OpenMP on all processors");
    }
    step();
  }

  /// Bytes per second that all threads together read, each from its own memory.
  Figure read_all(std::uint64_t bytes_each) {
    SharedMemory memory(bytes_each * team_.size(), team_);
    const std::uint64_t passes = std::max<std::uint64_t>((std::uint64_t{1} << 30) / bytes_each, 1);
    const double bytes = static_cast<double>(bytes_each * passes * team_.size());
    return repeat(
        [&] {
          return bytes / team_.run([&](std::size_t thread) {
            read_memory(memory.begin() + thread * bytes_each, bytes_each, passes);
          });
        },
        kPatience);
  }

  /// The size of the data from which on a chase waits for the memory rather than for the last
  /// cache. It may be far smaller than the size that the kernel gives, if this is a virtual
  /// machine.
  std::optional<double> end_of_last_cache(std::uint64_t within, std::uint64_t beyond,
                                          std::uint64_t line, double cache_ns,
                                          double memory_ns) const {
    std::vector<std::pair<double, double>> curve;
    for (double size = static_cast<double>(within); size < static_cast<double>(beyond);
         size *= std::sqrt(2.0)) {
      const Patience quick{0.03, 3, 5, 0.3};
      curve.push_back(
          {size,
           chase_ns(static_cast<std::uint64_t>(size), line, quick, {cpus_.front(), {}}).value});
    }
    return find_knee(curve, cache_ns, memory_ns);
  }

  void levels() {
    const std::uint64_t line = caches_.empty() ? 64 : caches_.front().line_bytes;
    const Place home{cpus_.front(), {}};
    double latencies = 0, rates = 0, latency_spread = 0, rate_spread = 0;
    std::uint64_t before = 0, last_size = 0;
    for (std::size_t i = 0; i < caches_.size(); ++i) {
      const Cache& cache = caches_[i];
      const std::uint64_t most = cache.size_bytes * 3 / 4;
      const std::uint64_t size = i == 0 ? cache.size_bytes / 2 : std::min(3 * before, most);
      // The third-level cache is assumed to be shared by all cores, so each thread reads its share.
      const std::uint64_t each =
          i == 2 ? std::max<std::uint64_t>(size / team_.size(), before) : size;
      const Figure ns = chase_ns(size, line, kPatience, home);
      const Figure read = read_all(each / 256 * 256);
      device_.levels.push_back(
          {cache.name,
           CardFigure{static_cast<double>(cache.size_bytes), 0, {kSource, "as the kernel says"}},
           measured(ns, "a chase through " + std::to_string(size) + " bytes", 1e-9),
           measured(read, "all processors reading")});
      latencies += ns.value * 1e-9, rates += read.value;
      latency_spread = std::max(latency_spread, ns.spread);
      rate_spread = std::max(rate_spread, read.spread);
      before = cache.size_bytes, last_size = size;
      step();
    }
    const std::uint64_t beyond =
        std::clamp<std::uint64_t>(4 * before, std::uint64_t{64} << 20, std::uint64_t{1} << 30);
    const Figure ns = chase_ns(beyond, line, kPatience, home);
    const Figure read = read_all(beyond / 256 * 256);
    device_.slow_latency_s =
        measured(ns, "a chase through " + std::to_string(beyond) + " bytes", 1e-9);
    device_.slow_bytes_per_s = measured(read, "all processors reading");
    if (!caches_.empty()) {
      MaybeFigure& size = device_.levels.back().size_bytes;
      const double cache_ns = 1e9 * device_.levels.back().latency_s->value;
      if (const auto seen = end_of_last_cache(last_size, beyond, line, cache_ns, ns.value);
          seen && *seen < size->value)
        size = CardFigure{std::round(*seen),
                          0,
                          {kSource, "where a chase gets slower; the kernel says " +
                                        std::to_string(caches_.back().size_bytes)}};
      device_.fast_bytes = size;
    }
    device_.levels.push_back({"memory", {}, device_.slow_latency_s, device_.slow_bytes_per_s});
    if (const double count = static_cast<double>(caches_.size()); count > 0) {
      device_.fast_latency_s =
          CardFigure{latencies / count, latency_spread, {kSource, "mean of the caches"}};
      device_.fast_bytes_per_s =
          CardFigure{rates / count, rate_spread, {kSource, "mean of the caches"}};
    }
    step();
  }

  void idioms() {
    const std::uint64_t largest =
        options_.largest_bytes > 0 ? options_.largest_bytes : half_of_memory();
    SharedMemory memory(std::max<std::uint64_t>(largest, 4096), team_);
    IdiomLoops loops(memory, team_);
    device_.idioms = measure_idioms(
        loops,
        {.largest_bytes = largest,
         .effort = options_.effort,
         .origin = {kSource,
                    "loads and stores of doubles by all processors, in memory touched before"}},
        [&] { step(); });
  }

  const CalibrationOptions& options_;
  std::vector<int> cpus_;
  std::vector<Cache> caches_;
  Team team_, one_;
  Device device_;
  std::size_t done_ = 0, total_ = 0;
};

}  // namespace

std::uint64_t half_of_memory() {
  std::uint64_t bytes = number_in("/proc/meminfo", "MemAvailable:") * 1024;
  // A container's limit (cgroup, version 2).
  const std::uint64_t limit = number_in("/sys/fs/cgroup/memory.max", "");
  const std::uint64_t used = number_in("/sys/fs/cgroup/memory.current", "");
  if (limit > used) bytes = bytes == 0 ? limit - used : std::min(bytes, limit - used);
  if (bytes == 0)
    throw InputError("/proc/meminfo", "does not say how much memory is free",
                     "--largest-bytes sets the largest size", ExitCode::kFailed);
  return bytes / 2;
}

Device measure_cpu(const CalibrationOptions& options) {
  if (usable_cpus().empty())
    throw InputError("", "the kernel does not say which processors may be used", "",
                     ExitCode::kFailed);
  return CpuProbe(options).measure();
}

}  // namespace apmt::devices
