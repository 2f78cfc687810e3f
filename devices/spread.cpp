#include "devices/spread.h"

#include <algorithm>
#include <array>

#include "devices/card_figures.h"

namespace apmt::devices {
namespace {

/// Moves figures to their lower or upper quartile. Relative to the figure, the distance between the
/// two quartiles is `spread`.
class Mover {
 public:
  explicit Mover(double sign) : sign_(sign) {}

  void rate(MaybeFigure* figure) { move(figure, sign_); }
  void time(MaybeFigure* figure) { move(figure, -sign_); }
  void curve(Curve* curve) {
    for (Curve::Point& point : curve->points) {
      point.bytes_per_s *= factor(point.spread, sign_);
      has_spread_ |= point.spread > 0;
    }
  }
  void transfer(Transfer* transfer) {
    time(&transfer->latency_s);
    rate(&transfer->bytes_per_s);
    if (transfer->curve) curve(&*transfer->curve);
  }
  bool has_spread() const { return has_spread_; }

 private:
  /// The limit of 0.9 keeps figures above zero if their spread is 200 % or more.
  static double factor(double spread, double sign) { return 1 + sign * std::min(spread / 2, 0.9); }
  void move(MaybeFigure* figure, double sign) {
    if (!*figure) return;
    (*figure)->value *= factor((*figure)->spread, sign);
    has_spread_ |= (*figure)->spread > 0;
  }

  double sign_;
  bool has_spread_ = false;
};

std::optional<Device> end_of(Device device, double sign) {
  Mover mover(sign);
  for (MaybeFigure Device::*figure :
       {&Device::frequency_hz, &Device::fast_bytes_per_s, &Device::slow_bytes_per_s})
    mover.rate(&(device.*figure));
  for (MaybeFigure Device::*figure :
       {&Device::fast_latency_s, &Device::slow_latency_s, &Device::synchronisation_s,
        &Device::launch_s, &Device::loop_start_s})
    mover.time(&(device.*figure));
  for (Rates* rates : {&device.in_double, &device.in_single})
    for (const RateField& field : kRates) {
      mover.rate(&(rates->*field.core));
      mover.rate(&(rates->*field.all));
    }
  for (CardLevel& level : device.levels) {
    mover.time(&level.latency_s);
    mover.rate(&level.bytes_per_s);
  }
  mover.transfer(&device.to_device);
  mover.transfer(&device.from_device);
  for (auto& [idiom, curve] : device.idioms) mover.curve(&curve);
  if (!mover.has_spread()) return std::nullopt;
  return device;
}

}  // namespace

std::optional<Device> fast_end(const Device& device) { return end_of(device, 1); }
std::optional<Device> slow_end(const Device& device) { return end_of(device, -1); }

}  // namespace apmt::devices
