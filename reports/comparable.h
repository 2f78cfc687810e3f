// What apmt diff compares: the kernels and parts of the time that two models have in common, with
// their measured points.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fitter/model/model.h"

namespace apmt {

/// One quantity that both models have, with its measured points from each.
struct Comparable {
  std::string what;
  bool is_kernel;
  std::vector<FitPoint> before;
  std::vector<FitPoint> after;
  std::string part = {};  // as Change::part
};

/// The point at this process count and work; nullptr if there is none.
const FitPoint* point_at(const std::vector<FitPoint>& points, int procs, double work);

using KernelPair = std::pair<const KernelModel*, const KernelModel*>;

bool is_in(const std::vector<KernelPair>& pairs, const KernelModel& kernel);

/// Pairs the kernels that both models have, except "(rest)", which stands for all small functions
/// together. Kernels are paired first by id, then by name and source, then by name alone, because
/// an executable or source may have been renamed; a call path that was imported counts by its last
/// function. A step pairs two kernels only if neither of them matches a further kernel.
std::vector<KernelPair> common_kernels(const Model& before, const Model& after);

/// Whether the times were imported from another tool, which tells neither waiting from messages and
/// collectives, nor the start and end of the program from the rest. (They are all zero then. In
/// recorded runs, a start never is, except on a virtual cluster.)
bool lacks_waiting_and_ends(const Model& model);

/// If only one of the models lacks waiting and ends, its messages and collectives include waiting.
/// Then only the sum is compared, and the start and end of the program are not.
std::vector<Comparable> common_quantities(const Model& before, const Model& after);

}  // namespace apmt
