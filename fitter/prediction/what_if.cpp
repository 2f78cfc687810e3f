#include "fitter/prediction/what_if.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <span>

#include "base/input_error.h"

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

}  // namespace

const char* words(Knob knob) { return names_of(knob).words; }

const char* unit(Knob knob) { return names_of(knob).unit; }

bool is_rate(Knob knob) { return knob != Knob::kLatency && knob != Knob::kMemoryLatency; }

std::string format_value(Knob knob, double value) {
  // Chooses the largest unit in which the value is at least one; if there is none, the smallest
  // unit. Units of bits are accepted as input, but never chosen.
  const Unit* best = nullptr;
  const Unit* smallest = nullptr;
  for (const Unit& u : names_of(knob).units) {
    if (std::string(u.name).find("bit") != std::string::npos) continue;
    if (smallest == nullptr || u.size < smallest->size) smallest = &u;
    if (value >= u.size * (1 - 1e-9) && (best == nullptr || u.size > best->size)) best = &u;
  }
  if (best == nullptr) best = smallest;
  char text[48];
  std::snprintf(text, sizeof text, "%.3g %s", value / best->size, best->name);
  return text;
}

KnobChange parse_change(Knob knob, const std::string& text, const std::string& where) {
  std::string expected = "expected a factor such as x0.5 or a value with its unit such as ";
  expected.append(names_of(knob).example).append(", found '").append(text).append("'");
  std::string rest;
  if (!text.empty() && text.front() == 'x') {
    const std::optional<double> factor = positive_number(text.substr(1), &rest);
    if (!factor || !rest.empty()) throw InputError(where, expected);
    return {KnobChange::Kind::kFactor, *factor};
  }
  const std::optional<double> number = positive_number(text, &rest);
  if (!number) throw InputError(where, expected);
  rest.erase(0, std::min(rest.find_first_not_of(' '), rest.size()));
  std::string known;
  for (const Unit& u : names_of(knob).units) {
    if (rest == u.name) return {KnobChange::Kind::kValue, *number * u.size};
    known += (known.empty() ? "" : ", ") + std::string(u.name);
  }
  throw InputError(where, expected, "units: " + known);
}

bool WhatIf::any() const {
  return cores_per_node || std::any_of(changes.begin(), changes.end(),
                                       [](const auto& change) { return change.has_value(); });
}

}  // namespace apmt
