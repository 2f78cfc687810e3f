#include "profiler/reader/fold_mpi.h"

#include <algorithm>
#include <tuple>

#include "base/input_error.h"
#include "base/words.h"
#include "profiler/reader/fold_kernels.h"
#include "profiler/reader/message_times.h"

namespace apmt {

using format::MpiCall;
using format::OpClass;
using format::PeerClass;

std::string class_name(OpClass c) {
  switch (c) {
    case OpClass::kPointToPoint:
      return "p2p";
    case OpClass::kCompletion:
      return "completion";
    case OpClass::kCollective:
      return "collective";
    case OpClass::kRooted:
      return "rooted";
    case OpClass::kOneSided:
      return "one-sided";
    case OpClass::kIo:
      return "io";
    case OpClass::kOther:
      break;
  }
  return "other";
}

namespace {

std::string peer_name(PeerClass p) {
  switch (p) {
    case PeerClass::kSameNode:
      return "same-node";
    case PeerClass::kOtherNode:
      return "other-node";
    case PeerClass::kMixed:
      return "mixed";
    case PeerClass::kNobody:
      return "nobody";
    case PeerClass::kUntold:
    case PeerClass::kNone:
      break;
  }
  return "none";
}

using RowKey = std::tuple<std::string, std::uint32_t, std::uint32_t, PeerClass, std::string>;

void add_to_row(const MpiCall& c, MpiRow* row) {
  const double min_s = static_cast<double>(~c.min_ns_complement) * 1e-9;
  row->min_s = row->calls == 0 ? min_s : std::min(row->min_s, min_s);
  row->max_s = std::max(row->max_s, static_cast<double>(c.max_ns) * 1e-9);
  row->calls += c.calls;
  row->bytes_sent += c.bytes_sent;
  row->bytes_received += c.bytes_received;
  row->time_s += static_cast<double>(c.time_ns) * 1e-9;
  row->blocked_s += static_cast<double>(c.blocked_ns) * 1e-9;
}

/// Determines the peer classes that the ranks could not determine themselves. (A rank does not know
/// the hosts of the other ranks.)
class Nodes {
 public:
  Nodes(const std::vector<RawRecording>& ranks, const RunProfile& profile)
      : single_(profile.hosts.size() == 1) {
    for (std::size_t i = 0; i < ranks.size(); ++i)
      host_[ranks[i].header.world_rank] = profile.host_of_rank[i];
  }

  /// The peer class of all messages of a rank together.
  PeerClass of_messages(const RawRecording& raw) const {
    if (single_) return PeerClass::kSameNode;
    if (!raw.peer_blocks.empty()) return PeerClass::kMixed;
    PeerClass all = PeerClass::kNone;
    for (const format::Peer& peer : raw.peers) {
      const auto host = host_.find(static_cast<int>(peer.rank_plus_one - 1));
      if (host == host_.end()) return PeerClass::kMixed;  // that rank left no recording
      const PeerClass one = host->second == host_.at(raw.header.world_rank) ? PeerClass::kSameNode
                                                                            : PeerClass::kOtherNode;
      if (all != PeerClass::kNone && all != one) return PeerClass::kMixed;
      all = one;
    }
    return all == PeerClass::kNone ? PeerClass::kMixed : all;
  }
  PeerClass of_everyone() const { return single_ ? PeerClass::kSameNode : PeerClass::kMixed; }

 private:
  bool single_;
  std::map<int, int> host_;  // by world rank
};

/// Seconds that one rank spent inside MPI, by kind of call.
struct Inside {
  double p2p_s = 0;
  double coll_s = 0;
  double other_s = 0;
  void add(OpClass c, double time_s) {
    const bool p2p = c == OpClass::kPointToPoint || c == OpClass::kCompletion;
    const bool coll = c == OpClass::kCollective || c == OpClass::kRooted;
    (p2p ? p2p_s : coll ? coll_s : other_s) += time_s;
  }
};

/// Adds a rank's peer rows. Each row covers `width` ranks, beginning with the rank that it names.
void fold_peers(const RawRecording& raw, const std::vector<format::Peer>& peers, int width,
                RunProfile* profile) {
  for (const format::Peer& peer : peers) {
    if (peer.rank_plus_one == 0 ||
        peer.rank_plus_one > static_cast<std::uint64_t>(raw.header.world_size))
      throw InputError(
          raw.file, "the peer table names rank " +
                        (peer.rank_plus_one == 0 ? "-1" : std::to_string(peer.rank_plus_one - 1)) +
                        " of " + std::to_string(raw.header.world_size));
    const int first = static_cast<int>(peer.rank_plus_one - 1);
    const std::int64_t end =
        std::min<std::int64_t>(std::int64_t{first} + width, raw.header.world_size);
    if (peer.messages_sent > 0)
      profile->peers.push_back({raw.header.world_rank, first, peer.messages_sent, peer.bytes_sent,
                                static_cast<int>(end - 1)});
  }
}

}  // namespace

void fold_mpi(const std::vector<RawRecording>& ranks, Symbols& symbols, RunProfile* profile) {
  struct Row {
    MpiRow row;
    MessageTimes messages;
  };
  std::map<RowKey, Row> rows;
  RankTimes& times = profile->times;
  const Nodes nodes(ranks, *profile);
  int in_blocks = 0;  // ranks that have peer blocks
  std::uint32_t block_width = 1;
  for (const RawRecording& raw : ranks) {
    Inside inside;
    const PeerClass messages = nodes.of_messages(raw);
    std::map<std::uint64_t, std::string> callers;
    for (const MpiCall& c : raw.calls) {
      // A slot is claimed before it is filled, so a killed rank may leave one with zero calls.
      if (format::what_stage(c.what) != format::Stage::kMain || c.calls == 0) continue;
      const std::uint32_t op = format::what_op(c.what);
      const OpClass op_class = raw.op_class(op);
      auto caller = callers.find(c.caller_pc);
      if (caller == callers.end())  // caller_pc is the return address; the call is before it
        caller = callers
                     .emplace(c.caller_pc, c.caller_pc == 0
                                               ? std::string()
                                               : function_of(raw, symbols, c.caller_pc - 1).name)
                     .first;
      PeerClass peer = format::what_peer(c.what);
      if (peer == PeerClass::kUntold)
        peer = op_class == OpClass::kPointToPoint || op_class == OpClass::kCompletion
                   ? messages
                   : nodes.of_everyone();
      Row& its = rows[{raw.op_name(op), format::what_comm_size(c.what),
                       format::what_size_class(c.what), peer, caller->second}];
      MpiRow& row = its.row;
      row.op = raw.op_name(op);
      row.op_class = class_name(op_class);
      row.comm_size = format::what_comm_size(c.what);
      row.size_class = static_cast<int>(format::what_size_class(c.what));
      row.peer = peer_name(peer);
      row.caller = caller->second;
      add_to_row(c, &row);
      its.messages.add(raw, c);
      inside.add(op_class, static_cast<double>(c.time_ns) * 1e-9);
    }
    times.mpi_p2p_s.per_rank.push_back(inside.p2p_s);
    times.mpi_coll_s.per_rank.push_back(inside.coll_s);
    times.mpi_other_s.per_rank.push_back(inside.other_s);
    times.mpi_s.per_rank.push_back(inside.p2p_s + inside.coll_s + inside.other_s);
    fold_peers(raw, raw.peers, 1, profile);
    block_width = format::peer_block_width(static_cast<std::uint32_t>(raw.header.world_size));
    fold_peers(raw, raw.peer_blocks, static_cast<int>(block_width), profile);
    in_blocks += raw.peer_blocks.empty() ? 0 : 1;
  }
  if (in_blocks > 0)
    profile->health.notes.push_back(
        "point-to-point messages of " + counted(in_blocks, "rank") +
        " go to more peers than its table holds; the rest is summed over blocks of " +
        std::to_string(block_width) + " ranks");
  const MessagesPerCall per_call = messages_per_call(ranks);
  for (auto& [key, its] : rows) {
    its.messages.fill(per_call, &its.row);
    profile->mpi.push_back(std::move(its.row));
  }
  std::sort(profile->peers.begin(), profile->peers.end(), [](const PeerRow& a, const PeerRow& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  });
}

}  // namespace apmt
