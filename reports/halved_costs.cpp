#include <algorithm>

#include "fitter/prediction/outlook.h"
#include "reports/numbers.h"
#include "reports/sections.h"
#include "reports/sentences.h"
#include "reports/vocabulary.h"
#include "reports/words.h"

namespace apmt {
namespace {

constexpr double kLittle = 0.05;   // share of the time: a smaller saving is called little
constexpr std::size_t kRows = 8;   // the table has at most this many rows
constexpr std::size_t kNamed = 6;  // at most this many changes are named as helping little
constexpr double kNothing = 1e-4;  // share of the time: a change that saves less is not mentioned

std::string part_noun(const Model& model, const std::string& key) {
  if (key == "comm_coll_s") return "collectives";
  if (key == "comm_other_s") return part_with_operations(model, "other");
  return part_words(key.substr(0, key.rfind("_s")));
}

std::string noun(const Model& model, const HalvedCost& change) {
  switch (change.of) {
    case HalvedCost::Of::kKernel:
      return short_name(kernel_title(model, model.kernels.at(change.kernel)));
    case HalvedCost::Of::kPart:
      return part_noun(model, change.part);
    case HalvedCost::Of::kMachine:
      break;
  }
  switch (change.knob) {
    case Knob::kLatency:
      return "half the network latency";
    case Knob::kBandwidth:
      return "twice the network bandwidth";
    case Knob::kFrequency:
      return "twice the core frequency";
    case Knob::kMemoryLatency:
      return "half the memory latency";
    case Knob::kMemoryBandwidth:
      return "twice the memory bandwidth";
  }
  return {};
}

/// Names the change that saves most. A change of the program that saves enough is preferred to a
/// change of the machine, because a user can rarely choose another machine.
std::string most_words(const Model& model, const Prediction& target,
                       const std::vector<HalvedCost>& changes) {
  const auto of_program = std::find_if(changes.begin(), changes.end(), [](const HalvedCost& c) {
    return c.of != HalvedCost::Of::kMachine && c.saved >= kLittle;
  });
  const HalvedCost& best = of_program != changes.end() ? *of_program : changes.front();
  const bool is_program = best.of != HalvedCost::Of::kMachine;
  const bool is_largest = &best == &changes.front();
  std::string text = std::string("Helps most") + (is_largest ? "" : " in the program") + ": " +
                     noun(model, best) + ". " + (is_program ? "At half the cost" : "With it") +
                     ", expect " + format_estimate(best.time, target.confidence) + " at " +
                     processes(target.procs) + " instead of " +
                     format_seconds(target.time.time_s, 2) + ".";
  if (!is_largest)
    text += " Another machine may help more: " + noun(model, changes.front()) + " saves " +
            format_share(changes.front().saved) + ".";
  return text;
}

}  // namespace

void add_halved_costs(const Model& model, const Prediction& target,
                      const std::vector<HalvedCost>& changes, ReportSection* section) {
  if (changes.empty() || target.worthless) return;
  ReportTable table{.id = "changes"};
  table.caption = "Predicted time at " + processes(target.procs) +
                  " if one thing costs half as much and all else stays as it is; now " +
                  format_seconds(target.time.time_s);
  const Source source = predicted_source(model, target);
  // The saving comes before the interval, because a phone shows only the first columns.
  table.columns = {
      {"change", "at half the cost", Quantity::kText},
      {"time", "time at " + std::to_string(target.procs), Quantity::kSeconds, source},
      {"saved", "saves", Quantity::kShare, derived_source(model, target)},
      {"interval", format_share(target.confidence) + " interval", Quantity::kSecondsRange, source},
  };
  table.columns[2].is_bar = true;
  std::vector<std::string> little;
  std::size_t more = 0;
  double most_of_little = 0;
  for (const HalvedCost& change : changes) {
    if (change.saved < kNothing) continue;
    if (change.saved >= kLittle || table.rows.empty()) {
      if (table.rows.size() < kRows)
        table.rows.push_back({.cells = {text_cell(noun(model, change)), time_cell(change.time),
                                        number_cell(change.saved), interval_cell(change.time)}});
      continue;
    }
    most_of_little = std::max(most_of_little, change.saved);
    if (little.size() < kNamed)
      little.push_back((change.of == HalvedCost::Of::kKernel ? "computation in " : "") +
                       noun(model, change));
    else
      ++more;
  }
  if (table.rows.empty()) return;
  const bool has_frequency = std::any_of(changes.begin(), changes.end(), [](const HalvedCost& c) {
    return c.of == HalvedCost::Of::kMachine && c.knob == Knob::kFrequency && c.saved >= kLittle;
  });
  if (has_frequency && target.parts.comm_wait && target.parts.comm_wait->time_s > 0)
    table.caption += "; a faster core also shortens the waiting for processes that compute";
  section->sentences.insert(section->sentences.begin(), most_words(model, target, changes));
  if (more > 0) little.push_back(plural(static_cast<double>(more), "other", "others"));
  if (!little.empty())
    section->sentences.push_back("Helps little (at most " + format_share(most_of_little) +
                                 " less time" + (little.size() > 1 ? " each" : "") +
                                 "): " + join_list(little) + ".");
  section->tables.push_back(std::move(table));
}

}  // namespace apmt
