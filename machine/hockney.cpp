#include "machine/hockney.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace apmt {
namespace {

using Times = std::vector<std::pair<double, Figure>>;

struct Line {
  HockneyPiece piece;
  double squares = 0;  // sum of the squares of the relative errors
};

/// Fits a line to times[begin, end) by least squares of relative errors; no coefficient is
/// negative.
Line fit_line(const Times& times, std::size_t begin, std::size_t end) {
  double w = 0, wn = 0, wnn = 0, wt = 0, wnt = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const double n = times[i].first;
    const double t = times[i].second.value;
    const double weight = 1 / (t * t);
    w += weight;
    wn += weight * n;
    wnn += weight * n * n;
    wt += weight * t;
    wnt += weight * n * t;
  }
  const double determinant = w * wnn - wn * wn;
  Line line;
  line.piece.from_bytes = times[begin].first;
  double beta = determinant > 1e-12 * w * wnn ? (w * wnt - wn * wt) / determinant : 0;
  beta = std::max(beta, 0.0);
  double alpha = (wt - beta * wn) / w;
  if (alpha < 0) {  // a latency cannot be negative, so the line goes through the origin
    alpha = 0;
    beta = wnt / wnn;
  }
  line.piece.beta_s_per_byte = beta;
  line.piece.alpha_s = alpha;
  for (std::size_t i = begin; i < end; ++i) {
    const double t = times[i].second.value;
    const double error = std::abs(alpha + beta * times[i].first - t) / t;
    line.squares += error * error;
    line.piece.worst_error = std::max(line.piece.worst_error, error);
  }
  return line;
}

/// The best `pieces` lines through all times, each through three points or more, found by dynamic
/// programming.
std::vector<HockneyPiece> best_split(const Times& times, std::size_t pieces) {
  constexpr std::size_t kShortest = 3;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const std::size_t n = times.size();
  std::vector<std::vector<double>> cost(pieces + 1, std::vector<double>(n + 1, kNever));
  std::vector<std::vector<std::size_t>> from(pieces + 1, std::vector<std::size_t>(n + 1, 0));
  cost[0][0] = 0;
  for (std::size_t k = 1; k <= pieces; ++k)
    for (std::size_t end = kShortest; end <= n; ++end)
      for (std::size_t begin = 0; begin + kShortest <= end; ++begin) {
        if (cost[k - 1][begin] == kNever) continue;
        const double candidate = cost[k - 1][begin] + fit_line(times, begin, end).squares;
        if (candidate < cost[k][end]) {
          cost[k][end] = candidate;
          from[k][end] = begin;
        }
      }
  if (cost[pieces][n] == kNever) return {};
  std::vector<HockneyPiece> found;
  for (std::size_t end = n, k = pieces; k > 0; end = from[k][end], --k)
    found.push_back(fit_line(times, from[k][end], end).piece);
  std::reverse(found.begin(), found.end());
  found.front().from_bytes = 0;
  return found;
}

}  // namespace

std::vector<HockneyPiece> fit_hockney(const Times& times_s, double tolerance) {
  constexpr std::size_t kMostPieces = 4;
  std::vector<HockneyPiece> found;
  for (std::size_t pieces = 1; pieces <= kMostPieces; ++pieces) {
    const std::vector<HockneyPiece> more = best_split(times_s, pieces);
    if (more.empty()) break;
    found = more;
    double worst = 0;
    for (const HockneyPiece& piece : found) worst = std::max(worst, piece.worst_error);
    if (worst <= tolerance) break;
  }
  return found;
}

double hockney_time_s(const std::vector<HockneyPiece>& pieces, double bytes) {
  double time = 0;
  for (const HockneyPiece& piece : pieces)
    if (bytes >= piece.from_bytes) time = piece.alpha_s + piece.beta_s_per_byte * bytes;
  return time;
}

}  // namespace apmt
