#include "devices/card_doubts.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/listed.h"
#include "base/words.h"
#include "devices/card_figures.h"

namespace apmt::devices {
namespace {

constexpr double kTolerance = 1.05;  // figures that differ by less do not contradict each other

struct Spread {
  std::string name;
  double spread = 0;
  double wanted = kWantedSpread;
};

std::string si(double value, const char* unit) {
  constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  while (value >= 1000 && prefix + 1 < std::size(kPrefixes)) value /= 1000, ++prefix;
  char text[48];
  std::snprintf(text, sizeof text, "%.3g %s%s", value, kPrefixes[prefix], unit);
  return text;
}

class Doubts {
 public:
  explicit Doubts(const Device& device) : device_(device) {}

  std::vector<std::string> contradictions() {
    compare_cores();
    for (const auto& [precision, rates] : precisions()) compare_forms(precision, *rates);
    compare_precisions();
    compare_levels();
    compare_streams();
    return std::move(found_);
  }

  std::vector<Spread> spreads() const {
    std::vector<Spread> all;
    const auto add = [&](const std::string& name, const MaybeFigure& figure) {
      if (figure && figure->spread > 0) all.push_back({name, figure->spread});
    };
    const auto add_curve = [&](const std::string& name, const Curve& curve, double wanted) {
      for (const Curve::Point& p : curve.points)
        if (p.spread > 0) all.push_back({name + " at " + si(p.bytes, "B"), p.spread, wanted});
    };
    for (const FigureField& f : kFigures) add(f.name, device_.*f.member);
    for (const auto& [precision, rates] : precisions())
      for (const RateField& f : kRates) {
        add(std::string(precision) + " " + f.name + " of one core", rates->*f.core);
        add(std::string(precision) + " " + f.name + " of all cores", rates->*f.all);
      }
    for (const CardLevel& level : device_.levels) {
      add("latency_s of " + level.name, level.latency_s);
      add("bytes_per_s of " + level.name, level.bytes_per_s);
    }
    for (const auto& [name, link] : {std::pair("to_device", &device_.to_device),
                                     std::pair("from_device", &device_.from_device)}) {
      add(std::string("latency_s of ") + name, link->latency_s);
      add(std::string("bytes_per_s of ") + name, link->bytes_per_s);
      if (link->curve) add_curve(name, *link->curve, kWantedSpread);
    }
    for (const auto& [idiom, curve] : device_.idioms) add_curve(idiom, curve, kWantedIdiomSpread);
    return all;
  }

 private:
  std::array<std::pair<const char*, const Rates*>, 2> precisions() const {
    return {std::pair{"double", &device_.in_double}, std::pair{"single", &device_.in_single}};
  }

  /// Several cores that are not faster than one were not free, or are one core.
  void compare_cores() {
    constexpr double kHardlyMore = 1.1;
    if (!device_.cores || device_.cores->value < 2) return;
    std::vector<std::string> names;
    for (const auto& [precision, rates] : precisions())
      for (const RateField& f : kRates)
        if (const MaybeFigure& core = rates->*f.core, &all = rates->*f.all;
            core && all && all->value < kHardlyMore * core->value)
          names.push_back(std::string(precision) + " " + f.name);
    if (!names.empty())
      found_.push_back("all cores together are hardly faster than one of them (" + listed(names) +
                       "): other programs ran, or the processors share a core");
  }

  /// Vectors and fused multiply-adds are not slower than scalar code, and nothing is faster than
  /// the peak.
  void compare_forms(const char* precision, const Rates& r) {
    struct Side {
      const char* name;
      const MaybeFigure &core, &all;
    };
    const Side scalar{"scalar", r.scalar_core, r.scalar_all}, fma{"fma", r.fma_core, r.fma_all},
        vector{"vector", r.vector_core, r.vector_all}, peak{"peak", r.peak_core, r.peak_all};
    for (const auto& [low, high] :
         {std::pair(scalar, fma), {scalar, vector}, {fma, peak}, {vector, peak}, {scalar, peak}}) {
      compare(std::string(precision) + ", one core", low.name, low.core, high.name, high.core);
      compare(std::string(precision) + ", all cores", low.name, low.all, high.name, high.all);
    }
  }

  void compare(const std::string& of, const char* low_name, const MaybeFigure& low,
               const char* high_name, const MaybeFigure& high) {
    if (low && high && low->value > kTolerance * high->value)
      found_.push_back(of + ": the rate '" + low_name + "' (" + si(low->value, "FLOP/s") +
                       ") is above the rate '" + high_name + "' (" + si(high->value, "FLOP/s") +
                       ")");
  }

  void compare_precisions() {
    for (const RateField& f : kRates) {
      const std::string form = f.name;
      compare(form + ", one core", "double", device_.in_double.*f.core, "single",
              device_.in_single.*f.core);
      compare(form + ", all cores", "double", device_.in_double.*f.all, "single",
              device_.in_single.*f.all);
    }
  }

  void compare_levels() {
    for (std::size_t i = 1; i < device_.levels.size(); ++i) {
      const CardLevel &near = device_.levels[i - 1], &far = device_.levels[i];
      if (near.latency_s && far.latency_s &&
          near.latency_s->value > kTolerance * far.latency_s->value)
        found_.push_back("the latency of " + near.name + " is above that of " + far.name);
      if (near.bytes_per_s && far.bytes_per_s &&
          far.bytes_per_s->value > kTolerance * near.bytes_per_s->value)
        found_.push_back("the bandwidth of " + far.name + " is above that of " + near.name);
    }
  }

  /// Streams that do not fit into the fast memory are not much faster than the slow memory. (They
  /// may be somewhat faster, because slow_bytes_per_s counts reading alone.)
  void compare_streams() {
    constexpr double kMuchLarger = 2, kMuchFaster = 2;
    const auto stream = device_.idioms.find("stream");
    if (stream == device_.idioms.end() || !device_.fast_bytes || !device_.slow_bytes_per_s) return;
    const Curve::Point* largest = nullptr;
    for (const Curve::Point& p : stream->second.points)
      if (p.bytes > kMuchLarger * device_.fast_bytes->value &&
          p.bytes_per_s > kMuchFaster * device_.slow_bytes_per_s->value)
        largest = &p;
    if (largest != nullptr)
      found_.push_back("streams of " + si(largest->bytes, "B") + " reach " +
                       si(largest->bytes_per_s, "B/s") + ", but the slow memory only " +
                       si(device_.slow_bytes_per_s->value, "B/s") + ", and the fast memory holds " +
                       si(device_.fast_bytes->value, "B") +
                       ": for streams, the fast memory is larger than fast_bytes says");
  }

  const Device& device_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> contradictions_of(const Device& device) {
  return Doubts(device).contradictions();
}

std::vector<std::string> doubts_of(const Device& device) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> doubts;
  std::vector<Spread> wide = Doubts(device).spreads();
  const std::size_t all = wide.size();
  std::erase_if(wide, [](const Spread& s) { return s.spread <= s.wanted; });
  std::stable_sort(wide.begin(), wide.end(),
                   [](const Spread& a, const Spread& b) { return a.spread > b.spread; });
  if (!wide.empty()) {
    std::vector<std::string> most;
    for (std::size_t i = 0; i < wide.size() && i < kShown; ++i)
      most.push_back(wide[i].name + " (" + percent(wide[i].spread) + ")");
    doubts.push_back("the spread of " + std::to_string(wide.size()) + " of " + std::to_string(all) +
                     " measured figures stayed above " + percent(kWantedSpread) +
                     " (of idioms: " + percent(kWantedIdiomSpread) +
                     ") until their time was over, most of all " + listed(most));
  }
  for (std::string& each : contradictions_of(device)) doubts.push_back(std::move(each));
  return doubts;
}

}  // namespace apmt::devices
