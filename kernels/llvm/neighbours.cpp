#include "kernels/llvm/neighbours.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>

#include <cstdlib>
#include <optional>

namespace apmt::frontend {
namespace {

using namespace llvm;

constexpr std::int64_t kFarthest = 8;        // elements along the loop with the smallest stride
constexpr std::int64_t kFarthestAround = 2;  // along each of the other loops
constexpr unsigned kLongestWindow = 16;      // elements
constexpr std::size_t kMostPlaces = 128;

std::optional<std::int64_t> number(const SCEV* expression) {
  const auto* constant = dyn_cast_or_null<SCEVConstant>(expression);
  if (!constant || constant->getAPInt().getSignificantBits() > 64) return std::nullopt;
  return constant->getAPInt().getSExtValue();
}

class Neighbours {
 public:
  Neighbours(const Statement& statement, LinearPlaces& places)
      : statement_(statement), places_(places), evolution_(places.evolution()) {
    for (const Access& load : statement.loads) read_.push_back(load.place);
    for (const Access& load : statement.beside) read_.push_back(load.place);
    for (const EarlierAccess& earlier : statement.earlier)
      if (const SCEV* stride = earlier.place.stride(&places.loop())) {
        LinearPlace before = earlier.place;
        before.offset = evolution_.getMinusSCEV(
            before.offset,
            evolution_.getMulExpr(
                evolution_.getConstant(before.offset->getType(), earlier.iterations), stride));
        read_.push_back(before);
      }
    if (is_own_read()) read_.push_back(statement.target.place);
  }

  bool find() {
    if (read_.size() > kMostPlaces) return false;
    for (std::size_t i = 0; i < read_.size(); ++i)
      if (has_neighbours(i)) return true;
    return false;
  }

  bool has_window() {
    for (const LinearPlace& place : read_)
      if (place.is_linear() && slides(place)) return true;
    return false;
  }

 private:
  bool is_own_read() const { return statement_.own && statement_.target.instruction; }

  /// Whether the statement also reads elements near the i-th element that it reads.
  bool has_neighbours(std::size_t i) {
    const LinearPlace& here = read_[i];
    if (!here.is_linear() || here.is_hopping || !places_.varies(here)) return false;
    SmallVector<const SCEV*, 8> distances;  // to distinct elements
    bool is_scan = false;
    for (const LinearPlace& other : read_) {
      if (!are_alike(here, other)) continue;
      const SCEV* distance = evolution_.getMinusSCEV(other.offset, here.offset);
      if (distance->isZero() || is_contained(distances, distance)) continue;
      const std::optional<int> direction = direction_of(distance, here);
      if (!direction) continue;
      distances.push_back(distance);
      is_scan = *direction < 0;
    }
    if (distances.empty()) return false;
    // a[i] += a[i - 1] is a scan: the only neighbour of a[i] belongs to an earlier iteration.
    const LinearPlace& target = statement_.target.place;
    const bool is_own = is_own_read() && are_alike(here, target) &&
                        evolution_.getMinusSCEV(here.offset, target.offset)->isZero();
    if (is_own) return distances.size() > 1 || !is_scan;
    // The same statement, seen from a[i - 1]: its only neighbour is the target a[i].
    const bool only_own =
        is_own_read() && distances.size() == 1 && are_alike(here, target) &&
        evolution_.getMinusSCEV(evolution_.getMinusSCEV(target.offset, here.offset), distances[0])
            ->isZero();
    return !only_own;
  }

  bool are_alike(const LinearPlace& a, const LinearPlace& b) const {
    if (!b.is_linear() || a.object != b.object || a.strides.size() != b.strides.size())
      return false;
    return all_of(a.strides, [&](const auto& s) { return b.stride(s.first) == s.second; });
  }

  /// Whether an element at this distance is accessed in a later iteration (1) or an earlier one
  /// (-1): the sign of the first step that is not zero, from the outermost loop inwards. A step is
  /// a number of iterations of one loop. nullopt: a few iterations of the loops do not lead to such
  /// an element.
  std::optional<int> direction_of(const SCEV* distance, const LinearPlace& place) {
    SmallVector<std::pair<const Loop*, const SCEV*>, 4> loops;  // the innermost last
    for (const Loop* loop = &places_.loop(); loop; loop = loop->getParentLoop())
      if (const SCEV* stride = place.stride(loop)) loops.insert(loops.begin(), {loop, stride});
    std::size_t finest = loops.size() - 1;
    for (std::size_t i = 0; i < loops.size(); ++i)
      if (const auto step = number(loops[i].second)) {
        const auto smallest = number(loops[finest].second);
        if (!smallest || std::abs(*step) < std::abs(*smallest)) finest = i;
      }
    steps_.assign(loops.size(), 0);
    if (!reach(distance, loops, finest, 0)) return std::nullopt;
    for (const std::int64_t step : steps_)
      if (step != 0) return step > 0 ? 1 : -1;
    return std::nullopt;
  }

  bool reach(const SCEV* distance, ArrayRef<std::pair<const Loop*, const SCEV*>> loops,
             std::size_t finest, std::size_t at) {
    if (at == loops.size()) return reach_along(distance, loops[finest], finest);
    if (at == finest) return reach(distance, loops, finest, at + 1);
    for (std::int64_t size = 0; size <= kFarthestAround; ++size)
      for (const std::int64_t step : {size, -size}) {
        if (!is_within(loops[at].first, step)) continue;
        steps_[at] = step;
        const SCEV* moved = evolution_.getMulExpr(
            evolution_.getConstant(distance->getType(), static_cast<std::uint64_t>(step), true),
            loops[at].second);
        if (reach(evolution_.getMinusSCEV(distance, moved), loops, finest, at + 1)) return true;
      }
    return false;
  }
  bool reach_along(const SCEV* distance, std::pair<const Loop*, const SCEV*> loop, std::size_t at) {
    const auto bytes = number(distance), stride = number(loop.second);
    std::optional<std::int64_t> step;
    if (bytes && *bytes == 0) step = 0;
    if (bytes && stride && *stride != 0 && *bytes % *stride == 0) step = *bytes / *stride;
    if (distance == loop.second) step = 1;
    if (distance == evolution_.getNegativeSCEV(loop.second)) step = -1;
    if (!step || std::abs(*step) > kFarthest || !is_within(loop.first, *step)) return false;
    steps_[at] = *step;
    return true;
  }
  /// A step must be smaller than the loop's number of iterations: otherwise it leads to another
  /// row.
  bool is_within(const Loop* loop, std::int64_t step) const {
    const unsigned trips = evolution_.getSmallConstantTripCount(loop);
    return trips == 0 || std::abs(step) < static_cast<std::int64_t>(trips);
  }

  /// Whether the innermost loop runs over a few elements, and an enclosing loop moves this window
  /// on by one element.
  bool slides(const LinearPlace& place) {
    const SCEV* stride = place.stride(&places_.loop());
    const unsigned trips = evolution_.getSmallConstantTripCount(&places_.loop());
    if (!stride || trips == 0 || trips > kLongestWindow) return false;
    for (const Loop* loop = places_.loop().getParentLoop(); loop; loop = loop->getParentLoop())
      if (place.stride(loop) == stride) return true;
    return false;
  }

  const Statement& statement_;
  LinearPlaces& places_;
  ScalarEvolution& evolution_;
  std::vector<LinearPlace> read_;
  std::vector<std::int64_t> steps_;
};

}  // namespace

bool reads_neighbours(const Statement& statement, LinearPlaces& places) {
  Neighbours neighbours(statement, places);
  return statement.sink == Statement::Sink::kFold ? neighbours.has_window() : neighbours.find();
}

}  // namespace apmt::frontend
