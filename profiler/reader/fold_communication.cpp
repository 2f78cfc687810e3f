#include "profiler/reader/fold_communication.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>

#include "profiler/reader/fold_mpi.h"

namespace apmt {
namespace {

using format::Instance;
using format::MpiCall;
using format::OpClass;
using format::RequestRow;
using format::Stage;

/// The key of a row: operation, communicator size and size class only.
std::uint64_t row_of(std::uint64_t what) {
  return format::mpi_what(format::what_op(what), format::what_size_class(what),
                          format::what_comm_size(what), format::PeerClass::kNone, Stage::kMain);
}

double in_seconds(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

// ---- Synchronising collectives, call by call ----------------------------------------------------

/// The time in those collective calls that were recorded one by one (format::Instance), and their
/// transfer time. The transfer time of a call is the shortest time that any rank spent in it: this
/// rank entered last, so it did not wait for any other.
struct Kept {
  double time_s = 0;
  double transfer_s = 0;
  void add(const Kept& other) {
    time_s += other.time_s;
    transfer_s += other.transfer_s;
  }
};
using KeptByRow = std::unordered_map<std::uint64_t, Kept>;

class Instances {
 public:
  explicit Instances(const std::vector<RawRecording>& ranks) {
    for (const RawRecording& raw : ranks) level_ = std::max(level_, raw.header.thinning);
    for (const RawRecording& raw : ranks)
      for (const Instance& i : raw.instances) {
        if (!counts(i)) continue;
        Seen& seen = seen_[i.key];
        if (seen.ranks == 0) seen.op = format::what_op(i.what);
        seen.agrees = seen.agrees && seen.op == format::what_op(i.what);
        seen.ranks += 1;
        seen.least_ns = std::min(seen.least_ns, i.time_ns);
      }
  }

  /// The times of one rank, by row. Calls that not all members of the communicator recorded are
  /// left out.
  KeptByRow of(const RawRecording& raw) const {
    KeptByRow kept;
    for (const Instance& i : raw.instances) {
      if (!counts(i)) continue;
      const Seen& seen = seen_.at(i.key);
      if (!seen.agrees || seen.ranks != format::what_comm_size(i.what)) continue;
      kept[row_of(i.what)].add({in_seconds(i.time_ns), in_seconds(seen.least_ns)});
    }
    return kept;
  }

 private:
  struct Seen {
    std::uint32_t ranks = 0;
    std::uint32_t op = 0;
    bool agrees = true;
    std::uint64_t least_ns = UINT64_MAX;
  };
  bool counts(const Instance& i) const {
    return format::survives_thinning(i.key, std::min(level_, 63u));
  }

  std::uint32_t level_ = 0;
  std::unordered_map<std::uint64_t, Seen> seen_;
};

// ---- The table of operations --------------------------------------------------------------------

struct Row {
  MpiOperation operation;
  OpClass op_class = OpClass::kOther;
  double blocking_s = 0;  // in calls that return only when the operation is complete
  double min_s = 0;
  double max_s = 0;
  std::array<std::uint64_t, format::kTimeBins> times{};
  Kept kept;
};

/// The time that a tenth of the calls do not exceed; absent if it is not known.
std::optional<double> low_quantile(const Row& row) {
  std::uint64_t total = 0;
  for (const std::uint64_t n : row.times) total += n;
  if (total == 0 || total != row.operation.calls)
    return std::nullopt;  // the process was killed during an update, or a count overflowed
  const double wanted = 0.1 * static_cast<double>(total);
  double before = 0;
  for (std::uint32_t bin = 0; bin + 1 < format::kTimeBins; ++bin) {
    const double here = static_cast<double>(row.times[bin]);
    if (before + here >= wanted) {
      const double begin_s = in_seconds(format::time_bin_begin(bin));
      const double end_s = in_seconds(format::time_bin_begin(bin + 1));
      const double at_s = begin_s + (end_s - begin_s) * (wanted - before) / here;
      return std::min(std::max(at_s, row.min_s), row.max_s);
    }
    before += here;
  }
  return std::nullopt;  // the duration lies in the last bin, which has no upper end
}

class Table {
 public:
  void add(const RawRecording& raw, const MpiCall& c) {
    Row& row = at(raw, c.what);
    MpiOperation& o = row.operation;
    const double min_s = in_seconds(~c.min_ns_complement);
    row.min_s = o.calls == 0 ? min_s : std::min(row.min_s, min_s);
    row.max_s = std::max(row.max_s, in_seconds(c.max_ns));
    row.blocking_s += in_seconds(c.blocked_ns);
    for (std::uint32_t bin = 0; bin < format::kTimeBins; ++bin) row.times[bin] += c.times[bin];
    o.calls += c.calls;
    o.time_s += in_seconds(c.time_ns);
    if (row.op_class == OpClass::kCompletion || o.op == "MPI_Start" || o.op == "MPI_Startall")
      return;  // the bytes are counted for the operation that this call starts or completes
    o.bytes_sent += c.bytes_sent;
    o.bytes_received += c.bytes_received;
  }
  /// Adds completed non-blocking operations; must be called after all calls were added. The bytes
  /// of these operations are counted here, so the bytes that were counted for the calls that
  /// started the operations are removed.
  void add(const RawRecording& raw, const RequestRow& r) {
    const std::string op = raw.op_name(format::what_op(r.what));
    if (!ends_later_[op]) {
      ends_later_[op] = true;
      for (auto& [key, row] : rows_)
        if (row.operation.op == op) row.operation.bytes_sent = row.operation.bytes_received = 0;
    }
    MpiOperation& o = at(raw, r.what).operation;
    o.bytes_sent += r.bytes_sent;
    o.bytes_received += r.bytes_received;
    o.completed += r.completed;
    o.flight_s += in_seconds(r.flight_ns);
    if (r.completed > 0) {
      const double least_s = in_seconds(~r.min_flight_ns_complement);
      o.min_flight_s = std::min(o.min_flight_s.value_or(least_s), least_s);
    }
    o.blocked_s += in_seconds(r.blocked_ns);
  }
  void add(const KeptByRow& kept) {
    for (const auto& [what, k] : kept)
      if (const auto row = rows_.find(what); row != rows_.end()) row->second.kept.add(k);
  }
  const Row* find(std::uint64_t what) const {
    const auto row = rows_.find(what);
    return row == rows_.end() ? nullptr : &row->second;
  }

  std::vector<MpiOperation> finish() {
    std::vector<MpiOperation> list;
    for (auto& [what, row] : rows_) {
      tell_transfer(&row);
      list.push_back(row.operation);
    }
    std::sort(list.begin(), list.end(), [](const MpiOperation& a, const MpiOperation& b) {
      return std::tie(a.op, a.comm_size, a.size_class) < std::tie(b.op, b.comm_size, b.size_class);
    });
    return list;
  }

 private:
  Row& at(const RawRecording& raw, std::uint64_t what) {
    Row& row = rows_[row_of(what)];
    MpiOperation& o = row.operation;
    if (o.op.empty()) {
      o.op = raw.op_name(format::what_op(what));
      row.op_class = raw.op_class(format::what_op(what));
      o.op_class = class_name(row.op_class);
      o.comm_size = format::what_comm_size(what);
      o.size_class = static_cast<int>(std::min(format::what_size_class(what), 64u));
    }
    return row;
  }

  static void tell_transfer(Row* row) {
    MpiOperation& o = row->operation;
    if (o.calls > 0) o.low_s = low_quantile(*row);
    if (row->blocking_s <= 0) return;
    const bool synchronises = row->op_class == OpClass::kCollective;
    if (synchronises && o.comm_size == 1) {
      o.transfer_s = o.time_s;
      o.transfer_from = "alone";
    } else if (synchronises && row->kept.time_s > 0) {
      o.transfer_s = o.time_s * row->kept.transfer_s / row->kept.time_s;
      o.transfer_from = "instances";
    } else if ((row->op_class == OpClass::kPointToPoint || row->op_class == OpClass::kRooted) &&
               o.low_s) {
      o.transfer_s = std::min(o.time_s, *o.low_s * static_cast<double>(o.calls));
      o.transfer_from = "low quantile";
    }
  }

  std::unordered_map<std::uint64_t, Row> rows_;
  std::unordered_map<std::string, bool> ends_later_;
};

// ---- Derived figures ----------------------------------------------------------------------------

/// Time in synchronising collectives: in all calls (time_s), and in the calls whose waiting time is
/// known (known_s); wait_s is this waiting time.
struct Waiting {
  double time_s = 0;
  double known_s = 0;
  double wait_s = 0;
};

Waiting waiting_of(const RawRecording& raw, const KeptByRow& own, const Table& table) {
  Waiting w;
  for (const MpiCall& c : raw.calls) {
    if (format::what_stage(c.what) != Stage::kMain || c.calls == 0 || c.blocked_ns == 0 ||
        raw.op_class(format::what_op(c.what)) != OpClass::kCollective)
      continue;
    const double time_s = in_seconds(c.time_ns);
    w.time_s += time_s;
    const auto found = own.find(row_of(c.what));
    const Row* const row = table.find(row_of(c.what));
    // If none of this rank's calls in this row was recorded one by one, the sums over all ranks
    // give the ratio of transfer time to total time.
    const Kept kept = found != own.end() ? found->second : row->kept;
    const bool alone = format::what_comm_size(c.what) == 1;
    if (!alone && kept.time_s <= 0) continue;
    w.known_s += time_s;
    if (!alone) w.wait_s += time_s * (1 - kept.transfer_s / kept.time_s);
  }
  return w;
}

std::optional<double> bf_comm(const std::vector<RawRecording>& ranks) {
  double blocked_s = 0, under_way_s = 0;
  for (const RawRecording& raw : ranks) {
    for (const MpiCall& c : raw.calls) {
      const OpClass op_class = raw.op_class(format::what_op(c.what));
      if (format::what_stage(c.what) != Stage::kMain || op_class == OpClass::kCompletion ||
          op_class == OpClass::kOther || op_class == OpClass::kIo)
        continue;
      blocked_s += in_seconds(c.blocked_ns);
      under_way_s += in_seconds(c.blocked_ns);
    }
    for (const RequestRow& r : raw.requests) {
      if (format::what_stage(r.what) != Stage::kMain) continue;
      blocked_s += in_seconds(std::min(r.blocked_ns, r.flight_ns));
      under_way_s += in_seconds(r.flight_ns);
    }
  }
  return under_way_s > 0 ? std::optional(blocked_s / under_way_s) : std::nullopt;
}

/// Transfer time summed over ranks; absent unless it is known for 95 % of the time inside MPI.
std::optional<double> all_transfer_s(const Communication& c) {
  double time_s = 0, known_s = 0, transfer_s = 0;
  for (const MpiOperation& o : c.operations) {
    time_s += o.time_s;
    if (o.transfer_from != "instances" && o.transfer_from != "alone") continue;
    known_s += o.time_s;
    transfer_s += *o.transfer_s;
  }
  return time_s > 0 && known_s >= 0.95 * time_s ? std::optional(transfer_s) : std::nullopt;
}

Efficiencies efficiencies(const RunProfile& profile) {
  Efficiencies e;
  const RankTimes& t = profile.times;
  if (profile.health.ranks_present != profile.health.ranks_expected) return e;
  // Ranks that share cores also wait for a core, outside MPI. So their load balance is computed
  // from CPU time, not from elapsed time.
  Column outside = t.sampled_cpu_s;
  if (!profile.config.oversubscribed) {
    outside.per_rank.clear();
    for (std::size_t r = 0; r < t.main_s.per_rank.size(); ++r)
      outside.per_rank.push_back(std::max(0.0, t.main_s.per_rank[r] - t.mpi_s.per_rank[r]));
  }
  const double elapsed_s = t.main_s.max();
  if (outside.per_rank.empty() || outside.max() <= 0 || elapsed_s <= 0) return e;
  e.load_balance = outside.mean() / outside.max();
  if (profile.config.oversubscribed) return e;
  e.communication = outside.max() / elapsed_s;
  e.parallel = outside.mean() / elapsed_s;
  if (const auto transfer_s = all_transfer_s(profile.communication)) {
    const double ranks = static_cast<double>(profile.health.ranks_present);
    e.transfer = std::clamp(1 - *transfer_s / ranks / elapsed_s, 0.0, 1.0);
    if (*e.transfer > 0) e.serialisation = std::min(1.0, *e.communication / *e.transfer);
  }
  return e;
}

Pattern pattern_of(const RunProfile& profile) {
  std::vector<std::pair<int, int>> edges;
  bool each_known = profile.health.ranks_present == profile.health.ranks_expected;
  for (const PeerRow& row : profile.peers) {
    if (row.from != row.to) edges.emplace_back(row.from, row.to);
    each_known = each_known && row.to_last == row.to;
  }
  if (each_known) return find_pattern(edges, profile.config.procs);
  Pattern unknown;  // ranks are missing, or there were too many peers for one row each
  if (!edges.empty()) unknown.kind = "none";
  return unknown;
}

}  // namespace

void fold_communication(const std::vector<RawRecording>& ranks, RunProfile* profile) {
  Communication& result = profile->communication;
  const Instances instances(ranks);
  Table table;
  for (const RawRecording& raw : ranks)
    for (const MpiCall& c : raw.calls)
      if (format::what_stage(c.what) == Stage::kMain && c.calls > 0) table.add(raw, c);
  for (const RawRecording& raw : ranks)
    for (const RequestRow& r : raw.requests)
      if (format::what_stage(r.what) == Stage::kMain && r.completed > 0) table.add(raw, r);
  for (const RawRecording& raw : ranks) table.add(instances.of(raw));
  Waiting all;
  for (const RawRecording& raw : ranks) {
    const Waiting one = waiting_of(raw, instances.of(raw), table);
    all.time_s += one.time_s;
    all.known_s += one.known_s;
    all.wait_s += one.wait_s;
  }
  result.operations = table.finish();
  result.bf_comm = bf_comm(ranks);
  if (all.time_s > 0) result.coll_wait_coverage = all.known_s / all.time_s;
  if (all.known_s > 0) result.coll_wait_s = all.wait_s / static_cast<double>(ranks.size());
  result.pattern = pattern_of(*profile);
  result.pop = efficiencies(*profile);
}

}  // namespace apmt
