// Renders a machine profile as a page of text.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/words.h"
#include "machine/collective_law.h"
#include "machine/machine_profile.h"

namespace apmt {
namespace {

template <typename... Args>
std::string printed(const char* pattern, Args... args) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, args...);
  return text;
}

std::string bytes_text(double bytes) {
  if (bytes >= 1048576) return printed("%.4g MiB", bytes / 1048576);
  if (bytes >= 1024) return printed("%.4g KiB", bytes / 1024);
  return printed("%.0f B", bytes);
}

std::string rate_text(double bytes_per_s) { return printed("%.4g GB/s", bytes_per_s * 1e-9); }

void put_levels(const MachineProfile& profile, std::string* out) {
  *out += "  level        size   latency ns  cycles  spread     one core   knee seen at\n";
  for (const MemoryLevel& level : profile.levels) {
    const double ns = level.latency_ns ? level.latency_ns->value : 0;
    *out += printed(
        "  %-7s %9s", level.name.c_str(),
        level.size_bytes > 0 ? bytes_text(static_cast<double>(level.size_bytes)).c_str() : "");
    *out += level.latency_ns ? printed(" %12.2f", ns) : printed(" %12s", "-");
    *out += level.latency_ns && profile.frequency_hz
                ? printed(" %7.1f", ns * 1e-9 * profile.frequency_hz->value)
                : printed(" %7s", "-");
    *out += level.latency_ns ? printed(" %5.1f %%", 100 * level.latency_ns->spread)
                             : printed(" %7s", "");
    *out += printed("  %12s", level.bandwidth_bytes_per_s
                                  ? rate_text(level.bandwidth_bytes_per_s->value).c_str()
                                  : "-");
    *out += "   " + (level.knee_bytes ? bytes_text(*level.knee_bytes) : std::string()) + "\n";
  }
}

/// Draws a bar for every second size; its length shows the logarithm of the latency.
void put_curve(const MachineProfile& profile, std::string* out) {
  double low = profile.latency_curve.front().second;
  double high = low;
  for (const auto& [bytes, ns] : profile.latency_curve) {
    low = std::min(low, ns);
    high = std::max(high, ns);
  }
  if (!(low > 0) || !(high > low)) return;
  constexpr double kBarWidth = 50;
  *out += "\nLatency by size (logarithmic)\n";
  for (std::size_t i = 0; i < profile.latency_curve.size(); i += 2) {
    const auto& [bytes, ns] = profile.latency_curve[i];
    const double share = std::log(ns / low) / std::log(high / low);
    *out += printed("  %10s %8.2f ns  ", bytes_text(bytes).c_str(), ns);
    out->append(static_cast<std::size_t>(1 + share * (kBarWidth - 1)), '#');
    *out += "\n";
  }
}

void append_network(const Network& network, std::string* out) {
  *out += network.scope == "node" ? "\nMessages within a node\n" : "\nMessages between nodes\n";
  for (const HockneyPiece& piece : network.pieces) {
    *out +=
        printed("  from %10s  %9.3f us", bytes_text(piece.from_bytes).c_str(), piece.alpha_s * 1e6);
    if (piece.beta_s_per_byte > 0)
      *out += " + n / " + printed("%9s", rate_text(1 / piece.beta_s_per_byte).c_str());
    *out += printed("   within %.1f %%\n", 100 * piece.worst_error);
  }
  if (network.overlap)
    *out += printed("  %.0f %% of a large transfer can be hidden behind computation\n",
                    100 * network.overlap->value);
}

void put_collectives(const MachineProfile& profile, std::string* out) {
  *out += "\nCollectives, the slowest rank's time\n";
  std::string row;
  for (const CollectiveTime& one : profile.collectives) {
    const std::string name = one.op + " " + bytes_text(one.bytes);
    if (name != row) {
      if (!row.empty()) *out += "\n";
      *out += printed("  %-20s", name.c_str());
      row = name;
    }
    *out += printed("  %d: %.4g us", one.procs, one.time_s.value * 1e6);
  }
  *out += "\n";
  const std::vector<CollectiveLaw> laws = fit_collectives(profile.collectives);
  if (!laws.empty()) *out += "\nHow they grow with the number of ranks\n";
  for (const CollectiveLaw& law : laws) {
    std::string sum;
    for (const CollectiveLaw::Term& term : law.terms)
      sum += (sum.empty() ? "" : " + ") + printed("%.4g us * ", term.seconds * 1e6) + term.name;
    *out +=
        printed("  %-20s  %s   within %.1f %%\n", (law.op + " " + bytes_text(law.bytes)).c_str(),
                sum.c_str(), 100 * law.worst_error);
  }
}

}  // namespace

std::string render_machine_text(const MachineProfile& profile) {
  std::string out = profile.name + " (" + profile.provenance + ")";
  if (!profile.cpu.empty()) out += ": " + profile.cpu;
  if (profile.cores > 0) out += ", " + counted(profile.cores, "core");
  out += "\n";
  if (profile.frequency_hz)
    out += printed("\nCore frequency under load %.3f GHz", profile.frequency_hz->value * 1e-9);
  if (profile.clock_ns) out += printed("; reading the clock %.1f ns", profile.clock_ns->value);
  if (profile.signal_ns) out += printed("; a signal %.0f ns", profile.signal_ns->value);
  if (profile.frequency_hz) out += "\n";
  if (!profile.levels.empty()) out += "\n";
  if (!profile.levels.empty()) put_levels(profile, &out);
  if (!profile.bandwidth_by_cores.empty()) {
    out += "\nMemory bandwidth (a = b + s*c)\n";
    for (const auto& [cores, rate] : profile.bandwidth_by_cores)
      out += printed("  %4d %-5s %12s   spread %.1f %%\n", cores, cores == 1 ? "core" : "cores",
                     rate_text(rate.value).c_str(), 100 * rate.spread);
  }
  if (!profile.latency_curve.empty()) put_curve(profile, &out);
  for (const Network& network : profile.networks) append_network(network, &out);
  if (!profile.collectives.empty()) put_collectives(profile, &out);
  return out;
}

}  // namespace apmt
