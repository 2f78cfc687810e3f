#include "devices/calibrate/cpu_levels.h"

#include <algorithm>
#include <cmath>

#include "devices/calibrate/measured.h"
#include "machine/memory_probe.h"

namespace apmt::devices {
namespace {

constexpr std::uint64_t kRowBytes = 256;  // read_memory() reads multiples of it

class LevelProbe {
 public:
  LevelProbe(const LevelOptions& options, Team& team, Device* card)
      : options_(options), team_(team), card_(*card) {}

  void run() {
    const std::vector<Cache>& caches = options_.caches;
    std::uint64_t before = 0, chased = 0;
    for (std::size_t i = 0; i < caches.size(); ++i) {
      const std::uint64_t most = caches[i].size_bytes * 3 / 4;
      const std::uint64_t size = i == 0 ? caches[i].size_bytes / 2 : std::min(3 * before, most);
      // The third-level cache is assumed to be shared by all cores, so each thread reads its share.
      const std::uint64_t each =
          i == 2 ? std::max<std::uint64_t>(size / team_.size(), before) : size;
      CardLevel level = measure(caches[i].name, size, each);
      level.size_bytes = CardFigure{
          static_cast<double>(caches[i].size_bytes), 0, {kMeasuredSource, "as Linux reports"}};
      card_.levels.push_back(std::move(level));
      before = caches[i].size_bytes, chased = size;
    }
    card_.fast_latency_s = mean(&CardLevel::latency_s);
    card_.fast_bytes_per_s = mean(&CardLevel::bytes_per_s);
    const std::uint64_t beyond =
        std::clamp<std::uint64_t>(4 * before, std::uint64_t{64} << 20, std::uint64_t{1} << 30);
    const std::uint64_t size = scaled(beyond);
    CardLevel memory = measure("memory", size, size);
    if (!caches.empty()) end_last_cache(chased, size, memory.latency_s->value);
    card_.levels.push_back(std::move(memory));
    card_.slow_latency_s = card_.levels.back().latency_s;
    card_.slow_bytes_per_s = card_.levels.back().bytes_per_s;
  }

 private:
  std::uint64_t scaled(std::uint64_t bytes) const {
    return static_cast<std::uint64_t>(static_cast<double>(bytes) * std::min(1.0, options_.effort));
  }

  /// Measures a level: its latency, for one thread that accesses `bytes` bytes, and its bandwidth,
  /// for all threads, each of which reads `each` bytes.
  CardLevel measure(const std::string& name, std::uint64_t bytes, std::uint64_t each) {
    const std::uint64_t line = options_.caches.empty() ? 64 : options_.caches.front().line_bytes;
    const Figure ns = chase_ns(bytes, line, kPatience, {options_.cpu, {}});
    const Figure rate = read_all(std::max<std::uint64_t>(1, each / kRowBytes) * kRowBytes);
    if (options_.step) options_.step();
    return {name,
            {},
            measured(ns, "a chase through " + std::to_string(bytes) + " bytes", 1e-9),
            measured(rate, "all processors reading")};
  }

  /// Reduces the size of the last cache to the size at which a pointer chase begins to wait for
  /// main memory. On a virtual machine, this may be far smaller than the size that the operating
  /// system's kernel gives. Data of `within` bytes fit into the cache, data of `beyond` bytes do
  /// not.
  void end_last_cache(std::uint64_t within, std::uint64_t beyond, double memory_s) {
    MaybeFigure& size_bytes = card_.levels.back().size_bytes;
    const std::uint64_t line = options_.caches.front().line_bytes;
    const Patience quick{0.03, 3, 5, 0.3};
    std::vector<std::pair<double, double>> curve;
    for (double bytes = static_cast<double>(within); bytes < static_cast<double>(beyond);
         bytes *= std::sqrt(2.0))
      curve.push_back(
          {bytes,
           chase_ns(static_cast<std::uint64_t>(bytes), line, quick, {options_.cpu, {}}).value});
    const std::optional<double> end =
        find_knee(curve, 1e9 * card_.levels.back().latency_s->value, 1e9 * memory_s);
    if (end && *end < size_bytes->value)
      size_bytes =
          CardFigure{std::round(*end),
                     0,
                     {kMeasuredSource, "where a chase gets slower; Linux reports " +
                                           std::to_string(options_.caches.back().size_bytes)}};
    card_.fast_bytes = size_bytes;
  }

  /// Bytes per second that all threads together read, each from its own memory.
  Figure read_all(std::uint64_t bytes_each) {
    SharedMemory memory(bytes_each * team_.size(), team_);
    const std::uint64_t passes =
        std::max<std::uint64_t>(scaled(std::uint64_t{1} << 30) / bytes_each, 1);
    const double bytes = static_cast<double>(bytes_each * passes * team_.size());
    return repeat(
        [&] {
          return bytes / team_.run([&](std::size_t thread) {
            read_memory(memory.begin() + thread * bytes_each, bytes_each, passes);
          });
        },
        kPatience);
  }

  /// The mean over the caches; nothing if there are none.
  MaybeFigure mean(MaybeFigure CardLevel::*figure) const {
    if (card_.levels.empty()) return std::nullopt;
    CardFigure mean{0, 0, {kMeasuredSource, "mean of the caches"}};
    for (const CardLevel& level : card_.levels) {
      mean.value += (level.*figure)->value / static_cast<double>(card_.levels.size());
      mean.spread = std::max(mean.spread, (level.*figure)->spread);
    }
    return mean;
  }

  const LevelOptions& options_;
  Team& team_;
  Device& card_;
};

}  // namespace

void measure_levels(const LevelOptions& options, Team& team, Device* card) {
  LevelProbe(options, team, card).run();
}

}  // namespace apmt::devices
