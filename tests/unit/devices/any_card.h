// Random cards for tests of properties that hold for any card.
#pragma once

#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "devices/card.h"
#include "tests/unit/devices/made.h"

namespace apmt::devices::testing {

/// slow() makes a random card from that of a base device, and faster() improves one figure of a
/// card. A random card has levels of memory with a probability of one half, and independently of
/// this, curves of transfers and idioms; `apmt calibrate --device` writes cards with all of them.
class AnyCard {
 public:
  AnyCard(Device base, unsigned seed) : base_(std::move(base)), random_(seed) {}

  Device slow() {
    Device d = base_;
    d.fast_bytes->value = std::ceil(d.fast_bytes->value * log_uniform(0.01, 100));
    if (random_() % 2 == 0) add_levels(&d);
    if (random_() % 2 == 0) {
      d.to_device.curve = d.from_device.curve = curve();
      for (const char* idiom : kIdioms) d.idioms[idiom] = curve();
    }
    each(&d, [&](double* figure, double) { *figure *= log_uniform(0.01, 100); });
    d.units->value = std::ceil(d.units->value);
    return d;
  }
  /// A copy of the card in which figure number `which` is better: a higher rate, or a lower cost.
  /// Sizes stay as they are. Returns nothing if the card has no figure with this number.
  std::optional<Device> faster(const Device& than, int which) {
    Device d = than;
    int figures = 0;
    each(&d, [&](double* figure, double sign) {
      if (figures++ == which) *figure *= std::pow(log_uniform(1, 10), sign);
    });
    d.units->value = std::ceil(d.units->value);
    return which < figures ? std::optional(d) : std::nullopt;
  }

 private:
  double log_uniform(double from, double to) {
    return from * std::pow(to / from, std::uniform_real_distribution<>(0, 1)(random_));
  }
  /// One to three caches and the memory.
  void add_levels(Device* d) {
    const int caches = std::uniform_int_distribution<>(1, 3)(random_);
    double bytes = 1024;
    for (int cache = 1; cache <= caches; ++cache) {
      bytes = std::ceil(bytes * log_uniform(2, 200));
      d->levels.push_back(
          {"L" + std::to_string(cache), figure(bytes), d->fast_latency_s, d->fast_bytes_per_s});
    }
    d->levels.push_back({"memory", {}, d->slow_latency_s, d->slow_bytes_per_s});
  }
  static Curve curve() {
    Curve curve;
    for (double bytes = 1024; bytes <= 1 << 20; bytes *= 2)
      curve.points.push_back({bytes, bytes / (5e-6 + bytes / 1e10), 0});
    return curve;
  }
  template <typename F>
  static void each(Device* d, F f) {
    for (MaybeFigure* rate : {&d->units, &d->frequency_hz, &d->fast_bytes_per_s,
                              &d->slow_bytes_per_s, &d->in_double.peak_all, &d->in_single.peak_all,
                              &d->to_device.bytes_per_s, &d->from_device.bytes_per_s})
      f(&(*rate)->value, 1);
    for (MaybeFigure* cost :
         {&d->fast_latency_s, &d->slow_latency_s, &d->synchronisation_s, &d->launch_s,
          &d->to_device.latency_s, &d->from_device.latency_s, &d->loop_start_s})
      if (*cost) f(&(*cost)->value, -1);
    for (CardLevel& level : d->levels) {
      f(&level.bytes_per_s->value, 1);
      f(&level.latency_s->value, -1);
    }
    for (Transfer* transfer : {&d->to_device, &d->from_device})
      if (transfer->curve)
        for (Curve::Point& point : transfer->curve->points) f(&point.bytes_per_s, 1);
    for (auto& [idiom, curve] : d->idioms)
      for (Curve::Point& point : curve.points) f(&point.bytes_per_s, 1);
  }
  Device base_;
  std::mt19937 random_;
};

}  // namespace apmt::devices::testing
