// The report of `apmt match`: for each kernel the devices, fastest first, with its time and
// bottleneck on each, and the best split of its work over several devices.
#include "reports/devices/match.h"

#include <algorithm>
#include <map>
#include <set>

#include "reports/numbers.h"
#include "reports/words.h"

namespace apmt {
namespace {

using devices::DevicePrediction;
using devices::DeviceTime;
using devices::KernelMatch;
using devices::Match;

/// "110 FLOP/s", "1.20 GFLOP/s"
std::string flops_text(double flops_per_s) {
  const std::string count = format_count(flops_per_s);
  const bool has_prefix = count.find(' ') != std::string::npos;
  return count + (has_prefix ? "FLOP/s" : " FLOP/s");
}

bool has_range(const KernelMatch& k) {
  return std::any_of(k.predictions.begin(), k.predictions.end(),
                     [](const DevicePrediction& p) { return p.range.has_value(); });
}

ReportColumn range_column() {
  return {.id = "range",
          .title = "range",
          .quantity = Quantity::kSecondsRange,
          .source = Source::kDerived};
}

ReportCell range_cell(const DevicePrediction& p) {
  if (!p.range) return {};
  return {.value = p.range->low_s, .high = p.range->high_s};
}

bool has_probability(const KernelMatch& k) {
  return std::any_of(k.predictions.begin(), k.predictions.end(),
                     [](const DevicePrediction& p) { return p.probability.has_value(); });
}

ReportColumn probability_column() {
  return {.id = "probability",
          .title = "prob.",
          .quantity = Quantity::kShare,
          .source = Source::kDerived};
}

/// Never shows 100 %, because the method's answers are never certain.
std::string probability_text(double probability) {
  return probability > 0.995 ? "above 99 %" : format_share(probability);
}

ReportCell probability_cell(const DevicePrediction& p) {
  if (!p.probability) return {};
  return {.text = probability_text(*p.probability), .value = p.probability};
}

/// The first table of the report: which device is the fastest for each kernel.
ReportSection overview(const Match& match) {
  ReportSection section{.id = "overview", .title = "The fastest device for each kernel"};
  ReportTable table{.id = "overview", .caption = ""};
  const bool with_range =
      std::any_of(match.kernels.begin(), match.kernels.end(), [](const KernelMatch& k) {
        return k.ranked() > 0 && k.predictions.front().range.has_value();
      });
  table.columns = {
      {.id = "kernel", .title = "kernel", .is_code = true},
      {.id = "device", .title = "fastest on"},
      {.id = "time", .title = "time", .quantity = Quantity::kSeconds, .source = Source::kDerived}};
  if (with_range) table.columns.push_back(range_column());
  const bool with_probability =
      std::any_of(match.kernels.begin(), match.kernels.end(), has_probability);
  if (with_probability) table.columns.push_back(probability_column());
  table.columns.insert(table.columns.end(), {{.id = "bottleneck", .title = "bound by"},
                                             {.id = "next", .title = "second fastest"},
                                             {.id = "factor",
                                              .title = "its cost",
                                              .quantity = Quantity::kFactor,
                                              .source = Source::kDerived},
                                             {.id = "gain",
                                              .title = "gain of sharing",
                                              .quantity = Quantity::kFactor,
                                              .source = Source::kDerived}});
  for (const KernelMatch& k : match.kernels) {
    const std::size_t ranked = k.ranked();
    ReportRow row{.cells = {{.text = k.name}}};
    if (ranked == 0 && k.timed() > 0) row.cells.push_back({.text = "open"});
    if (ranked > 0) {
      const DevicePrediction& best = k.predictions.front();
      row.cells.push_back({.text = best.device});
      row.cells.push_back({.value = best.time->total_s});
      if (with_range) row.cells.push_back(range_cell(best));
      if (with_probability) row.cells.push_back(probability_cell(best));
      row.cells.push_back({.text = best.time->bottleneck()});
    }
    if (ranked > 1) {
      row.cells.push_back({.text = k.predictions[1].device});
      row.cells.push_back({.value = k.relative_cost(1)});
      row.cells.push_back(
          {.value = k.split ? std::optional(k.split->gain_over_best) : std::nullopt});
    }
    row.cells.resize(table.columns.size());
    table.rows.push_back(std::move(row));
  }
  if (std::any_of(match.kernels.begin(), match.kernels.end(),
                  [](const KernelMatch& k) { return k.ranked() < k.timed(); }))
    section.sentences.push_back(
        "Devices whose times lack a cost that may be much of them cannot be compared, and are left "
        "out here.");
  table.text_rows = 20;
  table.more = "kernels";
  section.tables.push_back(std::move(table));
  return section;
}

/// `has_launches` is false for PMaC's method, which has no separate time for launches: the
/// bandwidths of idioms include it.
ReportTable ranking_table(const KernelMatch& k, bool has_transfers, bool has_launches) {
  ReportTable table{.id = "ranking", .caption = ""};
  table.columns = {
      {.id = "device", .title = "device"},
      {.id = "time", .title = "time", .quantity = Quantity::kSeconds, .source = Source::kDerived},
      {.id = "relative",
       .title = "cost",
       .quantity = Quantity::kFactor,
       .source = Source::kDerived},
      {.id = "rate", .title = "bound", .source = Source::kDerived},
      {.id = "bottleneck", .title = "bottleneck"},
      {.id = "computation",
       .title = "computation",
       .quantity = Quantity::kSeconds,
       .source = Source::kDerived},
      {.id = "fast",
       .title = "fast memory",
       .quantity = Quantity::kSeconds,
       .source = Source::kDerived},
      {.id = "slow",
       .title = "slow memory",
       .quantity = Quantity::kSeconds,
       .source = Source::kDerived},
      {.id = "synchronisation",
       .title = "sync.",
       .quantity = Quantity::kSeconds,
       .source = Source::kDerived}};
  const bool with_latency =
      std::any_of(k.predictions.begin(), k.predictions.end(),
                  [](const DevicePrediction& p) { return p.time && p.time->latency_s; });
  if (with_latency)
    table.columns.insert(table.columns.end() - 1, {.id = "latency",
                                                   .title = "latency",
                                                   .quantity = Quantity::kSeconds,
                                                   .source = Source::kDerived});
  const bool with_range = has_range(k);
  if (with_range) table.columns.insert(table.columns.begin() + 2, range_column());
  const bool with_probability = has_probability(k);
  if (with_probability) table.columns.insert(table.columns.begin() + 1, probability_column());
  if (has_transfers)
    table.columns.push_back({.id = "moved",
                             .title = has_launches ? "launch, transfer" : "transfer",
                             .quantity = Quantity::kSeconds,
                             .source = Source::kDerived});
  for (std::size_t i = 0; i < k.timed(); ++i) {
    const DevicePrediction& p = k.predictions[i];
    const DeviceTime& t = *p.time;
    const auto rate = k.flops_per_s(i);
    ReportRow row{.cells = {{.text = p.device},
                            {.value = t.total_s},
                            {.value = k.relative_cost(i)},
                            {.text = rate ? flops_text(*rate) : "", .value = rate},
                            {.text = t.bottleneck()},
                            {.value = t.computation_s},
                            {.value = t.fast_memory_s},
                            {.value = t.slow_memory_s},
                            {.value = t.synchronisation_s}}};
    if (with_latency) row.cells.insert(row.cells.end() - 1, {.value = t.latency_s});
    if (with_range) row.cells.insert(row.cells.begin() + 2, range_cell(p));
    if (with_probability) row.cells.insert(row.cells.begin() + 1, probability_cell(p));
    if (has_transfers)
      row.cells.push_back({.value = !has_launches ? t.transfer_s
                                    : t.launch_s && t.transfer_s
                                        ? std::optional(*t.launch_s + *t.transfer_s)
                                        : std::nullopt});
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// The time of each idiom on each device, and the device on which it is fastest, as in the PMaC
/// papers.
ReportTable idiom_table(const KernelMatch& k, const std::vector<devices::Device>& all) {
  ReportTable table{.id = "idioms", .caption = "Idioms"};
  table.columns = {{.id = "place", .title = "at", .is_code = true},
                   {.id = "idiom", .title = "idiom"},
                   {.id = "references", .title = "references", .quantity = Quantity::kCount},
                   {.id = "footprint", .title = "footprint", .quantity = Quantity::kBytes}};
  for (const devices::Device& device : all)
    table.columns.push_back({.id = device.label,
                             .title = device.label,
                             .quantity = Quantity::kSeconds,
                             .source = Source::kDerived});
  table.columns.push_back({.id = "best", .title = "fastest on"});
  for (const devices::IdiomMatch& idiom : k.idioms) {
    ReportRow row{.cells = {{.text = idiom.block.place},
                            {.text = idiom.block.idiom},
                            {.value = idiom.block.references},
                            {.value = idiom.block.footprint_bytes}}};
    for (const std::optional<double>& seconds : idiom.seconds)
      row.cells.push_back({.value = seconds});
    const auto best = idiom.best();
    row.cells.push_back({.text = best ? all[*best].label : ""});
    table.rows.push_back(std::move(row));
  }
  table.text_rows = 12;
  table.more = "idioms";
  return table;
}

/// States the sum of the idioms' times if each runs on the device that is fastest for it. Needs
/// times of every idiom and at least two devices.
void say_best_of_each_idiom(const KernelMatch& k, std::vector<std::string>* say) {
  double seconds = 0;
  for (const devices::IdiomMatch& idiom : k.idioms) {
    const auto best = idiom.best();
    if (!best) return;
    seconds += *idiom.seconds[*best];
  }
  if (k.idioms.empty() || k.timed() < 2) return;
  say->push_back("With each idiom on the device that is fastest for it, the idioms take " +
                 format_seconds(seconds) + ", without moving data between devices.");
}

/// The devices that may be faster, but whose times lack a cost, by cost. Without this cost, a time
/// is a lower bound.
void say_lacking(const KernelMatch& k, std::vector<std::string>* say) {
  std::map<std::string, std::vector<std::string>> devices;
  for (const DevicePrediction& p : k.predictions)
    if (!p.lacks.empty() &&
        (k.ranked() == 0 || p.time->total_s < k.predictions.front().time->total_s))
      devices[p.lacks].push_back(p.device);
  for (const auto& [cost, names] : devices)
    say->push_back("Whether " + join_list(names) +
                   (names.size() == 1 ? " is faster is open: its time lacks"
                                      : " are faster is open: their times lack") +
                   " the cost of " + cost + ", which may be much of it.");
}

void say_best(const KernelMatch& k, std::vector<std::string>* say) {
  say_lacking(k, say);
  const std::size_t ranked = k.ranked();
  if (ranked == 0) return;
  const DevicePrediction& best = k.predictions.front();
  const std::string sure =
      best.probability ? " (probability " + probability_text(*best.probability) + ")" : "";
  std::string text = best.device +
                     (ranked == 1 && k.timed() > 1 ? " has the only time that can be compared"
                      : ranked < k.timed() ? " is the fastest of the devices that can be compared"
                                           : " is the fastest") +
                     sure + ": " + format_seconds(best.time->total_s) + " for " +
                     plural(k.invocations, "call", "calls") + ", bound by " +
                     best.time->bottleneck();
  if (ranked > 1)
    text +=
        "; " + k.predictions[1].device + " takes " + format_times(*k.relative_cost(1)) + " as long";
  say->push_back(text + ".");
  std::vector<std::string> open;
  for (std::size_t i = 1; i < ranked; ++i)
    if ((best.range || k.predictions[i].range) && k.is_open(0, i))
      open.push_back(k.predictions[i].device);
  const std::string left_open = "The measurements of the cards leave open ";
  if (open.size() == 1)
    say->push_back(left_open + "whether " + best.device + " or " + open.front() + " is faster.");
  if (open.size() > 1)
    say->push_back(left_open + "which of " + best.device + ", " + join_list(open) +
                   " is the fastest.");
}

void say_split(const KernelMatch& k, std::vector<std::string>* say) {
  if (!k.split) return;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < k.split->shares.size(); ++i)
    parts.push_back(format_share(k.split->shares[i]) + " to " + k.predictions[i].device);
  say->push_back("Shared, they end together after " + format_seconds(k.split->seconds) + " with " +
                 join_list(parts) + ": " + format_times(k.split->gain_over_even) +
                 " as fast as even parts, " + format_times(k.split->gain_over_best) +
                 " as fast as " + k.predictions.front().device + " alone.");
}

/// The sentences of gaps_of that apply to all kernels, in the order of the first kernel. The report
/// states them once instead of repeating them.
std::vector<std::string> common_gaps(const Match& match) {
  std::vector<std::string> common = gaps_of(match.kernels.front());
  for (const KernelMatch& k : match.kernels) {
    const std::vector<std::string> gaps = gaps_of(k);
    std::erase_if(common, [&](const std::string& sentence) {
      return std::find(gaps.begin(), gaps.end(), sentence) == gaps.end();
    });
  }
  return common;
}

ReportSection section_of(const KernelMatch& k, const Match& match,
                         const std::vector<std::string>& said) {
  ReportSection section{.id = k.function, .title = k.name + " (" + k.place + ")"};
  say_best(k, &section.sentences);
  say_split(k, &section.sentences);
  say_best_of_each_idiom(k, &section.sentences);
  for (const std::string& gap : gaps_of(k))
    if (std::find(said.begin(), said.end(), gap) == said.end()) section.sentences.push_back(gap);
  const bool has_launches = match.options.method != devices::MatchMethod::kPmac;
  const bool has_transfers =
      std::any_of(k.predictions.begin(), k.predictions.end(), [&](const DevicePrediction& p) {
        if (!p.time) return false;
        const std::optional<double> launch_s = has_launches ? p.time->launch_s : 0;
        return !launch_s || !p.time->transfer_s || *launch_s + *p.time->transfer_s > 0;
      });
  if (k.timed() > 0) section.tables.push_back(ranking_table(k, has_transfers, has_launches));
  if (!k.idioms.empty()) section.tables.push_back(idiom_table(k, match.devices));
  return section;
}

std::string probability_sentence(const Match& match) {
  const auto scatter = match.options.method_scatter();
  if (!scatter)
    return "Times of real ports may differ from these predictions: the probability that the first "
           "device is the fastest is not known.";
  return "The probability is that of being the fastest of the devices whose times can be compared. "
         "It assumes that real times differ from these predictions as much as " +
         std::string(match.options.scatter ? "--scatter says" : "fits published times best") +
         " (a scatter of " + format_significant(*scatter, 2) +
         " of ln(real / predicted)), independently on each device. It does not include what "
         "predictions leave out.";
}

constexpr const char* kHeadlines[] = {"by AutoMatch's equations.",
                                      "at the best that a port can reach.",
                                      "by the bandwidths of idioms (PMaC)."};

std::string headline_of(const Match& match) {
  std::size_t with_time = 0;
  for (const KernelMatch& k : match.kernels) with_time += k.timed() > 0 ? 1 : 0;
  const std::string of = plural(static_cast<double>(match.kernels.size()), "kernel", "kernels") +
                         " on " +
                         plural(static_cast<double>(match.devices.size()), "device", "devices");
  if (with_time == 0) return "No time can be given for " + of + ".";
  return capitalised(of) + ", " + kHeadlines[static_cast<std::size_t>(match.options.method)];
}

}  // namespace

std::vector<std::string> gaps_of(const KernelMatch& k) {
  std::vector<std::pair<std::string, std::vector<std::string>>> gaps;
  const auto add = [&](const std::string& text, const std::string& device) {
    const auto same =
        std::find_if(gaps.begin(), gaps.end(), [&](const auto& gap) { return gap.first == text; });
    if (same == gaps.end())
      gaps.push_back({text, {device}});
    else
      same->second.push_back(device);
  };
  for (const DevicePrediction& p : k.predictions) {
    if (!p.time) add("no time: " + p.why_not, p.device);
    for (const std::string& note : p.notes) add(note, p.device);
  }
  std::vector<std::string> sentences;
  for (auto& [text, names] : gaps) {
    std::sort(names.begin(), names.end());
    sentences.push_back("Of " + join_list(names) + ": " + text + ".");
  }
  return sentences;
}

Report make_match_report(const Match& match) {
  Report report;
  report.title = "Devices for the kernels of " + match.program;
  report.headline = headline_of(match);
  report.facts = {
      {"method", devices::kMatchMethods[static_cast<std::size_t>(match.options.method)]}};
  for (const devices::Device& device : match.devices)
    report.facts.push_back({device.label, device.name});
  if (match.options.host)
    report.facts.push_back(
        {match.options.host->card.label + " (host)", match.options.host->card.name});
  if (match.options.vectorised)
    report.facts.push_back({"assumed to vectorise", format_share(*match.options.vectorised)});
  std::set<std::string> unmeasured;
  for (const devices::Device& device : match.devices)
    if (!device.is_measured()) unmeasured.insert(device.label);
  if (!unmeasured.empty())
    report.reasons.push_back(
        "Figures of " + join_list({unmeasured.begin(), unmeasured.end()}) +
        " are published peaks, or assumed: programs reach only a part of them, and not the same "
        "part on every device.");
  report.reasons.push_back(probability_sentence(match));
  if (std::any_of(match.kernels.begin(), match.kernels.end(), has_range))
    report.reasons.push_back(
        "A range is the time with all measured figures of the card at their fast, and at their "
        "slow, quartile. It says nothing about the error of the method.");
  const std::vector<std::string> common = common_gaps(match);
  report.reasons.insert(report.reasons.end(), common.begin(), common.end());
  if (match.kernels.size() > 1) report.sections.push_back(overview(match));
  if (auto idioms = program_idioms_section(match)) report.sections.push_back(std::move(*idioms));
  for (const KernelMatch& kernel : match.kernels)
    report.sections.push_back(section_of(kernel, match, common));
  for (const devices::Device& device : match.devices)
    if (auto roofline = device_roofline(device, match.kernels))
      report.sections.push_back(std::move(*roofline));
  return report;
}

}  // namespace apmt
