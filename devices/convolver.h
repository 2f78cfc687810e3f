// The convolver of PMaC (Meswani et al., "Modeling and Predicting Performance of High Performance
// Computing Applications on Hardware Accelerators"): calculates the memory time of each block of a
// program on each device, and what a port of some blocks would gain.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "devices/card.h"

namespace apmt::devices {

/// The references of one kind in a block: their number and their mean size.
struct References {
  double count = 0;
  double bytes = 0;
};

/// Equation (1): the memory time on the host, from the number of references that each level served
/// ("L1" ... "memory"). Nothing if a level has no bandwidth on the card.
std::optional<double> host_memory_s(const std::map<std::string, References>& by_level,
                                    const Device& host);

struct IdiomTime {
  std::optional<double> seconds;
  std::string why_not;
  bool is_beyond = false;  // the footprint is larger than any that was measured
};

inline constexpr const char* kFootprintsBeyond = "footprints are larger than any that was measured";
/// Equation (2): the memory time of an idiom with this footprint on a device.
IdiomTime idiom_memory_s(const std::string& idiom, const References& references,
                         double footprint_bytes, const Device& device);

/// The time of a block on the host, and of its ports on the devices.
struct BlockTimes {
  std::string place;
  std::string idiom;
  double host_s = 0;
  std::map<std::string, double> device_s;  // by device; absent if it cannot run the block
};

/// The seconds of all blocks of each idiom on one device (tables VI and VII of the paper). Blocks
/// that the device cannot run are run by the host. An empty `device` is the host.
std::map<std::string, double> seconds_by_idiom(const std::vector<BlockTimes>& blocks,
                                               const std::string& device);

/// The seconds of all blocks of each idiom if each block runs on the fastest of the host and
/// `devices` (tables VIII and IX).
std::map<std::string, double> best_seconds_by_idiom(const std::vector<BlockTimes>& blocks,
                                                    const std::vector<std::string>& devices);
/// The device on which a block is fastest; empty: the host.
std::string best_device(const BlockTimes& block, const std::vector<std::string>& devices);

double sum(const std::map<std::string, double>& seconds);

/// The share of an application's time that a port saves: `coverage` is the share of the host's time
/// that is spent in the blocks (table V).
double saved_share(double coverage, double host_s, double ported_s);

/// Seconds to move data to the device and back `times` times; nothing if the card lacks the
/// figures.
std::optional<double> transfer_s(double bytes_there, double bytes_back, double times,
                                 const Device& device);
inline constexpr const char* kTransfersBeyond = "transfers are larger than any that was measured";
/// Whether a transfer to the device or back is larger than any that was measured
/// (kTransfersBeyond).
bool is_transfer_beyond(double bytes_there, double bytes_back, const Device& device);

/// The time of the device's work and of transfers: the longer of the two if they overlap, otherwise
/// their sum.
double with_transfers(double device_s, double transfer_s, bool do_overlap);

}  // namespace apmt::devices
