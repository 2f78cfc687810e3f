// The report of `apmt match`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "devices/match.h"
#include "reports/report.h"

namespace apmt {

/// A ranking of the devices for each kernel.
Report make_match_report(const devices::Match& match);

/// The kernels in the roofline of a device; absent if none can be drawn in it.
std::optional<ReportSection> device_roofline(const devices::Device& device,
                                             const std::vector<devices::KernelMatch>& kernels);

/// The idioms of all kernels on the host and on devices; absent if there is no host.
std::optional<ReportSection> program_idioms_section(const devices::Match& match);

/// Sentences on what is unknown: why devices have no time, and what their times do not include.
/// Each names all devices to which it applies.
std::vector<std::string> gaps_of(const devices::KernelMatch& kernel);

}  // namespace apmt
