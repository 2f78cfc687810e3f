// The section of the report of `apmt match` on the idioms of the whole program: their time on the
// host, on each device, and with each instance (an idiom of one loop) where it is fastest, and the
// effect on the program.
#include <algorithm>

#include "devices/device_time_json.h"
#include "reports/devices/match.h"
#include "reports/numbers.h"

namespace apmt {
namespace {

using devices::IdiomOnHost;
using devices::IdiomPort;
using devices::Match;
using devices::ProgramIdioms;

ReportColumn seconds_column(const std::string& id, const std::string& title) {
  return {.id = id, .title = title, .quantity = Quantity::kSeconds, .source = Source::kDerived};
}

/// "gpu", "cpu or gpu", or "cpu or any device"
std::string name_of(const IdiomPort& port, const std::string& host) {
  if (port.is_blind) return port.devices.front();
  return host + " or " + (port.devices.size() == 1 ? port.devices.front() : "any device");
}

/// The host and the devices of the port: "cpu, fpga and gpu"
std::string choice_of(const IdiomPort& port, const std::string& host) {
  std::vector<std::string> choice = {host};
  choice.insert(choice.end(), port.devices.begin(), port.devices.end());
  return join_list(choice);
}

/// Adds the port's times as a column; the last row is the sum.
void add_column(const IdiomPort& port, const std::string& host, ReportTable* table) {
  table->columns.push_back(seconds_column(name_of(port, host), name_of(port, host)));
  auto row = table->rows.begin();
  for (const auto& [idiom, seconds] : port.seconds) (row++)->cells.push_back({.value = seconds});
  row->cells.push_back({.value = port.total_s});
}

/// A table with a row for each idiom and one for their sum.
ReportTable idioms_and_sum(const ProgramIdioms& idioms, const std::string& id,
                           const std::string& caption) {
  ReportTable table{.id = id, .caption = caption};
  table.columns = {{.id = "idiom", .title = "idiom"}};
  for (const IdiomOnHost& row : idioms.on_host)
    table.rows.push_back({.cells = {{.text = row.idiom}}});
  table.rows.push_back({.cells = {{.text = "all"}}, .emphasised = true});
  return table;
}

/// Tables IV to VII of PMaC's paper.
ReportTable blind_table(const ProgramIdioms& idioms, const std::string& host) {
  ReportTable table = idioms_and_sum(idioms, "blind", "All instances on one device");
  table.columns.push_back({.id = "instances", .title = "instances", .quantity = Quantity::kCount});
  if (idioms.coverage)
    table.columns.push_back({.id = "coverage",
                             .title = "of the program",
                             .quantity = Quantity::kShare,
                             .source = Source::kDerived});
  table.columns.push_back(seconds_column("host", host + " (host)"));
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const bool is_sum = i == idioms.on_host.size();
    const IdiomOnHost row =
        is_sum ? IdiomOnHost{"all", idioms.instances(), idioms.host_s, idioms.coverage}
               : idioms.on_host[i];
    std::vector<ReportCell>& cells = table.rows[i].cells;
    cells.push_back({.value = static_cast<double>(row.instances)});
    if (idioms.coverage) cells.push_back({.value = row.coverage});
    cells.push_back({.value = row.seconds});
  }
  for (const IdiomPort& port : idioms.ports)
    if (port.is_blind) add_column(port, host, &table);
  return table;
}

/// Tables VIII and IX of PMaC's paper.
ReportTable choice_table(const ProgramIdioms& idioms, const std::string& host) {
  ReportTable table = idioms_and_sum(idioms, "choice", "Each instance where it is fastest");
  for (const IdiomPort& port : idioms.ports)
    if (!port.is_blind) add_column(port, host, &table);
  return table;
}

ReportTable effect_table(const ProgramIdioms& idioms, const std::string& host) {
  ReportTable table{.id = "effect", .caption = "Effect"};
  table.columns = {{.id = "port", .title = "on"},
                   {.id = "instances", .title = "instances ported", .quantity = Quantity::kCount},
                   seconds_column("seconds", "time"),
                   {.id = "factor",
                    .title = "as fast as on the host",
                    .quantity = Quantity::kFactor,
                    .source = Source::kDerived}};
  if (idioms.coverage)
    table.columns.push_back({.id = "program",
                             .title = "time of the program",
                             .quantity = Quantity::kChange,
                             .source = Source::kDerived});
  for (const IdiomPort& port : idioms.ports) {
    ReportRow row{.cells = {{.text = name_of(port, host)},
                            {.value = static_cast<double>(port.instances)},
                            {.value = port.total_s},
                            {.value = idioms.host_s / port.total_s}}};
    if (idioms.coverage) row.cells.push_back({.value = -*port.saved_share});
    table.rows.push_back(std::move(row));
  }
  return table;
}

void say_host(const ProgramIdioms& idioms, const std::string& host, std::vector<std::string>* say) {
  const std::string text =
      "On " + host + ", the host, the idioms take " + format_seconds(idioms.host_s);
  say->push_back(idioms.coverage
                     ? text + ", " + format_share(*idioms.coverage) + " of the program's time."
                     : text +
                           ". Their share of the program's time is not known (--coverage or "
                           "--join).");
}

/// The time if all instances that can run on one device run there, also those that are faster on
/// the host: "With all instances on gpu, they take 2 s", or "With 4 of 5 instances ..."
std::string say_blind(const ProgramIdioms& idioms, const IdiomPort& blind) {
  const std::size_t all = idioms.instances();
  return "With " +
         (blind.instances == all ? std::string("all")
                                 : std::to_string(blind.instances) + " of " + std::to_string(all)) +
         " instances on " + blind.devices.front() + ", they take " + format_seconds(blind.total_s);
}

void say_ports(const ProgramIdioms& idioms, const std::string& host,
               std::vector<std::string>* say) {
  const IdiomPort* const blind = idioms.best_blind();
  if (blind == nullptr) return;
  const IdiomPort& best = idioms.best();
  if (!(best.total_s < idioms.host_s)) {
    say->push_back(say_blind(idioms, *blind) + ". No instance is faster on a device than on " +
                   host + ".");
    return;
  }
  say->push_back(say_blind(idioms, *blind) +
                 (best.total_s < blind->total_s
                      ? "; with each instance on the fastest of " + choice_of(best, host) + ", " +
                            format_seconds(best.total_s) + "."
                      : ". No instance is faster elsewhere."));
  if (best.saved_share)
    say->push_back("With each instance where it is fastest, the program takes " +
                   format_share(*best.saved_share) + " less time.");
}

void say_transfers(const Match& match, std::vector<std::string>* say) {
  if (match.options.data == devices::DataPlace::kResident) {
    say->push_back("Transfers are not included (--data resident).");
    return;
  }
  std::string often = name_of(match.options.data);
  if (match.options.steps) often += ", " + plural(*match.options.steps, "step", "steps");
  say->push_back("Transfers are included (--data " + often +
                 (match.options.do_overlap ? "); they overlap with the work of the device."
                                           : "); the device waits for them."));
}

}  // namespace

std::optional<ReportSection> program_idioms_section(const Match& match) {
  if (!match.program_idioms) return std::nullopt;
  const ProgramIdioms& idioms = *match.program_idioms;
  const std::string& host = match.options.host->card.label;
  ReportSection section{.id = "program-idioms", .title = "The idioms of all kernels"};
  say_host(idioms, host, &section.sentences);
  say_ports(idioms, host, &section.sentences);
  say_transfers(match, &section.sentences);
  section.sentences.push_back(
      "The time on the host assumes that an idiom's references hit the caches as often as all "
      "references of its kernel.");
  if (!idioms.stay.empty())
    section.sentences.push_back(
        "Some instances stay on the host instead of a device: " + join_list(idioms.stay) + ".");
  section.tables = {blind_table(idioms, host), choice_table(idioms, host),
                    effect_table(idioms, host)};
  return section;
}

}  // namespace apmt
