#include "devices/calibrate/cpu.h"

#include <algorithm>

#include "base/input_error.h"
#include "devices/calibrate/arithmetic.h"
#include "devices/calibrate/cpu_levels.h"
#include "devices/calibrate/idiom_loops.h"
#include "devices/calibrate/measured.h"
#include "devices/calibrate/parallel_loop.h"
#include "devices/calibrate/system_memory.h"
#include "devices/card_figures.h"
#include "machine/core_probe.h"
#include "machine/cpu_identity.h"

namespace apmt::devices {
namespace {

class CpuProbe {
 public:
  explicit CpuProbe(const CalibrationOptions& options)
      : options_(options),
        cpus_(usable_cpus()),
        caches_(caches_here()),
        team_(cpus_),
        one_({cpus_.at(0)}) {
    total_ = 2 * kForms.size() + 3 + kIdioms.size() + 1 + caches_.size();
  }

  Device measure() {
    describe();
    arithmetic_rates();
    synchronisation();
    levels();
    idioms();
    // This is the last measurement, because the threads of OpenMP may spin until the process ends
    // (OMP_WAIT_POLICY=active).
    loop_start();
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
    device_.sources[kMeasuredSource] = {
        .kind = "measured", .address = {}, .publisher = {}, .note = options_.by};
    device_.cores = CardFigure{
        static_cast<double>(cpus_.size()), 0, {kMeasuredSource, "processors that could be used"}};
    device_.units = device_.cores;
    if (const auto frequency = measure_frequency_hz())
      device_.frequency_hz = measured(*frequency, "a chain of additions of a cycle each");
    if (const std::uint64_t bytes = system_memory().total_bytes)
      device_.memory_bytes =
          CardFigure{static_cast<double>(bytes), 0, {kMeasuredSource, "MemTotal of /proc/meminfo"}};
    if (!caches_.empty())
      device_.fast_bytes =
          CardFigure{static_cast<double>(caches_.back().size_bytes),
                     0,
                     {kMeasuredSource, caches_.back().name + ", as Linux reports"}};
    step();
  }

  /// Operations of this form (such as fused multiply-add) per second that all threads of the team
  /// execute together; nothing if the processor does not support the form.
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
          {kWantedSpread, 5, 15, 0.2});
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
    }
    step();
  }

  void loop_start() {
    if (team_.size() > 1)
      if (const auto loop =
              parallel_loop_s(static_cast<unsigned>(team_.size()), work(5'000), kPatience))
        device_.loop_start_s =
            measured(*loop, "an empty parallel loop of OpenMP on all processors");
    step();
  }

  void levels() {
    measure_levels({.caches = caches_,
                    .cpu = cpus_.front(),
                    .effort = options_.effort,
                    .step = [&] { step(); }},
                   team_, &device_);
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
         .origin = {kMeasuredSource,
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

Device measure_cpu(const CalibrationOptions& options) {
  if (usable_cpus().empty())
    throw InputError("", "Linux does not report which processors may be used", "",
                     ExitCode::kFailed);
  return CpuProbe(options).measure();
}

}  // namespace apmt::devices
