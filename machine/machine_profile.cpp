#include "machine/machine_profile.h"

#include <charconv>

#include "base/checked_json.h"
#include "machine/yaml_json.h"

namespace apmt {
namespace {

/// The number with five significant digits, or fewer if these suffice.
std::string number(double value) {
  char text[40];
  const auto result = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 5);
  return {text, result.ptr};
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

std::string pair_of(const Figure& m) {
  return "[" + number(m.value) + ", " + number(m.spread) + "]";
}

void put(const char* name, const std::optional<Figure>& value, std::string* out) {
  if (value) *out += std::string(name) + ": " + pair_of(*value) + "\n";
}

Figure read_pair(const JsonAt& at) {
  const std::vector<double> numbers = at.non_negative_numbers();
  if (numbers.empty() || numbers.size() > 2) at.fail("[value, spread]");
  return {numbers[0], numbers.size() == 2 ? numbers[1] : 0};
}

std::optional<Figure> find_pair(const JsonAt& at, const char* key) {
  if (const auto found = at.find(key)) return read_pair(*found);
  return std::nullopt;
}

MemoryLevel read_level(const JsonAt& at) {
  MemoryLevel level;
  level.name = at.at("name").string();
  if (const auto size = at.find("size_bytes"))
    level.size_bytes = static_cast<std::uint64_t>(size->non_negative());
  level.latency_ns = find_pair(at, "latency_ns");
  level.bandwidth_bytes_per_s = find_pair(at, "bandwidth_bytes_per_s");
  level.knee_bytes = at.number_or_null("knee_bytes");
  return level;
}

/// Reads a list of exactly `length` numbers.
std::vector<double> row(const JsonAt& at, std::size_t length) {
  std::vector<double> numbers = at.non_negative_numbers();
  if (numbers.size() != length) at.fail("a list of " + std::to_string(length) + " numbers");
  return numbers;
}

Network read_network(const JsonAt& at) {
  Network network;
  network.scope = at.at("scope").string();
  if (network.scope != "node" && network.scope != "network") at.fail("scope node or network");
  network.overlap = find_pair(at, "overlap");
  if (const auto pieces = at.find("pieces"))
    pieces->for_each([&](const JsonAt& piece) {
      network.pieces.push_back({piece.at("from_bytes").non_negative(), piece.at("alpha_s").number(),
                                piece.at("beta_s_per_byte").non_negative(),
                                piece.number_or_null("worst_error").value_or(0)});
    });
  if (const auto times = at.find("times_s"))
    times->for_each([&](const JsonAt& one) {
      const std::vector<double> n = row(one, 3);
      network.times_s.push_back({n[0], {n[1], n[2]}});
    });
  return network;
}

void put_network(const Network& network, std::string* out) {
  *out += "- scope: " + network.scope + "\n";
  if (network.overlap) *out += "  overlap: " + pair_of(*network.overlap) + "\n";
  *out += "  pieces:  # T(n) = alpha_s + beta_s_per_byte * n from from_bytes on\n";
  for (const HockneyPiece& piece : network.pieces)
    *out += "  - {from_bytes: " + number(piece.from_bytes) + ", alpha_s: " + number(piece.alpha_s) +
            ", beta_s_per_byte: " + number(piece.beta_s_per_byte) +
            ", worst_error: " + number(piece.worst_error) + "}\n";
  if (network.times_s.empty()) return;
  *out += "  times_s:  # bytes, half a round trip, spread\n";
  for (const auto& [bytes, time] : network.times_s)
    *out +=
        "  - [" + number(bytes) + ", " + number(time.value) + ", " + number(time.spread) + "]\n";
}

}  // namespace

const MemoryLevel* MachineProfile::level(const std::string& wanted) const {
  for (const MemoryLevel& one : levels)
    if (one.name == wanted) return &one;
  return nullptr;
}

const Network* MachineProfile::network(const std::string& scope) const {
  for (const Network& one : networks)
    if (one.scope == scope) return &one;
  return nullptr;
}

std::optional<double> MachineProfile::latency_ns_at(const std::string& wanted,
                                                    double other_frequency_hz) const {
  const MemoryLevel* found = level(wanted);
  if (found == nullptr || !found->latency_ns) return std::nullopt;
  if (!found->is_core_clocked()) return found->latency_ns->value;
  if (!frequency_hz || !(other_frequency_hz > 0)) return std::nullopt;
  return found->latency_ns->value * frequency_hz->value / other_frequency_hz;
}

MachineProfile read_machine_profile(const std::filesystem::path& file) {
  const Json root = read_yaml_file(file, "apmt-machine", 1);
  const JsonAt at(root, file.string());
  MachineProfile profile;
  const auto text = [&](const char* key) {
    const auto found = at.find(key);
    return found ? found->string() : std::string();
  };
  profile.name = at.at("name").string();
  profile.provenance = at.at("provenance").string();
  if (profile.provenance != "measured" && profile.provenance != "assumed" &&
      profile.provenance != "virtual")
    at.at("provenance").fail("measured, assumed or virtual");
  profile.source = text("source");
  profile.cpu = text("cpu");
  profile.mpi = text("mpi");
  if (const auto cores = at.find("cores"))
    profile.cores = static_cast<int>(cores->integer_in(1, 1 << 20));
  profile.frequency_hz = find_pair(at, "frequency_hz");
  profile.clock_ns = find_pair(at, "clock_ns");
  profile.signal_ns = find_pair(at, "signal_ns");
  if (const auto levels = at.find("levels"))
    levels->for_each([&](const JsonAt& level) { profile.levels.push_back(read_level(level)); });
  if (const auto curve = at.find("latency_curve"))
    curve->for_each([&](const JsonAt& point) {
      const std::vector<double> n = row(point, 2);
      profile.latency_curve.push_back({n[0], n[1]});
    });
  if (const auto by_cores = at.find("bandwidth_by_cores"))
    by_cores->for_each([&](const JsonAt& point) {
      const std::vector<double> n = row(point, 3);
      profile.bandwidth_by_cores.push_back({static_cast<int>(n[0]), {n[1], n[2]}});
    });
  if (const auto networks = at.find("networks"))
    networks->for_each([&](const JsonAt& one) { profile.networks.push_back(read_network(one)); });
  if (const auto collectives = at.find("collectives"))
    collectives->for_each([&](const JsonAt& one) {
      profile.collectives.push_back({one.at("op").string(),
                                     static_cast<int>(one.at("procs").integer_in(1, 1 << 30)),
                                     one.at("bytes").non_negative(), read_pair(one.at("time_s"))});
    });
  return profile;
}

std::string to_yaml(const MachineProfile& profile) {
  std::string out =
      "# A machine, as apmt measured it. Pairs are [median, distance of the quartiles relative to it].\n"
      "format: apmt-machine\nformat_version: \"1.0\"\n";
  out += "name: " + quoted(profile.name) + "\n";
  out += "provenance: " + profile.provenance + "\n";
  if (!profile.source.empty()) out += "source: " + quoted(profile.source) + "\n";
  if (!profile.cpu.empty()) out += "cpu: " + quoted(profile.cpu) + "\n";
  if (profile.cores > 0) out += "cores: " + std::to_string(profile.cores) + "\n";
  put("frequency_hz", profile.frequency_hz, &out);
  put("clock_ns", profile.clock_ns, &out);
  put("signal_ns", profile.signal_ns, &out);
  if (!profile.levels.empty()) out += "levels:\n";
  for (const MemoryLevel& level : profile.levels) {
    out += "- name: " + level.name + "\n";
    if (level.size_bytes > 0) out += "  size_bytes: " + std::to_string(level.size_bytes) + "\n";
    put("  latency_ns", level.latency_ns, &out);
    put("  bandwidth_bytes_per_s", level.bandwidth_bytes_per_s, &out);
    if (level.knee_bytes) out += "  knee_bytes: " + number(*level.knee_bytes) + "\n";
  }
  if (!profile.bandwidth_by_cores.empty())
    out += "bandwidth_by_cores:  # cores, bytes/s of all, spread\n";
  for (const auto& [cores, rate] : profile.bandwidth_by_cores)
    out += "- [" + std::to_string(cores) + ", " + number(rate.value) + ", " + number(rate.spread) +
           "]\n";
  if (!profile.latency_curve.empty()) out += "latency_curve:  # bytes, ns\n";
  for (const auto& [bytes, ns] : profile.latency_curve)
    out += "- [" + number(bytes) + ", " + number(ns) + "]\n";
  if (!profile.mpi.empty()) out += "mpi: " + quoted(profile.mpi) + "\n";
  if (!profile.networks.empty()) out += "networks:\n";
  for (const Network& network : profile.networks) put_network(network, &out);
  if (!profile.collectives.empty()) out += "collectives:  # the slowest rank's time\n";
  for (const CollectiveTime& one : profile.collectives)
    out += "- {op: " + one.op + ", procs: " + std::to_string(one.procs) +
           ", bytes: " + number(one.bytes) + ", time_s: " + pair_of(one.time_s) + "}\n";
  return out;
}

}  // namespace apmt
