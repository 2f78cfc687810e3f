#include "reports/comparable.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/mean.h"
#include "reports/vocabulary.h"

namespace apmt {
namespace {

/// The kernel's measured times, multiplied by the share that the model attributes to memory (or to
/// computation). Points without any sample are left out, because they have no time to divide.
std::vector<FitPoint> part_of_times(const KernelModel& kernel, bool memory) {
  std::vector<FitPoint> points = kernel.points;
  std::erase_if(points, [](const FitPoint& p) { return p.value == 0; });
  for (FitPoint& p : points) {
    const double share = mean(kernel.law.split->shares(p.procs, p.work));
    p.value *= memory ? share : 1 - share;
  }
  return points;
}

void add_parts(const std::string& name, const KernelModel& before, const KernelModel& after,
               std::vector<Comparable>* list) {
  if (before.law.split && after.law.split)
    for (const bool memory : {false, true})
      list->push_back({name + ": " + (memory ? "memory" : "computation"), true,
                       part_of_times(before, memory), part_of_times(after, memory),
                       memory ? "mem" : "comp"});
  if (!before.calls.any() || !after.calls.any()) return;
  list->push_back({name + ": its messages", true, before.calls.transfer_points,
                   after.calls.transfer_points, "transfer"});
  list->push_back(
      {name + ": its waiting", true, before.calls.wait_points, after.calls.wait_points, "wait"});
}

/// All computation outside the kernels in `pairs`: the sum over the other kernels, at each point
/// where it is known.
std::vector<FitPoint> rest_points(const Model& model, const std::vector<KernelPair>& pairs) {
  std::vector<FitPoint> points;
  for (const ModelPoint& p : model.points) {
    if (!p.parts.comp_s || knows_only_wholes(model)) continue;
    FitPoint sum{.procs = double(p.procs), .work = p.work, .repetitions = p.repetitions};
    double variance = 0;
    bool is_known = true;
    for (const KernelModel& kernel : model.kernels) {
      if (is_in(pairs, kernel)) continue;
      const FitPoint* its = point_at(kernel.points, p.procs, p.work);
      is_known = is_known && its != nullptr;
      if (its == nullptr) break;
      sum.value += its->value;
      variance += std::pow(its->value * its->rel_sigma, 2);
      sum.repetitions = std::min(sum.repetitions, its->repetitions);
    }
    if (sum.value > 0) sum.rel_sigma = std::sqrt(variance) / sum.value;
    if (is_known) points.push_back(sum);
  }
  return points;
}

/// Adds what the kernels in `pairs` leave of the computation. If that is the small functions of
/// both models, it also has parts.
void add_rest(const Model& before, const Model& after, const std::vector<KernelPair>& pairs,
              std::vector<Comparable>* list) {
  std::vector<const KernelModel*> rest;
  bool are_small = true;
  for (const Model* model : {&before, &after})
    for (const KernelModel& kernel : model->kernels) {
      if (is_in(pairs, kernel)) continue;
      rest.push_back(&kernel);
      are_small = are_small && kernel.role == KernelRole::kRest;
    }
  if (rest.empty()) return;
  if (rest.size() != 2 || !are_small) {
    list->push_back({"the rest of the computation", true, rest_points(before, pairs),
                     rest_points(after, pairs)});
    return;
  }
  list->push_back({kernel_title(before, *rest[0]), true, rest[0]->points, rest[1]->points});
  add_parts(kernel_title(before, *rest[0]), *rest[0], *rest[1], list);
}

/// "sweep" of the call path "main->solve->sweep".
std::string_view last_function(std::string_view path) {
  constexpr std::string_view kArrow = "->";
  const std::size_t at = path.rfind(kArrow);
  return at == std::string_view::npos || at + kArrow.size() == path.size()
             ? path
             : path.substr(at + kArrow.size());
}

/// The time in messages and collectives with the waiting in them, where all are known.
std::vector<FitPoint> messages_and_waiting(const Model& model) {
  std::vector<FitPoint> points;
  const std::vector<FitPoint> collectives = model.comm_points("coll");
  const std::vector<FitPoint> waiting = model.comm_points("wait");
  for (FitPoint sum : model.comm_points("p2p")) {
    const int procs = static_cast<int>(sum.procs);
    const FitPoint* const more[] = {point_at(collectives, procs, sum.work),
                                    point_at(waiting, procs, sum.work)};
    if (std::ranges::count(more, nullptr) > 0) continue;
    double variance = std::pow(sum.value * sum.rel_sigma, 2);
    for (const FitPoint* p : more) {
      sum.value += p->value;
      variance += std::pow(p->value * p->rel_sigma, 2);
    }
    sum.rel_sigma = sum.value > 0 ? std::sqrt(variance) / sum.value : 0;
    points.push_back(sum);
  }
  return points;
}

}  // namespace

const FitPoint* point_at(const std::vector<FitPoint>& points, int procs, double work) {
  for (const FitPoint& p : points)
    if (p.procs == procs && std::abs(p.work - work) <= 1e-9 * work) return &p;
  return nullptr;
}

bool is_in(const std::vector<KernelPair>& pairs, const KernelModel& kernel) {
  return std::ranges::any_of(pairs, [&](const KernelPair& pair) {
    return pair.first == &kernel || pair.second == &kernel;
  });
}

std::vector<KernelPair> common_kernels(const Model& before, const Model& after) {
  std::vector<const KernelModel*> left;
  std::vector<const KernelModel*> right;
  for (const KernelModel& kernel : before.kernels)
    if (kernel.role != KernelRole::kRest) left.push_back(&kernel);
  for (const KernelModel& kernel : after.kernels)
    if (kernel.role != KernelRole::kRest) right.push_back(&kernel);
  std::vector<KernelPair> pairs;
  const auto pair_up = [&](const auto& are_alike) {
    const auto partners = [&](const KernelModel* of, const auto& among) {
      return std::count_if(among.begin(), among.end(),
                           [&](const KernelModel* kernel) { return are_alike(*of, *kernel); });
    };
    for (std::size_t i = 0; i < left.size();) {
      const auto found = std::find_if(right.begin(), right.end(), [&](const KernelModel* kernel) {
        return are_alike(*left[i], *kernel);
      });
      if (found == right.end() || partners(left[i], right) > 1 || partners(*found, left) > 1) {
        ++i;
        continue;
      }
      pairs.emplace_back(left[i], *found);
      right.erase(found);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
    }
  };
  const auto name = [](const KernelModel& kernel) {
    return kernel.id.linkage_name.empty() ? kernel.name : kernel.id.linkage_name;
  };
  pair_up([](const KernelModel& a, const KernelModel& b) { return a.id == b.id; });
  pair_up([&](const KernelModel& a, const KernelModel& b) {
    return name(a) == name(b) && a.id.source == b.id.source;
  });
  pair_up([&](const KernelModel& a, const KernelModel& b) { return name(a) == name(b); });
  if (lacks_waiting_and_ends(before) != lacks_waiting_and_ends(after))
    pair_up([](const KernelModel& a, const KernelModel& b) {
      return last_function(a.name) == last_function(b.name);
    });
  return pairs;
}

bool lacks_waiting_and_ends(const Model& model) {
  const auto has_none = [](const std::vector<FitPoint>& points) {
    return !points.empty() &&
           std::ranges::all_of(points, [](const FitPoint& p) { return p.value == 0; });
  };
  return !model.is_virtual && has_none(model.start.points) && has_none(model.end.points) &&
         has_none(model.comm_points("wait"));
}

std::vector<Comparable> common_quantities(const Model& before, const Model& after) {
  std::vector<Comparable> list;
  const std::vector<KernelPair> pairs = common_kernels(before, after);
  for (const auto& [b, a] : pairs) {
    list.push_back({kernel_title(before, *b), true, b->points, a->points});
    add_parts(kernel_title(before, *b), *b, *a, &list);
  }
  add_rest(before, after, pairs, &list);
  const auto add_part = [&](const char* part) {
    list.push_back({part_words("comm_" + std::string(part)), false, before.comm_points(part),
                    after.comm_points(part)});
  };
  add_part("other");
  if (lacks_waiting_and_ends(before) != lacks_waiting_and_ends(after)) {
    list.push_back({"messages, collectives and waiting", false, messages_and_waiting(before),
                    messages_and_waiting(after)});
    return list;
  }
  for (const char* part : {"p2p", "coll", "wait"}) add_part(part);
  list.push_back({part_words("off_cpu"), false, before.off_cpu.points, after.off_cpu.points});
  list.push_back({part_words("start"), false, before.start.points, after.start.points});
  list.push_back({part_words("end"), false, before.end.points, after.end.points});
  return list;
}

}  // namespace apmt
