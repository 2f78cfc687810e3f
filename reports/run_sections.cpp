#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "reports/numbers.h"
#include "reports/sections.h"
#include "reports/vocabulary.h"
#include "reports/words.h"

namespace apmt {
namespace {

constexpr std::size_t kFunctionsInText = 15;
constexpr std::size_t kOperationsInText = 12;

struct Operation {
  std::string op;
  std::string caller;
  double calls = 0;
  double bytes = 0;
  double time_s = 0;
  double blocked_s = 0;
};

/// MPI calls summed by operation and caller, sorted by time, longest first.
std::vector<Operation> operations(const RunProfile& profile) {
  std::map<std::pair<std::string, std::string>, Operation> by_key;
  for (const MpiRow& row : profile.mpi) {
    Operation& sum = by_key[{row.op, row.caller}];
    sum.op = row.op;
    sum.caller = row.caller;
    sum.calls += static_cast<double>(row.calls);
    sum.bytes += static_cast<double>(row.bytes_sent);
    sum.time_s += row.time_s;
    sum.blocked_s += row.blocked_s;
  }
  std::vector<Operation> list;
  for (auto& [key, sum] : by_key) list.push_back(std::move(sum));
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.time_s > b.time_s; });
  return list;
}

/// Whether the calls sent nothing and took no time that a table would show.
bool does_nothing(const Operation& op, double ranks) {
  constexpr double kLeast_s = 0.5e-9;
  return op.bytes == 0 && op.time_s / ranks < kLeast_s;
}

/// "Calls that send nothing and take no time: MPI_Comm_rank (8) and MPI_Comm_size (8)."
std::string idle_calls(const std::map<std::string, double>& calls) {
  std::vector<std::string> list;
  for (const auto& [op, count] : calls) list.push_back(op + " (" + format_count(count) + ")");
  return list.empty() ? std::string()
                      : "Calls that send nothing and take no time: " + join_list(list) + ".";
}

std::set<std::pair<int, int>> edges_of(const RunProfile& profile) {
  std::set<std::pair<int, int>> edges;
  for (const PeerRow& row : profile.peers) {
    if (row.messages > 0 && row.from != row.to) edges.emplace(row.from, row.to);
  }
  return edges;
}

}  // namespace

std::string peers_sentence(const RunProfile& profile) {
  const std::set<std::pair<int, int>> edges = edges_of(profile);
  if (edges.empty()) return {};
  double messages = 0;
  double bytes = 0;
  std::map<int, int> peers_of;
  for (const PeerRow& row : profile.peers) {
    messages += static_cast<double>(row.messages);
    bytes += static_cast<double>(row.bytes);
  }
  for (const auto& [from, to] : edges) ++peers_of[from];
  int most = 0;
  for (const auto& [rank, count] : peers_of) most = std::max(most, count);
  const bool each_known = std::all_of(profile.peers.begin(), profile.peers.end(),
                                      [](const PeerRow& row) { return row.to == row.to_last; });
  const std::string known =
      each_known ? to_string(find_pattern({edges.begin(), edges.end()}, profile.config.procs))
                 : "between more pairs of ranks than could be recorded one by one";
  return "Point-to-point " +
         (known.empty() ? "between " + format_count(static_cast<double>(edges.size())) +
                              " pairs of ranks, at most " + plural(most, "peer", "peers") + " each"
                        : known) +
         "; " + plural(messages, "message", "messages") + ", " + format_bytes(bytes) +
         ", on average " + format_bytes(messages > 0 ? std::round(bytes / messages) : 0) + " each.";
}

std::vector<std::string> health_sentences(const RunProfile& profile) {
  const Health& health = profile.health;
  const std::string run = "Run with " + processes(profile.config.procs) + ", repetition " +
                          std::to_string(profile.config.repetition) + ": ";
  std::vector<std::string> list;
  if (health.ranks_present < health.ranks_expected) {
    list.push_back(run + std::to_string(health.ranks_expected - health.ranks_present) + " of " +
                   std::to_string(health.ranks_expected) + " ranks left no recording.");
  }
  if (health.ranks_aborted > 0) {
    list.push_back(run + plural(health.ranks_aborted, "rank", "ranks") + " called MPI_Abort.");
  }
  if (health.ranks_running > 0) {
    list.push_back(run + plural(health.ranks_running, "rank was", "ranks were") +
                   " still running when this was read, as far as can be told; what came later is "
                   "missing.");
  }
  if (const int ended = health.ranks_cut_off - health.ranks_running; ended > 0) {
    list.push_back(run + plural(ended, "rank", "ranks") +
                   " ended abnormally (killed, crashed or _exit); the last part is missing.");
  }
  if (profile.sampling.dropped > 0) {
    const double dropped = static_cast<double>(profile.sampling.dropped);
    list.push_back(
        run + plural(dropped, "sample was", "samples were") + " dropped, " +
        format_share(dropped / (dropped + static_cast<double>(profile.sampling.samples))) +
        " of all.");
  }
  if (health.table_drops > 0) {
    list.push_back(run + plural(static_cast<double>(health.table_drops), "MPI call", "MPI calls") +
                   " did not fit into the recording and " +
                   (health.table_drops == 1 ? "is" : "are") + " not counted.");
  }
  if (health.overhead_fraction >= 0.03) {
    list.push_back(run + "recording cost about " + format_share(health.overhead_fraction) +
                   " of the time.");
  }
  for (const std::string& note : health.notes) {
    list.push_back(run + note + (note.ends_with('.') ? "" : "."));
  }
  return list;
}

OptionalSection functions_section(const RunProfile& profile) {
  struct Function {
    const KernelProfile* kernel;
    const Counter* counter;
    double total_s;
  };
  std::vector<Function> functions;
  double sum = 0;
  for (const KernelProfile& kernel : profile.kernels) {
    const auto found = kernel.counters.find("cpu_s");
    if (found == kernel.counters.end()) continue;
    functions.push_back({&kernel, &found->second, found->second.total()});
    sum += functions.back().total_s;
  }
  if (functions.empty() || sum <= 0) return std::nullopt;
  std::stable_sort(functions.begin(), functions.end(),
                   [](const auto& a, const auto& b) { return a.total_s > b.total_s; });
  ReportTable table{.id = "functions"};
  table.text_rows = kFunctionsInText;
  table.more = "functions";
  table.caption =
      "Outside MPI, CPU time, mean over ranks; share of all compute time; samples of all ranks";
  table.columns = {{"function", "function", Quantity::kText, Source::kNone, false, true},
                   {"object", "object", Quantity::kText, Source::kNone, true, true},
                   {"source", "source file", Quantity::kText, Source::kNone, true, true},
                   {"time", "time/rank", Quantity::kSeconds, Source::kMeasured},
                   {"share", "share", Quantity::kShare, Source::kMeasured},
                   {"samples", "samples", Quantity::kCount, Source::kMeasured}};
  const double ranks = std::max(1, profile.health.ranks_present);
  for (const Function& function : functions) {
    const Counter& counter = *function.counter;
    const bool sampled = counter.event != kImported;
    table.rows.push_back(
        {.cells = {
             text_cell(function.kernel->name), text_cell(function.kernel->id.object),
             text_cell(function.kernel->id.source), number_cell(function.total_s / ranks),
             number_cell(function.total_s / sum),
             sampled ? number_cell(static_cast<double>(counter.total_samples())) : ReportCell{}}});
  }
  ReportSection section{.id = "functions", .title = "Functions"};
  section.tables.push_back(std::move(table));
  return section;
}

namespace {

std::vector<std::string> communication_sentences(const RunProfile& profile) {
  std::vector<std::string> list;
  if (profile.config.oversubscribed) return list;  // times of ranks that share cores mean nothing
  const Communication& c = profile.communication;
  if (c.coll_wait_s && profile.times.mpi_s.mean() > 0)
    list.push_back(
        "Waiting for other ranks in synchronising collectives: " + format_seconds(*c.coll_wait_s) +
        " per rank, " + format_share(*c.coll_wait_s / profile.times.mpi_s.mean()) +
        " of the time inside MPI (measured call by call).");
  if (c.bf_comm)
    list.push_back("Ranks were blocked for " + format_share(*c.bf_comm) +
                   " of the time between post and completion; the rest was overlapped.");
  if (c.pop.parallel)
    list.push_back("Efficiency " + format_share(*c.pop.parallel) + " = load balance " +
                   format_share(*c.pop.load_balance) + " x communication " +
                   format_share(*c.pop.communication) +
                   (c.pop.transfer
                        ? " (transfer " + format_share(*c.pop.transfer) + " x serialisation " +
                              (c.pop.serialisation ? format_share(*c.pop.serialisation)
                                                   : std::string("unknown")) +
                              ")"
                        : std::string()) +
                   ".");
  return list;
}

}  // namespace

OptionalSection mpi_section(const RunProfile& profile) {
  const std::vector<Operation> list = operations(profile);
  if (list.empty()) return std::nullopt;
  ReportTable table{.id = "mpi"};
  table.text_rows = kOperationsInText;
  table.more = "operations";
  table.columns = {{"operation", "operation", Quantity::kText, Source::kNone, false, true},
                   {"caller", "called from", Quantity::kText, Source::kNone, false, true},
                   {"calls", "calls", Quantity::kCount, Source::kMeasured},
                   {"bytes", "bytes sent", Quantity::kBytes, Source::kMeasured},
                   {"bytes_per_call", "bytes/call", Quantity::kBytes, Source::kDerived}};
  // If ranks share cores, their time in MPI is mostly waiting for a core, so it is left out.
  const bool timed = !profile.config.oversubscribed;
  if (timed) {
    table.columns.push_back({"time", "time/rank", Quantity::kSeconds, Source::kMeasured});
    table.columns.push_back({"time_per_call", "time/call", Quantity::kSeconds, Source::kDerived});
  }
  const double ranks = std::max(1, profile.health.ranks_present);
  std::map<std::string, double> idle;  // calls by operation
  for (const Operation& op : list) {
    if (timed && does_nothing(op, ranks)) {
      idle[op.op] += op.calls;
      continue;
    }
    ReportRow row{
        .cells = {text_cell(op.op), text_cell(op.caller), number_cell(op.calls),
                  number_cell(op.bytes),
                  number_cell(op.calls > 0 ? std::optional(std::round(op.bytes / op.calls))
                                           : std::nullopt)}};
    if (timed) {
      row.cells.push_back(number_cell(op.time_s / ranks));
      row.cells.push_back(
          number_cell(op.calls > 0 ? std::optional(op.time_s / op.calls) : std::nullopt));
    }
    table.rows.push_back(std::move(row));
  }
  ReportSection section{.id = "mpi", .title = "MPI operations"};
  if (!timed) {
    section.sentences.push_back(
        "More ranks than cores: time inside MPI is mostly waiting for a core and is left out; "
        "counts are valid.");
  }
  const std::string peers = peers_sentence(profile);
  if (!peers.empty()) section.sentences.push_back(peers);
  section.matrix_chart = matrix_chart(profile);
  for (std::string& sentence : communication_sentences(profile))
    section.sentences.push_back(std::move(sentence));
  if (std::string words = idle_calls(idle); !words.empty())
    section.sentences.push_back(std::move(words));
  if (!table.rows.empty()) section.tables.push_back(std::move(table));
  return section;
}

OptionalSection rank_times_section(const RunProfile& profile) {
  ReportTable table{.id = "times"};
  table.columns = {{"time", "", Quantity::kText},
                   {"mean", "mean", Quantity::kSeconds, Source::kMeasured},
                   {"min", "least", Quantity::kSeconds, Source::kMeasured},
                   {"max", "most", Quantity::kSeconds, Source::kMeasured}};
  const auto add = [&](const char* name, const Column& column) {
    if (column.per_rank.empty() || column.max() <= 0) return;
    table.rows.push_back({.cells = {text_cell(name), number_cell(column.mean()),
                                    number_cell(column.min()), number_cell(column.max())}});
  };
  const RankTimes& times = profile.times;
  add("start to end", times.wall_s);
  add("before MPI_Init returns", times.init_s);
  add("after MPI_Finalize begins", times.finalize_s);
  add("in between", times.main_s);
  add("  CPU time", times.main_cpu_s);
  add("  CPU time outside MPI (sampled)", times.sampled_cpu_s);
  if (!profile.config.oversubscribed) {
    add("  inside MPI", times.mpi_s);
    add("    point-to-point", times.mpi_p2p_s);
    add("    collectives", times.mpi_coll_s);
    add("    other MPI", times.mpi_other_s);
  }
  if (table.rows.empty()) return std::nullopt;
  table.caption = "Over ranks";
  ReportSection section{.id = "times", .title = "Time per rank"};
  section.tables.push_back(std::move(table));
  return section;
}

}  // namespace apmt
