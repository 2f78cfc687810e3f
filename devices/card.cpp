#include "devices/card.h"

#include <algorithm>
#include <cmath>

#include "devices/card_figures.h"

namespace apmt::devices {
namespace {

double rate_of(const Curve::Piece& piece, double bytes) {
  return piece.per_log * std::log(bytes) + piece.constant;
}

std::optional<double> all_cores(const Device& device, const Rates& rates) {
  if (rates.peak_all) return rates.peak_all->value;
  if (rates.peak_core && device.cores) return rates.peak_core->value * device.cores->value;
  return std::nullopt;
}

}  // namespace

double Curve::from_bytes() const {
  return points.empty() ? pieces.front().from_bytes : points.front().bytes;
}

std::optional<Curve::Answer> Curve::at(double bytes) const {
  if (!(bytes > 0) || (points.empty() && pieces.empty()) || bytes < from_bytes())
    return std::nullopt;
  if (!pieces.empty()) {
    const auto after = std::find_if(pieces.begin(), pieces.end(),
                                    [&](const Piece& p) { return p.from_bytes > bytes; });
    return Answer{rate_of(*std::prev(after), bytes), false};
  }
  const auto above =
      std::find_if(points.begin(), points.end(), [&](const Point& p) { return p.bytes >= bytes; });
  if (above == points.end()) return Answer{points.back().bytes_per_s, true};
  if (above == points.begin()) return Answer{above->bytes_per_s, false};
  const Point& below = *std::prev(above);
  const double share = std::log(bytes / below.bytes) / std::log(above->bytes / below.bytes);
  return Answer{below.bytes_per_s * std::pow(above->bytes_per_s / below.bytes_per_s, share), false};
}

std::optional<double> Transfer::seconds(double bytes) const {
  if (bytes <= 0) return 0;
  // A curve includes the latency, because it gives the rate of whole transfers.
  if (curve)
    if (const auto rate = curve->at(bytes)) return bytes / rate->bytes_per_s;
  if (!bytes_per_s) return std::nullopt;
  return (latency_s ? latency_s->value : 0) + bytes / bytes_per_s->value;
}

bool Transfer::is_beyond(double bytes) const {
  const auto rate = curve ? curve->at(bytes) : std::nullopt;
  return rate && rate->is_beyond;
}

std::optional<double> Device::peak_flops_per_s(double share_single) const {
  double seconds = 0;
  if (share_single < 1) {
    const auto rate = all_cores(*this, in_double);
    if (!rate) return std::nullopt;
    seconds += (1 - share_single) / *rate;
  }
  if (share_single > 0) {
    const auto rate = all_cores(*this, in_single);
    if (!rate) return std::nullopt;
    seconds += share_single / *rate;
  }
  return 1 / seconds;
}

bool Device::is_measured() const {
  return std::any_of(sources.begin(), sources.end(),
                     [](const auto& source) { return source.second.kind == "measured"; });
}

}  // namespace apmt::devices
