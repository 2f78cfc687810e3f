#include "devices/calibrate/accelerator_probe.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "base/input_error.h"
#include "devices/calibrate/cpu_levels.h"
#include "devices/calibrate/idiom_launches.h"
#include "devices/calibrate/measured.h"
#include "machine/core_probe.h"
#include "machine/repeat.h"

namespace apmt::devices {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

MaybeFigure told(std::uint64_t value, const std::string& line) {
  if (value == 0) return std::nullopt;
  return CardFigure{static_cast<double>(value), 0, {kMeasuredSource, line}};
}

class AcceleratorProbe {
 public:
  AcceleratorProbe(Accelerator& device, const CalibrationOptions& options)
      : device_(device),
        options_(options),
        facts_(device.facts()),
        largest_(largest_data(options.largest_bytes)),
        memory_(device, is_cpu() ? largest_ : std::max({largest_, cache_size(), beyond_cache()})),
        idioms_(device, memory_, facts_.has_double) {
    total_ = (facts_.has_double ? 4 : 2) + 2 + levels_here() + kIdioms.size();
  }

  Device measure() {
    describe();
    if (facts_.has_double) rates(true, &card_.in_double);
    rates(false, &card_.in_single);
    if (!is_cpu()) count_units();
    launches();
    if (is_cpu())
      levels_of_processors();
    else
      levels();
    transfers();
    card_.idioms =
        measure_idioms(idioms_,
                       {.largest_bytes = largest_,
                        .most_passes = 200,
                        .effort = options_.effort,
                        .origin = {kMeasuredSource, std::string("loads and stores of ") +
                                                        (facts_.has_double ? "doubles" : "floats") +
                                                        ", one launch for each pass"}},
                       [&] { step(); });
    return std::move(card_);
  }

 private:
  /// Whether the device consists of this machine's processors.
  bool is_cpu() const { return facts_.kind == "cpu"; }
  std::size_t levels_here() const { return is_cpu() ? caches_here().size() + 1 : 1; }

  void step() {
    if (options_.on_progress) options_.on_progress(++done_, total_);
  }
  double effort() const { return std::min(1.0, options_.effort); }
  std::uint64_t scaled(std::uint64_t bytes) const {
    return std::max<std::uint64_t>(
        4096, static_cast<std::uint64_t>(static_cast<double>(bytes) * effort()));
  }

  /// Returns `wanted`, or throws InputError if it is above the device's largest buffer. For 0: half
  /// of the free memory, but at most the largest buffer.
  std::uint64_t largest_data(std::uint64_t wanted) const {
    const std::uint64_t half = facts_.free_bytes / 2;
    if (wanted > facts_.largest_buffer_bytes)
      throw InputError("--largest-bytes", "the device allows buffers of at most " +
                                              std::to_string(facts_.largest_buffer_bytes) +
                                              " bytes");
    return std::max<std::uint64_t>(
        4096, wanted > 0 ? wanted : std::min(half, facts_.largest_buffer_bytes));
  }
  std::uint64_t cache_size() const { return scaled(facts_.cache_bytes / 2); }
  std::uint64_t beyond_cache() const {
    const std::uint64_t most = std::min(1024 * kMiB, facts_.largest_buffer_bytes);
    return scaled(std::min(std::max(4 * facts_.cache_bytes, 64 * kMiB), most));
  }

  void describe() {
    card_.name = options_.name.empty() ? facts_.name : options_.name;
    card_.kind = facts_.kind;
    card_.note = facts_.name + ", " + facts_.driver;
    card_.sources[kMeasuredSource] = {
        .kind = "measured", .address = {}, .publisher = {}, .note = options_.by};
    const char* line = "as the driver reports";
    card_.cores = told(facts_.units, line);
    if (is_cpu()) card_.units = card_.cores;
    card_.frequency_hz = told(facts_.frequency_hz, line);
    if (const auto measured_hz = is_cpu() ? measure_frequency_hz() : std::nullopt)
      card_.frequency_hz = measured(*measured_hz, "a chain of additions of a cycle each");
    card_.memory_bytes = told(facts_.memory_bytes, line);
    card_.fast_bytes =
        told(facts_.cache_bytes + facts_.units * facts_.local_bytes,
             facts_.local_bytes > 0 ? "cache and local memory of all units, " + std::string(line)
                                    : "cache, " + std::string(line));
  }

  /// Operations per second of `groups` groups of `items` work-items.
  Figure rate(Program program, const char* kernel, std::uint64_t groups, std::uint64_t items,
              double operations_of_a_round) {
    Launch launch{.kernel = kernel,
                  .items = groups * items,
                  .group_items = items,
                  .buffers = {memory_.buffer()},
                  .numbers = {0, 1}};
    // Uses enough rounds to make the cost of the launch negligible.
    const double enough_s = 0.005 * effort();
    std::uint64_t& rounds = launch.numbers.front();
    rounds = 64;
    while (device_.seconds(program, launch, 1) < enough_s && rounds < (1u << 22)) rounds *= 4;
    const double made =
        operations_of_a_round * static_cast<double>(rounds) * static_cast<double>(launch.items);
    return repeat([&] { return made / device_.seconds(program, launch, 1); },
                  {kWantedSpread, 5, 15, 0.2});
  }

  void rates(bool is_double, Rates* rates) {
    struct NamedForm {
      const char* kernel;
      double operations_of_a_step;
      MaybeFigure Rates::*core;
      MaybeFigure Rates::*all;
      const char* words;
    };
    constexpr NamedForm kForms[] = {
        {"halves", 1, &Rates::vector_core, &Rates::vector_all, "additions and products"},
        {"fused", 2, &Rates::peak_core, &Rates::peak_all, "products that are added to"}};
    constexpr double kSteps = 40;  // of a round: ten chains, four times
    const std::uint64_t items = is_cpu() ? 1 : std::min<std::uint64_t>(256, facts_.most_items);
    const std::uint64_t items_of_one =
        is_cpu() ? 1 : std::min<std::uint64_t>(1024, facts_.most_items);
    for (const NamedForm& form : kForms) {
      std::optional<Figure> core, all;
      std::string width;
      for (const int lanes : facts_.lanes) {
        const bool is_between = lanes != facts_.lanes.front() && lanes != facts_.lanes.back();
        if (options_.effort < 1 && is_between) continue;  // saves compiling these widths
        const Program program = device_.compile({is_double, lanes});
        const double operations = form.operations_of_a_step * kSteps * lanes;
        const std::uint64_t fit = memory_.bytes() / (8 * static_cast<std::uint64_t>(lanes));
        const std::uint64_t groups = std::clamp<std::uint64_t>(fit / items, 1, 8 * facts_.units);
        const Figure one = rate(program, form.kernel, 1, std::min(items_of_one, fit), operations);
        const Figure every = rate(program, form.kernel, groups, std::min(items, fit), operations);
        if (!core || one.value > core->value) core = one;
        // Keeps the rate of the fastest width: vectors wider than those of the device are slower.
        if (!all || every.value > all->value) all = every, width = std::to_string(lanes);
      }
      const std::string words = std::string(form.words) + ", vectors of " + width;
      rates->*form.core = measured(*core, words + ", one group");
      rates->*form.all = measured(*all, words);
      // All units together are never slower than one of them. A lower rate is noise; the rate of
      // one unit then replaces it.
      (rates->*form.all)->value = std::max(all->value, core->value);
      step();
    }
  }

  /// Drivers do not say how many operations a GPU starts in each cycle. So this number is computed
  /// from the measured peak rate.
  void count_units() {
    if (!card_.frequency_hz) return;
    const CardFigure& peak = *card_.in_single.peak_all;
    const double units = std::round(peak.value / 2 / card_.frequency_hz->value);
    if (units >= 1)
      card_.units =
          CardFigure{units,
                     peak.spread,
                     {kMeasuredSource, "peak in single precision, two operations a cycle each"}};
  }

  /// Measures the costs of a launch and of a synchronisation, each with as many groups as run at
  /// once: on a GPU, eight groups of 256 items fill a unit. A kernel starts when the previous one
  /// has ended on all units, so each launch implies a barrier between all groups. The time from one
  /// launch to the next, in a series of kernels that do nothing, is the cost of this barrier.
  void launches() {
    const std::uint64_t items = is_cpu() ? 1 : std::min<std::uint64_t>(256, facts_.most_items);
    const std::uint64_t groups = facts_.units * (is_cpu() ? 1 : 8);
    Launch idle{.kernel = "idle",
                .items = groups * items,
                .group_items = items,
                .buffers = {memory_.buffer()}};
    device_.seconds(idioms_.program(), idle, 1);
    card_.launch_s = measured(
        repeat([&] { return device_.seconds(idioms_.program(), idle, 1); }, kPatience),
        "a kernel of " + std::to_string(groups) + " groups that does nothing, until it has ended");
    const std::uint64_t times =
        std::max<std::uint64_t>(10, static_cast<std::uint64_t>(500 * effort()));
    card_.synchronisation_s = measured(
        repeat(
            [&] {
              return device_.seconds(idioms_.program(), idle, times) / static_cast<double>(times);
            },
            kPatience),
        "from one launch of " + std::to_string(groups) + " groups to the next");
    step();
  }

  Figure latency(std::uint64_t bytes) {
    const std::uint64_t line = std::max<std::uint64_t>(facts_.line_bytes, 128);
    const DeviceMemory cycle(device_, bytes);
    const std::uint64_t lines = write_cycle(device_, cycle, line, idioms_.element_bytes());
    const std::uint64_t steps =
        std::max<std::uint64_t>(lines, static_cast<std::uint64_t>(200'000 * effort()));
    const Launch chase{
        .kernel = "chase", .buffers = {cycle.buffer(), memory_.buffer()}, .numbers = {steps}};
    device_.seconds(idioms_.program(), chase, 1);
    return repeat(
        [&] { return device_.seconds(idioms_.program(), chase, 1) / static_cast<double>(steps); },
        kPatience);
  }

  Figure bandwidth(std::uint64_t bytes) {
    constexpr double kEnoughBytes = 1e10;
    const std::uint64_t passes = static_cast<std::uint64_t>(
        std::clamp(kEnoughBytes * effort() / static_cast<double>(bytes), 1.0, 1000.0));
    const Launch read = idioms_.read(bytes / idioms_.element_bytes(), passes);
    device_.seconds(idioms_.program(), read, 1);
    return repeat(
        [&] {
          return static_cast<double>(bytes * passes) / device_.seconds(idioms_.program(), read, 1);
        },
        kPatience);
  }

  /// Measures with threads, not with kernels of OpenCL. The driver may report the caches of the
  /// whole host although this virtual machine has only a part of them; measure_levels() finds out
  /// how large this part is.
  void levels_of_processors() {
    std::vector<int> cpus = usable_cpus();
    if (facts_.units < cpus.size()) cpus.resize(facts_.units);
    Team team(cpus);
    measure_levels(
        {.caches = caches_here(), .cpu = cpus.at(0), .effort = effort(), .step = [&] { step(); }},
        team, &card_);
  }

  void levels() {
    const auto through = [](std::uint64_t bytes) {
      return "a chase through " + std::to_string(bytes) + " bytes";
    };
    const auto reading = [](std::uint64_t bytes) {
      return "all units reading " + std::to_string(bytes) + " bytes";
    };
    if (facts_.cache_bytes > 0) {
      card_.fast_latency_s = measured(latency(cache_size()), through(cache_size()));
      card_.fast_bytes_per_s = measured(bandwidth(cache_size()), reading(cache_size()));
    }
    card_.slow_latency_s = measured(latency(beyond_cache()), through(beyond_cache()));
    card_.slow_bytes_per_s = measured(bandwidth(beyond_cache()), reading(beyond_cache()));
    step();
  }

  void transfers() {
    constexpr std::uint64_t kLeast = 1024, kMost = 1024 * kMiB, kWord = 8;
    const std::uint64_t most = std::min(largest_, kMost);
    std::vector<char> host(most, 'x');
    const auto measure = [&](Transfer* transfer, const std::function<void(std::uint64_t)>& move) {
      const auto seconds = [&](std::uint64_t bytes) {
        const double begin = now_s();
        move(bytes);
        return std::max(now_s() - begin, 1e-9);
      };
      seconds(most);
      transfer->latency_s =
          measured(repeat([&] { return seconds(kWord); }, kPatience), "a transfer of 8 bytes");
      Curve curve;
      curve.origin = {kMeasuredSource, "ordinary memory of the host, until the transfer has ended"};
      for (std::uint64_t bytes = kLeast; bytes <= most; bytes *= 2) {
        const Figure rate =
            repeat([&] { return static_cast<double>(bytes) / seconds(bytes); }, {0.05, 3, 9, 0.1});
        curve.points.push_back({static_cast<double>(bytes), rate.value, rate.spread});
      }
      const Curve::Point& last = curve.points.back();
      transfer->bytes_per_s = CardFigure{
          last.bytes_per_s,
          last.spread,
          {kMeasuredSource,
           "a transfer of " + std::to_string(static_cast<std::uint64_t>(last.bytes)) + " bytes"}};
      transfer->curve = std::move(curve);
    };
    measure(&card_.to_device,
            [&](std::uint64_t bytes) { device_.write(memory_.buffer(), host.data(), bytes); });
    measure(&card_.from_device,
            [&](std::uint64_t bytes) { device_.read(memory_.buffer(), host.data(), bytes); });
    step();
  }

  Accelerator& device_;
  const CalibrationOptions& options_;
  const AcceleratorFacts& facts_;
  std::uint64_t largest_;
  DeviceMemory memory_;
  IdiomLaunches idioms_;
  Device card_;
  std::size_t done_ = 0, total_ = 0;
};

}  // namespace

std::uint64_t write_cycle(Accelerator& accelerator, const DeviceMemory& memory,
                          std::uint64_t line_bytes, std::uint64_t element_bytes) {
  const std::uint64_t lines = std::max<std::uint64_t>(1, memory.bytes() / line_bytes);
  std::vector<std::uint32_t> next(lines);
  std::iota(next.begin(), next.end(), 0u);
  std::minstd_rand random(1);
  // Sattolo's algorithm: the permutation is a single cycle.
  for (std::uint64_t i = lines - 1; i > 0; --i) std::swap(next[i], next[random() % i]);
  std::vector<char> image(lines * line_bytes, 0);
  for (std::uint64_t i = 0; i < lines; ++i) {
    const std::uint64_t element = next[i] * (line_bytes / element_bytes);
    const std::uint32_t small = static_cast<std::uint32_t>(element);
    const void* from = element_bytes == sizeof small ? static_cast<const void*>(&small) : &element;
    std::copy_n(static_cast<const char*>(from), element_bytes, &image[i * line_bytes]);
  }
  accelerator.write(memory.buffer(), image.data(), image.size());
  return lines;
}

Device measure_accelerator(Accelerator& accelerator, const CalibrationOptions& options) {
  return AcceleratorProbe(accelerator, options).measure();
}

}  // namespace apmt::devices
