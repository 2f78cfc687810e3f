#include "devices/program_idioms.h"

#include <algorithm>
#include <set>

#include "base/input_error.h"
#include "devices/convolver.h"
#include "devices/pmac.h"

namespace apmt::devices {
namespace {

/// The hit classes of equation (1): the references that each level of the host serves. A reference
/// to the first level moves only the accessed bytes; one to another level moves a whole line. The
/// measured bandwidths of the levels count bytes in the same way.
std::map<std::string, References> hit_classes(const References& references,
                                              const LineTraffic& lines, const Device& host) {
  std::map<std::string, References> classes;
  double left = 1;  // share of the references that the faster levels do not serve
  for (const CardLevel& level : host.levels) {
    const double beyond =
        level.size_bytes ? std::min(left, lines.misses(level.size_bytes->value) / lines.accesses)
                         : 0;
    const bool is_first = &level == &host.levels.front();
    if (left > beyond)
      classes[level.name] = {references.count * (left - beyond),
                             is_first ? references.bytes : lines.line_bytes};
    left = beyond;
  }
  return classes;
}

double seconds_on_host(const References& references, const Workload& kernel, const Device& host) {
  if (!kernel.lines || !(kernel.lines->accesses > 0))
    throw InputError("", "the analysis of " + kernel.name + " lacks stack distances",
                     "the time on the host follows from them: apmt analyze --with "
                     "mix,stack-distances,synchronisation,footprint");
  const auto seconds = host_memory_s(hit_classes(references, *kernel.lines, host), host);
  if (!seconds)
    throw InputError("", "the card of " + host.name + " lacks the bandwidth of a memory level",
                     "measure one: apmt calibrate --device cpu");
  return *seconds;
}

/// The instances of all kernels, and the share of the program's time in each, if it is known.
class Instances {
 public:
  Instances(const std::vector<Workload>& kernels, const std::vector<Device>& devices,
            const IdiomHost& host, DataPlace data, bool do_overlap)
      : devices_(devices), host_(host), data_(data), do_overlap_(do_overlap) {
    if (host.card.levels.empty() || host.card.levels.back().size_bytes)
      throw InputError("", "the card of " + host.card.name + " has no memory levels",
                       "the time on the host follows from them; measure them: apmt calibrate");
    for (std::size_t k = 0; k < kernels.size(); ++k)
      add(kernels[k],
          host.kernel_shares.empty() ? std::nullopt : std::optional(host.kernel_shares[k]));
    if (!host.kernel_shares.empty() || !host.coverage) return;
    double all_s = 0;
    for (const BlockTimes& block : blocks) all_s += block.host_s;
    for (const BlockTimes& block : blocks)
      coverage.push_back(*host.coverage * block.host_s / all_s);
  }

  std::vector<BlockTimes> blocks;
  std::vector<double> coverage;  // one for each block, or none
  std::set<std::string> stay;

 private:
  void add(const Workload& kernel, std::optional<double> share) {
    double references = 0;
    for (const IdiomBlock& block : kernel.idioms) {
      references += block.references;
      blocks.push_back({.place = block.place,
                        .idiom = block.idiom,
                        .host_s = seconds_on_host(
                            {block.references, block.bytes / block.references}, kernel, host_.card),
                        .device_s = {}});
    }
    if (kernel.idioms.empty()) return;
    const std::size_t first = blocks.size() - kernel.idioms.size();
    for (const Device& device : devices_) {
      const auto times = pmac::idiom_times_with_transfers(kernel, device, data_, do_overlap_);
      for (std::size_t i = 0; i < times.size(); ++i)
        if (times[i].seconds)
          blocks[first + i].device_s[device.label] = *times[i].seconds;
        else
          stay.insert(times[i].why_not);
    }
    if (!share) return;
    if (!(kernel.share_idioms > 0))
      throw InputError("", "the analysis of " + kernel.name + " lacks counts of instructions",
                       "the share of its idioms follows from them: apmt analyze --with mix,...");
    const double kernel_s = seconds_on_host(
        {references / kernel.share_idioms, kernel.lines->access_bytes}, kernel, host_.card);
    // The idioms together get at most the kernel's share. Their time can be longer than `kernel_s`,
    // which is calculated with the mean size of an access, if their references are larger than this
    // mean.
    double idioms_s = 0;
    for (std::size_t i = first; i < blocks.size(); ++i) idioms_s += blocks[i].host_s;
    for (std::size_t i = first; i < blocks.size(); ++i)
      coverage.push_back(*share * blocks[i].host_s / std::max(kernel_s, idioms_s));
  }

  const std::vector<Device>& devices_;
  const IdiomHost& host_;
  DataPlace data_;
  bool do_overlap_;
};

std::vector<IdiomOnHost> on_host(const Instances& all) {
  std::map<std::string, IdiomOnHost> rows;
  for (std::size_t i = 0; i < all.blocks.size(); ++i) {
    IdiomOnHost& row = rows[all.blocks[i].idiom];
    row.idiom = all.blocks[i].idiom;
    ++row.instances;
    row.seconds += all.blocks[i].host_s;
    if (!all.coverage.empty()) row.coverage = row.coverage.value_or(0) + all.coverage[i];
  }
  std::vector<IdiomOnHost> out;
  for (const auto& [idiom, row] : rows) out.push_back(row);
  return out;
}

IdiomPort port(const Instances& all, const std::vector<std::string>& devices, bool is_blind) {
  IdiomPort out{.devices = devices,
                .is_blind = is_blind,
                .instances = 0,
                .seconds = is_blind ? seconds_by_idiom(all.blocks, devices.front())
                                    : best_seconds_by_idiom(all.blocks, devices),
                .total_s = 0,
                .saved_share = {}};
  out.total_s = sum(out.seconds);
  for (const BlockTimes& block : all.blocks)
    out.instances += is_blind ? block.device_s.count(devices.front())
                              : std::size_t{!best_device(block, devices).empty()};
  if (all.coverage.empty()) return out;
  // What an instance saves is weighted by its share of the program's time (`all.coverage`). These
  // shares may differ from the shares that the times of equation (1) would give.
  double saved = 0;
  for (std::size_t i = 0; i < all.blocks.size(); ++i) {
    const std::vector<BlockTimes> one = {all.blocks[i]};
    const double seconds = sum(is_blind ? seconds_by_idiom(one, devices.front())
                                        : best_seconds_by_idiom(one, devices));
    saved += saved_share(all.coverage[i], one.front().host_s, seconds);
  }
  out.saved_share = saved;
  return out;
}

}  // namespace

std::size_t ProgramIdioms::instances() const {
  std::size_t all = 0;
  for (const IdiomOnHost& row : on_host) all += row.instances;
  return all;
}

const IdiomPort* ProgramIdioms::best_blind() const {
  const IdiomPort* best = nullptr;
  for (const IdiomPort& port : ports)
    if (port.is_blind && port.instances > 0 && (best == nullptr || port.total_s < best->total_s))
      best = &port;
  return best;
}

std::optional<ProgramIdioms> program_idioms(const std::vector<Workload>& kernels,
                                            const std::vector<Device>& devices,
                                            const IdiomHost& host, DataPlace data,
                                            bool do_overlap) {
  const Instances all(kernels, devices, host, data, do_overlap);
  if (all.blocks.empty()) return std::nullopt;
  ProgramIdioms out;
  out.on_host = on_host(all);
  for (const BlockTimes& block : all.blocks) out.host_s += block.host_s;
  if (!all.coverage.empty()) {
    out.coverage = 0;
    for (const double share : all.coverage) *out.coverage += share;
  }
  std::vector<std::string> labels;
  for (const Device& device : devices) labels.push_back(device.label);
  for (const std::string& label : labels) out.ports.push_back(port(all, {label}, true));
  for (const std::string& label : labels) out.ports.push_back(port(all, {label}, false));
  if (labels.size() > 1) out.ports.push_back(port(all, labels, false));
  out.stay = {all.stay.begin(), all.stay.end()};
  return out;
}

}  // namespace apmt::devices
