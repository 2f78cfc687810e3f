// The report of `apmt offload`: the program's time with its kernels on devices, which kernels to
// port in which order, up to which process count porting saves time, and which times the ported
// kernels must reach for a wanted speed-up of the program.
#include "reports/devices/offload.h"

#include <algorithm>
#include <cmath>

#include "reports/numbers.h"
#include "reports/vocabulary.h"
#include "reports/words.h"

namespace apmt {
namespace {

using devices::KernelPort;
using devices::Offload;
using devices::OffloadAt;
using devices::PortedProgram;

std::string name_of(const KernelPort& port, const Offload& o) {
  return o.kernels[port.kernel].name;
}

std::string percent_of(const Offload& o) { return format_share(o.confidence); }

/// "3.2 times as fast (2.9 to 3.4, 80 %)"
std::string speedup_words(const PortedProgram& program, const Offload& o) {
  return format_times(program.speedup.value) + " as fast (" +
         format_significant(program.speedup.low) + " to " +
         format_significant(program.speedup.high) + ", " + percent_of(o) + ")";
}

ReportColumn seconds(const char* id, const char* title) {
  return {.id = id, .title = title, .quantity = Quantity::kSeconds, .source = Source::kDerived};
}
ReportColumn factor(const char* id, const char* title) {
  return {.id = id, .title = title, .quantity = Quantity::kFactor, .source = Source::kDerived};
}

/// The problem sizes that differ between the process counts.
std::vector<std::string> varying_sizes(const Offload& o) {
  std::vector<std::string> names;
  for (const auto& [name, value] : o.at.back().params)
    if (std::any_of(o.at.begin(), o.at.end(), [&](const OffloadAt& at) {
          const auto found = at.params.find(name);
          return found == at.params.end() || found->second != value;
        }))
      names.push_back(name);
  return names;
}

ReportTable program_table(const Offload& o) {
  ReportTable table{.id = "offload", .caption = ""};
  table.columns = {{.id = "procs", .title = "processes", .quantity = Quantity::kProcs},
                   seconds("host", "as it is"),
                   seconds("ported", "with ports"),
                   {.id = "interval",
                    .title = "interval",
                    .quantity = Quantity::kSecondsRange,
                    .source = Source::kDerived},
                   factor("speedup", "speed-up"),
                   seconds("transfer", "MPI's data"),
                   seconds("shared", "shared data"),
                   {.id = "kernels", .title = "ports", .quantity = Quantity::kCount},
                   {.id = "sharing", .title = "ranks per device", .quantity = Quantity::kCount}};
  const std::vector<std::string> sizes = varying_sizes(o);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    table.columns.insert(table.columns.begin() + 1 + static_cast<std::ptrdiff_t>(i),
                         {.id = sizes[i],
                          .title = sizes[i],
                          .quantity = Quantity::kSize,
                          .source = Source::kAssumed});
  for (const OffloadAt& at : o.at) {
    const bool ports = at.worth_it() > 0;
    const ReportCell interval{.value = at.ported.time.low_s, .high = at.ported.time.high_s};
    table.rows.push_back({.cells = {{.value = at.procs},
                                    {.value = at.host.time_s},
                                    {.value = at.ported.time.time_s},
                                    interval,
                                    {.value = at.ported.speedup.value},
                                    {.value = ports ? at.transfer_s : 0},
                                    {.value = at.shared_s},
                                    {.value = static_cast<double>(at.worth_it())},
                                    {.value = at.ranks_per_device}}});
    std::vector<ReportCell>& cells = table.rows.back().cells;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto found = at.params.find(sizes[i]);
      cells.insert(cells.begin() + 1 + static_cast<std::ptrdiff_t>(i),
                   found == at.params.end() ? ReportCell{} : ReportCell{.value = found->second});
    }
  }
  return table;
}

ReportTable order_table(const OffloadAt& at, const Offload& o) {
  ReportTable table{.id = "order-" + std::to_string(at.procs),
                    .caption = "Kernels in the order of porting"};
  table.columns = {{.id = "kernel", .title = "kernel", .is_code = true},
                   seconds("host", "on the host"),
                   seconds("device", "on the device"),
                   {.id = "bottleneck", .title = "bound by"},
                   factor("alone", "alone"),
                   factor("after", "after those before"),
                   seconds("time", "program")};
  for (const KernelPort& port : at.ports) {
    if (!port.device_s) continue;
    table.rows.push_back(
        {.cells = {{.text = name_of(port, o)},
                   {.value = port.host.time_s},
                   {.value = port.device_s},
                   {.text = port.parts.bottleneck()},
                   {.value = port.alone->speedup.value},
                   {.text = port.after ? "" : "not worth it",
                    .value = port.after ? std::optional(port.after->speedup.value) : std::nullopt},
                   {.value = port.after ? std::optional(port.after->time.time_s) : std::nullopt}}});
  }
  return table;
}

ReportTable required_table(const OffloadAt& at, const Offload& o) {
  ReportTable table{.id = "required-" + std::to_string(at.procs),
                    .caption = "What ports must reach for a program " +
                               format_times(*o.options.port.wanted_speedup) + " as fast"};
  table.columns = {{.id = "kernel", .title = "kernel", .is_code = true},
                   seconds("device", "device at its best"),
                   seconds("equally", "if all gain alike"),
                   {.id = "reach",
                    .title = "of the best",
                    .quantity = Quantity::kShare,
                    .source = Source::kDerived},
                   seconds("others", "if the others are at their best")};
  for (const KernelPort& port : at.ports) {
    if (!port.required) continue;
    const std::optional<double> equally = port.required->equally_s;
    const ReportCell others = port.required->others_best_s
                                  ? ReportCell{.value = port.required->others_best_s}
                                  : ReportCell{.text = "not enough"};
    table.rows.push_back(
        {.cells = {{.text = name_of(port, o)},
                   {.value = port.device_s},
                   {.text = equally ? "" : "not enough", .value = equally},
                   {.text = equally ? "" : "not enough",
                    .value = equally ? std::optional(*port.device_s / *equally) : std::nullopt},
                   others}});
  }
  return table;
}

std::string required_sentence(const OffloadAt& at, const Offload& o) {
  const std::string wanted = format_times(*o.options.port.wanted_speedup) + " as fast";
  if (at.worth_it() == 0) return "No port gains here, so none makes the program " + wanted + ".";
  if (!at.equal_factor)
    return "The program cannot become " + wanted +
           " by these ports: if they took no time, it would be " +
           format_times(at.most_speedup.value_or(1)) + " as fast.";
  return "For a program " + wanted + ", the ported kernels must become " +
         format_times(*at.equal_factor) +
         " as fast, if all gain alike. A share of more than 100 % "
         "of the device's best is out of reach.";
}

/// Sentences about kernels; each names all kernels to which it applies.
std::vector<std::string> kernel_sentences(const OffloadAt& at, const Offload& o) {
  std::vector<std::pair<std::string, std::vector<std::string>>> said;
  const auto add = [&](const std::string& text, const KernelPort& port) {
    const auto same =
        std::find_if(said.begin(), said.end(), [&](const auto& s) { return s.first == text; });
    if (same == said.end())
      said.push_back({text, {name_of(port, o)}});
    else
      same->second.push_back(name_of(port, o));
  };
  for (const KernelPort& port : at.ports) {
    if (!port.device_s) {
      add("no time on the device: " + port.why_not, port);
      continue;
    }
    if (port.extrapolation > 1.001)
      add("extrapolated to " + format_times(port.extrapolation) +
              (at.work_per_rank < o.kernels[port.kernel].law.smallest() ? " less" : " more") +
              " work per rank than was analysed",
          port);
    for (const std::string& note : port.notes) add(note, port);
  }
  std::vector<std::string> sentences;
  for (const auto& [text, names] : said)
    sentences.push_back("Of " + join_list(names) + ": " + text + ".");
  return sentences;
}

/// Names the kernels whose verdict depends on the data that kernels share.
std::string shared_sentence(const OffloadAt& at, const Offload& o) {
  std::vector<std::string> only_shared, only_unshared;
  for (const KernelPort& port : at.ports)
    if (port.is_worth_it != port.is_worth_it_unshared)
      (port.is_worth_it ? only_shared : only_unshared).push_back(name_of(port, o));
  std::string sentence;
  const auto add = [&](const std::vector<std::string>& names, const std::string& when) {
    if (names.empty()) return;
    sentence += (sentence.empty() ? "" : "; ") + std::string("the port of ") + join_list(names) +
                " is worth it only if " + when;
  };
  add(only_shared, "kernels share data, as it keeps these on the device");
  add(only_unshared, "kernels share less data than is possible");
  return sentence.empty() ? "" : capitalised(sentence) + ".";
}

ReportSection section_of(const OffloadAt& at, const Offload& o) {
  ReportSection section{.id = "procs-" + std::to_string(at.procs),
                        .title = capitalised(processes(at.procs))};
  if (at.worth_it() == 0)
    section.sentences.push_back("No port gains here: the program stays on the host.");
  else if (at.most_speedup)
    section.sentences.push_back("If these ports took no time at all, the program would be " +
                                format_times(*at.most_speedup) + " as fast.");
  if (const std::string shared = shared_sentence(at, o); !shared.empty())
    section.sentences.push_back(shared);
  if (o.options.port.wanted_speedup) section.sentences.push_back(required_sentence(at, o));
  for (std::string& s : kernel_sentences(at, o)) section.sentences.push_back(std::move(s));
  const ReportTable order = order_table(at, o);
  if (!order.rows.empty()) section.tables.push_back(order);
  if (o.options.port.wanted_speedup && at.worth_it() > 0)
    section.tables.push_back(required_table(at, o));
  return section;
}

/// With one decimal below ten.
double rounded(double factor) {
  return factor < 10 ? std::round(10 * factor) / 10 : std::round(factor);
}

std::string gain_end_sentence(const Offload& o) {
  const devices::GainEnd& end = o.gain_end;
  if (!end.procs)
    return capitalised(end.why_not) + " (searched from " + format_number(end.searched_from) +
           " to " + processes(end.searched_to) + ").";
  const std::string high = end.procs->high ? format_number(*end.procs->high)
                                           : "more than " + format_number(end.searched_to);
  return "The gain is gone from about " + processes(end.procs->procs) + " on (" +
         format_number(end.procs->low) + " to " + high + ", " + percent_of(o) + ")" +
         (end.extrapolation >= 1.05
              ? ", extrapolated to " + format_number(rounded(end.extrapolation)) +
                    " times the largest profiled process count."
              : ".");
}

/// Names the parts of the time that the model lacks.
std::string not_included(const Offload& o) {
  if (o.missing.empty()) return {};
  return " (not included: " + join_list(words_of_parts(o.missing)) + ")";
}

std::string headline_of(const Offload& o) {
  const OffloadAt& at = o.at.back();
  const std::string where = o.device.label + ", " + format_number(o.options.per_node) + " per node";
  if (at.worth_it() == 0)
    return "At " + processes(at.procs) + " no kernel of " + o.program + " gains from " + where +
           ".";
  return "At " + processes(at.procs) + " " + o.program + " is " + speedup_words(at.ported, o) +
         " with " + plural(static_cast<double>(at.worth_it()), "kernel", "kernels") + " on " +
         where + ": " + format_estimate(at.ported.time, o.confidence) + " instead of " +
         format_seconds(at.host.time_s) + not_included(o) + ".";
}

std::string interval_sentence(const Offload& o) {
  const bool has_range = std::any_of(o.at.begin(), o.at.end(), [](const OffloadAt& at) {
    return std::any_of(at.ports.begin(), at.ports.end(),
                       [](const KernelPort& port) { return port.device_range.has_value(); });
  });
  return has_range ? "Intervals contain the errors of the model of the program and the spread of "
                     "the card's measurements, but no error of the method."
                   : "Intervals are those of the model of the program: the device's times have "
                     "none.";
}

std::string data_sentence(const Offload& o) {
  if (o.device.kind == "cpu") return "The device is a CPU: no data move to it.";
  if (o.options.port.data == devices::DataPlace::kPerCall)
    return "Data move to the device and back at each call of a ported kernel.";
  const std::string crosses =
      "what MPI sends and receives, and what kernels on the device share with kernels on the host, "
      "crosses the link.";
  return (o.options.port.data == devices::DataPlace::kOnce
              ? "Data move to the device once and back once; between, "
              : "Data stay on the device; only ") +
         crosses;
}

/// What is assumed about the data that kernels share; empty if they need not move.
std::string sharing_sentence(const Offload& o) {
  if (!may_share(o.device, o.options.port)) return {};
  const std::string others =
      "Code without an analysis is assumed to share no data with ported kernels.";
  if (o.kernels.size() < 2) return others;
  return "Which kernels share data is not known: times contain the most that can move, the fast "
         "ends of intervals nothing. " +
         others;
}

}  // namespace

Report make_offload_report(const Offload& o) {
  Report report;
  report.title = "Kernels of " + o.program + " on devices";
  report.headline = headline_of(o);
  if (!o.at.back().params.empty())
    report.facts.push_back({"problem", params_words(o.at.back().params)});
  report.facts.push_back({"device", o.device.name});
  report.facts.push_back({"devices per node", format_number(o.options.per_node)});
  report.facts.push_back({"ranks per node", format_number(o.ranks_per_node)});
  report.reasons.push_back(gain_end_sentence(o));
  report.reasons.push_back(data_sentence(o));
  if (const std::string sharing = sharing_sentence(o); !sharing.empty())
    report.reasons.push_back(sharing);
  report.reasons.push_back(
      "Times on the device are the best that a port can reach; real ports take longer. " +
      interval_sentence(o));
  report.reasons.push_back("Communication, waiting and all that is not ported keep their times.");
  if (!o.device.is_measured())
    report.reasons.push_back("Figures of " + o.device.label +
                             " are published peaks, or assumed: programs reach only a part of "
                             "them.");
  for (const std::string& sentence : o.left) report.reasons.push_back(sentence);
  ReportSection whole{.id = "offload", .title = "The program"};
  whole.tables.push_back(program_table(o));
  report.sections.push_back(std::move(whole));
  for (const OffloadAt& at : o.at) report.sections.push_back(section_of(at, o));
  for (const std::string& warning : o.warnings) report.warnings.push_back(warning);
  return report;
}

}  // namespace apmt
