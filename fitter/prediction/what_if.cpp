#include "fitter/prediction/what_if.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>

#include "base/input_error.h"
#include "base/words.h"
#include "machine/machine_profile.h"

namespace apmt {
namespace {

struct Unit {
  const char* name;
  double size;
};

constexpr std::array<Unit, 4> kTimes = {{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
constexpr std::array<Unit, 4> kFrequencies = {
    {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}};
constexpr std::array<Unit, 7> kRates = {{{"B/s", 1},
                                         {"KB/s", 1e3},
                                         {"MB/s", 1e6},
                                         {"GB/s", 1e9},
                                         {"TB/s", 1e12},
                                         {"Mbit/s", 1e6 / 8},
                                         {"Gbit/s", 1e9 / 8}}};

struct KnobNames {
  const char* words;
  const char* unit;
  std::span<const Unit> units;
  const char* example;
};

const KnobNames& names_of(Knob knob) {
  static constexpr std::array<KnobNames, kKnobs.size()> kNames = {{
      {"latency", "s", kTimes, "2us"},
      {"bandwidth", "byte/s", kRates, "12.5GB/s"},
      {"frequency", "Hz", kFrequencies, "2.6GHz"},
      {"memory latency", "s", kTimes, "90ns"},
      {"memory bandwidth", "byte/s", kRates, "8GB/s"},
  }};
  return kNames.at(static_cast<std::size_t>(knob));
}

std::optional<double> positive_number(const std::string& text, std::string* rest) {
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc() || !std::isfinite(x) || !(x > 0)) return std::nullopt;
  *rest = std::string(end, text.data() + text.size());
  return x;
}

bool is_one_node(const MachineFigures& machine, int procs) {
  return machine.cores_per_node > 0 && procs <= machine.cores_per_node;
}

/// The link between `procs` processes: within a node or between nodes.
const Link& link_for(const MachineFigures& machine, int procs) {
  return is_one_node(machine, procs) ? machine.in_node : machine.between_nodes;
}

std::optional<double> memory_bandwidth_per_process(const MachineFigures& machine, int procs) {
  const auto& bandwidth = machine.memory.bandwidth;
  const int cores = machine.cores_per_node;
  const int busy = cores > 0 ? std::min(procs, cores) : procs;
  const bool is_of_one_core = !bandwidth.empty() && bandwidth.back().first == 1;
  if (is_of_one_core && busy > 1) return std::nullopt;  // the bandwidth of several cores is unknown
  const std::optional<double> s_per_byte = machine.memory.s_per_byte(busy);
  return s_per_byte ? std::optional<double>(1 / *s_per_byte) : std::nullopt;
}

std::optional<double> figure(const MachineFigures& machine, Knob knob, int procs) {
  const Link& link = link_for(machine, procs);
  const auto positive = [](double x) { return x > 0 ? std::optional<double>(x) : std::nullopt; };
  const auto inverse = [](double x) { return x > 0 ? std::optional<double>(1 / x) : std::nullopt; };
  switch (knob) {
    case Knob::kLatency:
      return positive(link.latency_s());
    case Knob::kBandwidth:
      return inverse(link.s_per_byte(INFINITY));
    case Knob::kFrequency:
      return machine.memory.frequency_hz;
    case Knob::kMemoryLatency:
      return machine.memory.memory_s;
    case Knob::kMemoryBandwidth:
      break;
  }
  return memory_bandwidth_per_process(machine, procs);
}

}  // namespace

const char* words(Knob knob) { return names_of(knob).words; }

const char* unit(Knob knob) { return names_of(knob).unit; }

bool is_rate(Knob knob) { return knob != Knob::kLatency && knob != Knob::kMemoryLatency; }

std::string format_value(Knob knob, double value) {
  // Chooses the largest unit in which the value is at least one; if there is none, the smallest
  // unit. Units of bits are accepted as input, but never chosen.
  const auto rank = [value](const Unit& u) -> double {
    if (std::string_view(u.name).find("bit") != std::string_view::npos) return -INFINITY;
    return value >= u.size * (1 - 1e-9) ? u.size : -u.size;
  };
  const Unit& best = *std::ranges::max_element(names_of(knob).units, {}, rank);
  return brief_number(value / best.size) + ' ' + best.name;
}

KnobChange parse_change(Knob knob, const std::string& text, const std::string& where) {
  std::string expected = "expected a factor such as x0.5 or a value with its unit such as ";
  expected.append(names_of(knob).example).append(", found '").append(text).append("'");
  std::string rest;
  const bool is_factor = text.starts_with('x');
  const std::optional<double> number = positive_number(text.substr(is_factor), &rest);
  if (!number || (is_factor && !rest.empty())) throw InputError(where, expected);
  if (is_factor) return {KnobChange::Kind::kFactor, *number};
  rest.erase(0, std::min(rest.find_first_not_of(' '), rest.size()));
  std::string known;
  for (const Unit& u : names_of(knob).units) {
    if (rest == u.name) return {KnobChange::Kind::kValue, *number * u.size};
    known += (known.empty() ? "" : ", ") + std::string(u.name);
  }
  throw InputError(where, expected, "units: " + known);
}

MachineFigures read_machine_figures(const std::filesystem::path& file) {
  const MachineProfile profile = read_machine_profile(file);
  MachineFigures figures;
  figures.name = profile.name.empty() ? file.filename().string() : profile.name;
  figures.cores_per_node = profile.cores;
  figures.in_node = link_of(profile, "node");
  figures.between_nodes = link_of(profile, "network");
  figures.memory = read_memory_costs(file);
  return figures;
}

WhatIf on_machine(WhatIf what_if, int procs, const std::optional<MachineFigures>& target,
                  const std::optional<MachineFigures>& profiled_on) {
  MachineFigures there = target.value_or(MachineFigures{});
  if (what_if.cores_per_node) there.cores_per_node = *what_if.cores_per_node;
  if (profiled_on) {
    what_if.profiled_latency_s = figure(*profiled_on, Knob::kLatency, procs);
    what_if.profiled_bandwidth_bytes_per_s = figure(*profiled_on, Knob::kBandwidth, procs);
  }
  if (target) what_if.source = "machine profile " + target->name;
  for (const Knob knob : kKnobs) {
    std::optional<KnobChange>& change = what_if.of(knob);
    if (!change)
      if (const std::optional<double> value = figure(there, knob, procs))
        change = KnobChange{KnobChange::Kind::kValue, *value, false};
    if (!change || change->kind == KnobChange::Kind::kFactor || !profiled_on) continue;
    if (const std::optional<double> before = figure(*profiled_on, knob, procs))
      change = KnobChange{KnobChange::Kind::kFactor, change->amount / *before, change->asked};
  }
  const auto is_a_value = [](const std::optional<KnobChange>& change) {
    return change && change->kind == KnobChange::Kind::kValue;
  };
  if (profiled_on && link_for(*profiled_on, procs).pieces.empty() &&
      (is_a_value(what_if.of(Knob::kLatency)) || is_a_value(what_if.of(Knob::kBandwidth))))
    what_if.warnings.push_back(
        "the profile of the machine of the runs, " + profiled_on->name + ", has no network " +
        (is_one_node(*profiled_on, procs) ? "inside a node" : "between nodes") +
        ": latency and bandwidth are compared with the fitted cost of messages instead");
  if (!what_if.cores_per_node && there.cores_per_node > 0)
    what_if.cores_per_node = there.cores_per_node;
  return what_if;
}

}  // namespace apmt
