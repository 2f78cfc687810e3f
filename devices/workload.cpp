#include "devices/workload.h"

#include <algorithm>

namespace apmt::devices {
namespace {

std::optional<Schedule> schedule_of(const std::optional<kernels::Parallelism>& p) {
  if (!p) return std::nullopt;
  Schedule schedule{static_cast<double>(p->depth), static_cast<double>(p->operations), {}};
  for (const kernels::Parallelism::Width& w : p->widths)
    schedule.widths.push_back({static_cast<double>(w.levels), static_cast<double>(w.operations)});
  return schedule;
}

/// The idioms of a loop share its footprint equally, as in PMaC's paper (section VII.A).
void add_idioms(const kernels::KernelAnalysis& k, Workload* w) {
  double references = 0;
  bool lacks_footprint = false;
  for (const kernels::LoopFacts& loop : k.loops)
    for (const kernels::IdiomFacts& idiom : loop.idioms) {
      const double moved = static_cast<double>(idiom.loads) + static_cast<double>(idiom.stores);
      if (!(moved > 0)) continue;
      lacks_footprint |= !loop.footprint_bytes;
      references += moved;
      w->idioms.push_back({.place = idiom.file + ":" + std::to_string(idiom.line),
                           .idiom = idiom.idiom,
                           .references = moved,
                           .bytes = static_cast<double>(idiom.bytes),
                           .footprint_bytes = loop.footprint_bytes.value_or(0) /
                                              static_cast<double>(loop.idioms.size())});
    }
  if (w->idioms.empty()) {
    w->why_no_idioms =
        k.loops.empty() ? "the analysis lacks loops (apmt analyze --with synchronisation,footprint)"
                        : "no loop of the kernel is an idiom";
  } else if (lacks_footprint) {
    w->idioms.clear();
    w->why_no_idioms =
        "the analysis lacks footprints (apmt analyze --with synchronisation,footprint)";
  }
  if (k.mix)
    if (const double all = static_cast<double>(k.mix->loads) + static_cast<double>(k.mix->stores);
        all > 0)
      w->share_idioms = std::min(1.0, references / all);
}

std::optional<double> most_call_bytes_of(const kernels::KernelAnalysis& k, const Workload& w) {
  if (!k.mix || !w.lines) return std::nullopt;
  double bytes = 0, in_loops = 0;
  for (const kernels::LoopFacts& loop : k.loops) {
    const double accesses = static_cast<double>(loop.mix.loads + loop.mix.stores);
    if (!loop.footprint_bytes && accesses > 0) return std::nullopt;
    bytes += loop.footprint_bytes.value_or(0);
    in_loops += accesses;
  }
  const double outside =
      std::max(0.0, static_cast<double>(k.mix->loads + k.mix->stores) - in_loops);
  return bytes + outside * w.lines->line_bytes / w.invocations;
}

}  // namespace

double Schedule::levels_on(double processors) const {
  double levels = 0;
  for (const Width& w : widths) levels += std::max(w.levels, w.operations / processors);
  return levels;
}

double shared_misses(const Workload& w, double cache_bytes, int ranks) {
  const double alone = w.lines->misses(cache_bytes);
  if (ranks <= 1) return alone;
  double shared = w.lines->misses(cache_bytes / ranks);
  if (w.most_call_bytes)
    shared = std::min(shared, w.invocations * *w.most_call_bytes / w.lines->line_bytes);
  return std::max(alone, shared);
}

double touched_bytes(const Workload& w) {
  return std::max(w.lines ? w.lines->touched_bytes() : 0, w.footprint_bytes.value_or(0));
}

Workload workload_of(const kernels::KernelAnalysis& k) {
  Workload w;
  w.function = k.function;
  w.name = k.name.empty() ? k.function : k.name;
  w.place = k.file + ":" + std::to_string(k.line);
  w.is_opencl = k.is_opencl;
  w.invocations = static_cast<double>(std::max<std::uint64_t>(1, k.invocations));
  double access_bytes = 0;
  if (k.mix) {
    const kernels::InstructionMix& m = *k.mix;
    w.has_counts = true;
    w.instructions = static_cast<double>(m.instructions);
    w.flops = static_cast<double>(m.flops);
    w.additions = static_cast<double>(m.flops_add);
    w.multiplications = static_cast<double>(m.flops_multiply);
    w.loaded_bytes = static_cast<double>(m.loaded_bytes);
    w.stored_bytes = static_cast<double>(m.stored_bytes);
    if (m.flops_vector) w.vector_flops = static_cast<double>(*m.flops_vector);
    if (m.flops > 0) w.share_single = std::min(1.0, static_cast<double>(m.flops_single) / w.flops);
    if (const double accesses = static_cast<double>(m.loads) + static_cast<double>(m.stores);
        accesses > 0)
      access_bytes =
          (static_cast<double>(m.loaded_bytes) + static_cast<double>(m.stored_bytes)) / accesses;
  }
  w.floating_point = schedule_of(k.floating_point);
  w.all_operations = schedule_of(k.all_operations);
  if (k.load_chain)
    w.load_chain = LoadChain{static_cast<double>(k.load_chain->depth),
                             static_cast<double>(k.load_chain->unforeseen)};
  if (const auto& locality = k.locality ? k.locality : k.sampled_locality)
    w.lines = LineTraffic{.line_bytes = static_cast<double>(locality->line_bytes),
                          .accesses = locality->accesses,
                          .access_bytes = access_bytes > 0 ? access_bytes : 8,
                          .is_sampled = locality->one_line_of > 1,
                          .distances = *locality};
  if (k.synchronisation) {
    w.synchronisations = static_cast<double>(k.synchronisation->global());
    if (!k.synchronisation->annotated)
      w.synchronisations_inside_parallel = static_cast<double>(k.synchronisation->inside_parallel);
  }
  for (const kernels::LoopFacts& loop : k.loops)
    if (loop.footprint_bytes)
      w.footprint_bytes = std::max(w.footprint_bytes.value_or(0), *loop.footprint_bytes);
  w.most_call_bytes = most_call_bytes_of(k, w);
  for (const kernels::LoopFacts& loop : k.loops)
    w.lacks_footprints |= !w.footprint_bytes && loop.mix.loads + loop.mix.stores > 0;
  add_idioms(k, &w);
  w.is_estimated = k.followed_invocations.has_value();
  w.is_complete = (!k.floating_point || k.floating_point->is_complete) &&
                  (!k.all_operations || k.all_operations->is_complete) &&
                  (!k.load_chain || k.load_chain->is_complete) &&
                  (!w.lines || w.lines->distances.is_complete) &&
                  (!k.synchronisation || k.synchronisation->is_complete);
  return w;
}

}  // namespace apmt::devices
