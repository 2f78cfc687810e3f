// The report of a machine profile: memory, messages and collectives.
#include <algorithm>
#include <map>

#include "reports/numbers.h"
#include "reports/report.h"

namespace apmt {
namespace {

Source source_of(const MachineProfile& machine) {
  return machine.provenance == "assumed" ? Source::kAssumed : Source::kMeasured;
}

ReportCell value_of(const std::optional<Figure>& figure, double unit = 1) {
  return figure ? ReportCell{.value = unit * figure->value} : ReportCell{};
}

ReportCell spread_of(const std::optional<Figure>& figure) {
  return figure ? ReportCell{.value = figure->spread} : ReportCell{};
}

std::string rate_text(double bytes_per_s) {
  return format_significant(1e-9 * bytes_per_s) + " GB/s";
}

ReportCell rate_of(const std::optional<Figure>& figure) {
  if (!figure) return {};
  return {.text = rate_text(figure->value), .value = figure->value};
}

ReportTable levels_table(const MachineProfile& machine) {
  const Source source = source_of(machine);
  ReportTable table{.id = "levels",
                    .caption = "Latency of dependent loads; bandwidth of one core reading"};
  table.columns = {
      {.id = "level", .title = "level"},
      {.id = "size", .title = "size", .quantity = Quantity::kBytes},
      {.id = "latency", .title = "latency", .quantity = Quantity::kSeconds, .source = source},
      {.id = "latency_spread", .title = "spread", .quantity = Quantity::kShare},
      {.id = "bandwidth_bytes_per_s", .title = "bandwidth", .source = source},
      {.id = "bandwidth_spread", .title = "spread", .quantity = Quantity::kShare},
      {.id = "knee", .title = "seen to end at", .quantity = Quantity::kBytes, .source = source}};
  for (const MemoryLevel& level : machine.levels) {
    ReportRow row;
    row.cells = {{.text = level.name},
                 level.size_bytes > 0 ? ReportCell{.value = static_cast<double>(level.size_bytes)}
                                      : ReportCell{},
                 value_of(level.latency_ns, 1e-9),
                 spread_of(level.latency_ns),
                 rate_of(level.bandwidth_bytes_per_s),
                 spread_of(level.bandwidth_bytes_per_s),
                 ReportCell{.value = level.knee_bytes}};
    table.rows.push_back(row);
  }
  return table;
}

ReportTable cores_table(const MachineProfile& machine) {
  ReportTable table{.id = "bandwidth", .caption = "All cores together, a = b + s*c"};
  table.columns = {
      {.id = "cores", .title = "cores", .quantity = Quantity::kCount},
      {.id = "bandwidth_bytes_per_s", .title = "bandwidth", .source = source_of(machine)},
      {.id = "spread", .title = "spread", .quantity = Quantity::kShare}};
  for (const auto& [cores, rate] : machine.bandwidth_by_cores)
    table.rows.push_back({.cells = {{.value = cores}, rate_of(rate), {.value = rate.spread}}});
  return table;
}

ReportSection memory_section(const MachineProfile& machine) {
  ReportSection section{.id = "memory", .title = "Memory"};
  if (!machine.levels.empty()) section.tables.push_back(levels_table(machine));
  if (!machine.bandwidth_by_cores.empty()) section.tables.push_back(cores_table(machine));
  if (!machine.latency_curve.empty()) {
    CurveChart chart{
        .description = "Latency of a load by the size of the memory that is walked through",
        .x_title = "bytes walked through",
        .curves = {{.name = "latency", .points = machine.latency_curve}}};
    for (auto& [bytes, time] : chart.curves.front().points) time *= 1e-9;
    section.curve_charts.push_back(chart);
  }
  return section;
}

/// Bytes and modelled times of messages, for a curve. The model consists of linear pieces; the
/// points are the ends of each piece and some sizes in between.
std::vector<std::pair<double, double>> line_of(const Network& network, double largest) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < network.pieces.size(); ++i) {
    const HockneyPiece& piece = network.pieces[i];
    const bool is_last = i + 1 == network.pieces.size();
    const double end = is_last ? largest : network.pieces[i + 1].from_bytes;
    for (double n = std::max(1.0, piece.from_bytes); n < end; n *= std::sqrt(2.0))
      points.push_back({n, piece.alpha_s + piece.beta_s_per_byte * n});
    points.push_back({end, piece.alpha_s + piece.beta_s_per_byte * end});
  }
  return points;
}

ReportSection network_section(const MachineProfile& machine, const Network& network) {
  const bool in_node = network.scope == "node";
  ReportSection section{.id = in_node ? "node" : "network",
                        .title = in_node ? "Messages within a node" : "Messages between nodes"};
  const Source source = source_of(machine);
  ReportTable table{.id = section.id + "_pieces",
                    .caption = "Latency + bytes / bandwidth, from each size on"};
  table.columns = {
      {.id = "from", .title = "from", .quantity = Quantity::kBytes},
      {.id = "latency", .title = "latency", .quantity = Quantity::kSeconds, .source = source},
      {.id = "bandwidth_bytes_per_s", .title = "bandwidth", .source = source},
      {.id = "worst_error", .title = "within", .quantity = Quantity::kShare}};
  double largest = 4194304;
  for (const HockneyPiece& piece : network.pieces) {
    const double beta = piece.beta_s_per_byte;
    table.rows.push_back(
        {.cells = {
             {.value = piece.from_bytes},
             {.value = piece.alpha_s},
             beta > 0 ? ReportCell{.text = rate_text(1 / beta), .value = 1 / beta} : ReportCell{},
             {.value = piece.worst_error}}});
    largest = std::max(largest, piece.from_bytes);
  }
  section.tables.push_back(table);
  if (network.overlap)
    section.sentences.push_back(format_share(network.overlap->value) +
                                " of a large transfer can be hidden behind computation.");
  CurveChart chart{.description = "Time of a message by its bytes",
                   .x_title = "bytes of the message"};
  CurveChart::Curve measured{.name = "half a round trip, measured", .has_line = false};
  for (const auto& [bytes, time] : network.times_s) measured.points.push_back({bytes, time.value});
  if (!measured.points.empty()) chart.curves.push_back(measured);
  chart.curves.push_back({.name = "latency + bytes / bandwidth",
                          .points = line_of(network, largest),
                          .has_points = false});
  section.curve_charts.push_back(chart);
  return section;
}

ReportSection collectives_section(const MachineProfile& machine) {
  ReportSection section{.id = "collectives", .title = "Collectives"};
  ReportTable table{.id = "collectives", .caption = "The slowest rank's time"};
  table.columns = {
      {.id = "op", .title = "operation"},
      {.id = "bytes", .title = "bytes", .quantity = Quantity::kBytes},
      {.id = "procs", .title = "processes", .quantity = Quantity::kProcs},
      {.id = "time", .title = "time", .quantity = Quantity::kSeconds, .source = source_of(machine)},
      {.id = "spread", .title = "spread", .quantity = Quantity::kShare}};
  std::map<std::string, std::map<double, CurveChart::Curve>> by_op;
  for (const CollectiveTime& one : machine.collectives) {
    table.rows.push_back({.cells = {{.text = one.op},
                                    {.value = one.bytes},
                                    {.value = one.procs},
                                    {.value = one.time_s.value},
                                    {.value = one.time_s.spread}}});
    CurveChart::Curve& curve = by_op[one.op][one.bytes];
    curve.name = one.op + (one.bytes > 0 ? ", " + format_bytes(one.bytes) : "");
    curve.points.push_back({one.procs, one.time_s.value});
  }
  for (const auto& [op, curves] : by_op) {
    CurveChart chart{.description = "Time of " + op + " by the number of processes",
                     .x_title = "processes",
                     .x = Quantity::kProcs};
    for (const auto& [bytes, curve] : curves) chart.curves.push_back(curve);
    section.curve_charts.push_back(chart);
  }
  section.tables.push_back(table);
  return section;
}

}  // namespace

Report make_machine_report(const MachineProfile& machine) {
  Report report;
  report.title = "Machine: " + machine.name;
  const MemoryLevel* memory = machine.level("memory");
  const Network* network = machine.network("network");
  if (network == nullptr) network = machine.network("node");
  std::vector<std::string> says;
  if (memory != nullptr && memory->latency_ns)
    says.push_back("a load from memory takes " + format_seconds(1e-9 * memory->latency_ns->value));
  if (network != nullptr && !network->pieces.empty())
    says.push_back("a small message takes " + format_seconds(network->pieces.front().alpha_s));
  report.headline = says.empty() ? machine.name + "." : join_list(says) + ".";
  report.headline.front() = static_cast<char>(std::toupper(report.headline.front()));
  if (!machine.source.empty()) report.reasons.push_back("Source: " + machine.source + ".");
  report.facts.push_back({"figures", machine.provenance});
  if (!machine.cpu.empty()) report.facts.push_back({"processor", machine.cpu});
  if (machine.cores > 0) report.facts.push_back({"cores", std::to_string(machine.cores)});
  if (machine.frequency_hz)
    report.facts.push_back(
        {"frequency", format_significant(1e-9 * machine.frequency_hz->value) + " GHz"});
  if (!machine.mpi.empty()) report.facts.push_back({"MPI", machine.mpi});
  if (!machine.levels.empty() || !machine.bandwidth_by_cores.empty())
    report.sections.push_back(memory_section(machine));
  for (const Network& one : machine.networks)
    if (!one.pieces.empty()) report.sections.push_back(network_section(machine, one));
  if (!machine.collectives.empty()) report.sections.push_back(collectives_section(machine));
  return report;
}

}  // namespace apmt
