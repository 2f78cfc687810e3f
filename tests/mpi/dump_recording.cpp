// Prints the MPI data in a rank's recording as sorted lines, or compares them with the calls that
// the program wrote down. Reads the recording's structures directly, so that the MPI shim is tested
// without the reader.
//
//   dump_recording FILE             prints
//   dump_recording FILE EXPECTED    compares; * means any number. Also checks that every call comes
//                                   from the program and not from MPI's own bindings, that times
//                                   are possible, and that nothing was lost
//   dump_recording --pairs FILE...  reads the recordings of all ranks: if one rank kept an instance
//                                   of a collective, every rank that took part must have kept it,
//                                   as the same operation
//
// Functions of class "other" (local calls, management) are left out unless EXPECTED names them.
// Requests, instances of collectives and calls to MPI_PROC_NULL ("nobody") are left out unless
// EXPECTED has a line of that kind. If EXPECTED has no line of requests, operations that were
// started but not completed ("unfinished") are compared instead. If EXPECTED has no line of
// instances, calls of synchronising collectives without an instance ("unkept") are compared
// instead.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "profiler/profile_format.h"

namespace {

using namespace apmt::format;

struct Numbers {
  std::uint64_t calls = 0, sent = 0, received = 0;
};

/// Maps the subject of each line to its numbers: "call MPI_Send comm=4" -> "calls=1 sent=8
/// received=0".
using Lines = std::map<std::string, std::string>;

class Recording {
 public:
  explicit Recording(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(in), {});
    if (bytes_.size() < sizeof(Header)) throw std::runtime_error(file + ": too short");
    std::memcpy(&header_, bytes_.data(), sizeof header_);
    if (std::memcmp(header_.magic, kMagic, sizeof kMagic) != 0)
      throw std::runtime_error(file + ": no recording");
  }
  const Header& header() const { return header_; }

  /// The values of a key of the text table.
  std::vector<std::string> text(const std::string& key) const {
    const Section& s = header_.sections[static_cast<std::uint32_t>(SectionKind::kText) - 1];
    std::vector<std::string> values;
    for (std::uint64_t at = 1; at < s.used;) {
      const std::string record = bytes_.data() + s.offset_bytes + at;
      if (record.compare(0, key.size() + 1, key + "=") == 0)
        values.push_back(record.substr(key.size() + 1));
      at += record.size() + 1;
    }
    return values;
  }

  /// Path of the program or library that contains an address; "?" if it is not known.
  std::string object_of(std::uint64_t pc) const {
    const Section& text = header_.sections[static_cast<std::uint32_t>(SectionKind::kText) - 1];
    for (const Module& m : table<Module>(SectionKind::kModules))
      if (pc >= m.begin && pc < m.end) return bytes_.data() + text.offset_bytes + m.path_offset;
    return "?";
  }

  template <class Entry>
  std::vector<Entry> table(SectionKind kind) const {
    const Section& s = header_.sections[static_cast<std::uint32_t>(kind) - 1];
    std::vector<Entry> entries(s.capacity);
    std::memcpy(entries.data(), bytes_.data() + s.offset_bytes, s.capacity * sizeof(Entry));
    return entries;
  }

 private:
  std::vector<char> bytes_;
  Header header_;
};

std::string about(const std::vector<Op>& ops, const char* kind, std::uint64_t what) {
  return kind + std::string(" ") + ops.at(what_op(what)).name +
         " comm=" + std::to_string(what_comm_size(what));
}

void add_requests(const Recording& recording, Lines* lines) {
  const auto ops = recording.table<Op>(SectionKind::kOps);
  std::map<std::string, Numbers> ended;
  for (const RequestRow& r : recording.table<RequestRow>(SectionKind::kRequests)) {
    if (r.completed == 0 || what_stage(r.what) != Stage::kMain) continue;
    Numbers& n = ended[about(ops, "request", r.what)];
    n.calls += r.completed;
    n.sent += r.bytes_sent;
    n.received += r.bytes_received;
  }
  for (const auto& [line, n] : ended) {
    std::ostringstream text;
    text << "completed=" << n.calls << " sent=" << n.sent << " received=" << n.received;
    (*lines)[line] = text.str();
  }
}

/// Adds the point-to-point calls whose peer was MPI_PROC_NULL.
void add_nobody(const Recording& recording, Lines* lines) {
  const auto ops = recording.table<Op>(SectionKind::kOps);
  std::map<std::string, std::uint64_t> calls;
  for (const MpiCall& c : recording.table<MpiCall>(SectionKind::kMpiCalls))
    if (what_peer(c.what) == PeerClass::kNobody &&
        ops.at(what_op(c.what)).op_class == OpClass::kPointToPoint)
      calls[about(ops, "nobody", c.what)] += c.calls;
  for (const auto& [line, n] : calls) (*lines)[line] = "kept=" + std::to_string(n);
}

void add_instances(const Recording& recording, Lines* lines) {
  const auto ops = recording.table<Op>(SectionKind::kOps);
  std::map<std::string, int> kept;
  for (const Instance& i : recording.table<Instance>(SectionKind::kInstances))
    if (i.key > kInstanceBusy) ++kept[about(ops, "instances", i.what)];
  for (const auto& [line, n] : kept) (*lines)[line] = "kept=" + std::to_string(n);
}

/// Whether calls of this function start one non-blocking operation each.
bool starts_operation(const std::string& op) {
  static const std::vector<const char*> kPrefixes = {
      "MPI_Iall",    "MPI_Ibarrier",  "MPI_Ibcast",      "MPI_Ibsend", "MPI_Iexscan",
      "MPI_Igather", "MPI_Imrecv",    "MPI_Ineigh",      "MPI_Irecv",  "MPI_Ireduce",
      "MPI_Irsend",  "MPI_Iscan",     "MPI_Iscatter",    "MPI_Isend",  "MPI_Issend",
      "MPI_File_i",  "MPI_Comm_idup", "MPI_Raccumulate", "MPI_Rget",   "MPI_Rput"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](const char* prefix) {
    return op.compare(0, std::strlen(prefix), prefix) == 0;
  });
}

/// Adds operations that were started but not completed.
void add_unfinished(const Recording& recording, Lines* lines) {
  const auto ops = recording.table<Op>(SectionKind::kOps);
  std::map<std::string, std::int64_t> open;
  for (const MpiCall& c : recording.table<MpiCall>(SectionKind::kMpiCalls))
    if (c.calls > 0 && starts_operation(ops.at(what_op(c.what)).name))
      open[about(ops, "unfinished", c.what)] += static_cast<std::int64_t>(c.calls);
  for (const RequestRow& r : recording.table<RequestRow>(SectionKind::kRequests))
    if (r.completed > 0 && starts_operation(ops.at(what_op(r.what)).name))
      open[about(ops, "unfinished", r.what)] -= static_cast<std::int64_t>(r.completed);
  for (const auto& [line, n] : open)
    if (n != 0) (*lines)[line] = "calls=" + std::to_string(n);
}

/// Adds blocking calls of synchronising collectives that were not kept as instances.
void add_unkept(const Recording& recording, Lines* lines) {
  const auto ops = recording.table<Op>(SectionKind::kOps);
  std::map<std::string, std::int64_t> unkept;
  for (const MpiCall& c : recording.table<MpiCall>(SectionKind::kMpiCalls)) {
    if (c.calls == 0) continue;
    const Op& op = ops.at(what_op(c.what));
    const std::string name = op.name;
    if (op.op_class == OpClass::kCollective && !starts_operation(name) &&
        name.find("_init") == std::string::npos && what_comm_size(c.what) > 1)
      unkept[about(ops, "unkept", c.what)] += static_cast<std::int64_t>(c.calls);
  }
  for (const Instance& i : recording.table<Instance>(SectionKind::kInstances))
    if (i.key > kInstanceBusy) --unkept[about(ops, "unkept", i.what)];
  for (const auto& [line, n] : unkept)
    if (n != 0) (*lines)[line] = "calls=" + std::to_string(n);
}

Lines lines_of(const Recording& recording, const std::set<std::string>& named) {
  const auto ops = recording.table<Op>(SectionKind::kOps);
  std::map<std::string, Numbers> calls;
  for (const MpiCall& c : recording.table<MpiCall>(SectionKind::kMpiCalls)) {
    if (c.calls == 0 || what_stage(c.what) != Stage::kMain) continue;
    const Op& op = ops.at(what_op(c.what));
    if (op.op_class == OpClass::kOther && named.count(op.name) == 0) continue;
    Numbers& n =
        calls["call " + std::string(op.name) + " comm=" + std::to_string(what_comm_size(c.what))];
    n.calls += c.calls;
    n.sent += c.bytes_sent;
    n.received += c.bytes_received;
  }
  Lines lines;
  for (const auto& [about, n] : calls) {
    std::ostringstream text;
    text << "calls=" << n.calls << " sent=" << n.sent << " received=" << n.received;
    lines[about] = text.str();
  }
  std::map<std::uint64_t, Peer> peers;  // by rank, summed over all threads
  for (const Peer& p : recording.table<Peer>(SectionKind::kPeers)) {
    if (p.rank_plus_one == 0) continue;
    Peer& sum = peers[(p.rank_plus_one & ~kPeerOfOtherThreads) - 1];
    sum.messages_sent += p.messages_sent;
    sum.bytes_sent += p.bytes_sent;
    sum.messages_received += p.messages_received;
    sum.bytes_received += p.bytes_received;
  }
  for (const auto& [rank, p] : peers) {
    std::ostringstream text;
    text << "sent=" << p.messages_sent << "/" << p.bytes_sent << " received=" << p.messages_received
         << "/" << p.bytes_received;
    lines["peer " + std::to_string(rank)] = text.str();
  }
  if (named.count("request") > 0)
    add_requests(recording, &lines);
  else
    add_unfinished(recording, &lines);
  if (named.count("nobody") > 0) add_nobody(recording, &lines);
  if (named.count("instances") > 0)
    add_instances(recording, &lines);
  else
    add_unkept(recording, &lines);
  return lines;
}

/// The blocked time that a call of this duration must have; -1 if any blocked time is right.
double blocked_ns_of(const std::string& op, std::uint64_t time_ns) {
  static const std::set<std::string> block = {"MPI_Send",    "MPI_Recv",     "MPI_Sendrecv",
                                              "MPI_Wait",    "MPI_Bcast",    "MPI_Barrier",
                                              "MPI_Waitall", "MPI_Allreduce"};
  static const std::set<std::string> return_at_once = {"MPI_Isend", "MPI_Irecv",  "MPI_Start",
                                                       "MPI_Test",  "MPI_Iprobe", "MPI_Ibarrier"};
  return block.count(op) > 0 ? static_cast<double>(time_ns) : return_at_once.count(op) > 0 ? 0 : -1;
}

/// The number of violations of rules that hold for every recording, whatever the program.
int impossible(const Recording& recording) {
  int wrong = 0;
  const auto fail = [&wrong](const std::string& what) {
    ++wrong;
    std::cout << what << "\n";
  };
  const auto ops = recording.table<Op>(SectionKind::kOps);
  for (const MpiCall& c : recording.table<MpiCall>(SectionKind::kMpiCalls)) {
    if (c.calls == 0) continue;
    // All ranks of these tests are on one machine, and the launchers say so. The recorder does not
    // know the nodes of spawned processes and of processes of other jobs, so it records them as
    // being on another node. Only a communicator that is larger than the world is assumed to
    // contain such processes.
    if (what_peer(c.what) == PeerClass::kOtherNode &&
        what_comm_size(c.what) <= static_cast<std::uint32_t>(recording.header().world_size))
      fail(about(ops, "call", c.what) + ": peers on another node");
    const double blocked_ns = blocked_ns_of(ops.at(what_op(c.what)).name, c.time_ns);
    if (blocked_ns >= 0 && static_cast<double>(c.blocked_ns) != blocked_ns)
      fail(about(ops, "call", c.what) + ": blocked for another time");
    const std::uint64_t least_ns = ~c.min_ns_complement;
    std::uint64_t in_bins = 0;
    for (const std::uint32_t n : c.times) in_bins += n;
    if (least_ns > c.max_ns || c.time_ns < least_ns * c.calls || c.time_ns > c.max_ns * c.calls ||
        c.blocked_ns > c.time_ns || in_bins != c.calls)
      fail(about(ops, "call", c.what) + ": impossible times");
  }
  for (const RequestRow& r : recording.table<RequestRow>(SectionKind::kRequests)) {
    if (r.completed == 0) continue;
    const std::uint64_t least_ns = ~r.min_flight_ns_complement;
    if (r.blocked_ns > r.flight_ns || least_ns > r.max_flight_ns ||
        r.flight_ns < least_ns * r.completed || r.flight_ns > r.max_flight_ns * r.completed)
      fail(about(ops, "request", r.what) + ": impossible times");
  }
  for (const Instance& i : recording.table<Instance>(SectionKind::kInstances))
    if (i.key > kInstanceBusy && what_comm_size(i.what) < 2)
      fail(about(ops, "instance", i.what) + ": of a rank alone");
  for (const SectionKind kind : {SectionKind::kMpiCalls, SectionKind::kPeers,
                                 SectionKind::kRequests, SectionKind::kInstances})
    if (recording.header().sections[static_cast<std::uint32_t>(kind) - 1].dropped > 0)
      fail("table " + std::to_string(static_cast<std::uint32_t>(kind)) + " was full");
  for (const std::string& note : recording.text("note"))
    if (note.find("sampl") == std::string::npos) fail("note: " + note);  // depends on the machine
  return wrong;
}

int pairs(int count, char** files) {
  struct Seen {
    std::set<std::string> calls;
    std::uint32_t ranks = 0;
    std::uint32_t expected = 0;
  };
  std::map<std::uint64_t, Seen> seen;
  for (int i = 0; i < count; ++i) {
    const Recording recording(files[i]);
    const auto ops = recording.table<Op>(SectionKind::kOps);
    for (const Instance& instance : recording.table<Instance>(SectionKind::kInstances)) {
      if (instance.key <= kInstanceBusy) continue;
      Seen& one = seen[instance.key];
      one.calls.insert(about(ops, "instance", instance.what));
      one.expected = what_comm_size(instance.what);
      ++one.ranks;
    }
  }
  int differences = 0;
  for (const auto& [key, one] : seen) {
    if (one.calls.size() == 1 && one.ranks == one.expected) continue;
    ++differences;
    std::cout << "one instance, kept by " << one.ranks << " of " << one.expected << " ranks, is";
    for (const std::string& call : one.calls) std::cout << " " << call;
    std::cout << "\n";
  }
  return differences == 0 ? 0 : 1;
}

/// Reads expected lines. Each is a name, followed by numbers, the first of which is calls=,
/// completed=, kept= or sent=.
Lines read_expected(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + ": cannot be read");
  Lines lines;
  for (std::string line; std::getline(in, line);) {
    std::size_t cut = std::string::npos;
    for (const char* first : {" calls=", " completed=", " kept=", " sent="})
      if (cut == std::string::npos) cut = line.rfind(first);
    if (cut == std::string::npos) throw std::runtime_error(file + ": " + line);
    lines[line.substr(0, cut)] = line.substr(cut + 1);
  }
  return lines;
}

bool same(const std::string& expected, const std::string& recorded) {
  std::istringstream e(expected), r(recorded);
  std::string a, b;
  while (e >> a) {
    if (!(r >> b)) return false;
    const bool any = a.size() > 2 && a.compare(a.size() - 2, 2, "=*") == 0;
    if (any ? a.substr(0, a.size() - 1) != b.substr(0, a.size() - 1) : a != b) return false;
  }
  return !(r >> b);
}

/// The number of calls whose recorded caller is in an MPI library.
int strange_callers(const Recording& recording) {
  const auto ops = recording.table<Op>(SectionKind::kOps);
  int strange = 0;
  for (const MpiCall& c : recording.table<MpiCall>(SectionKind::kMpiCalls)) {
    if (c.calls == 0 || what_stage(c.what) != Stage::kMain) continue;
    const Op& op = ops.at(what_op(c.what));
    const std::string object = recording.object_of(c.caller_pc);
    if (op.op_class == OpClass::kOther || object.find("libmpi") == std::string::npos) continue;
    ++strange;
    std::cout << op.name << ": called from " << object << "\n";
  }
  return strange;
}

int compare(const Lines& recorded, const Lines& expected) {
  int differences = 0;
  for (const auto& [about, numbers] : expected) {
    const auto found = recorded.find(about);
    if (found != recorded.end() && same(numbers, found->second)) continue;
    // A call that is polled and has no bytes may not have been made at all.
    if (found == recorded.end() && numbers == "calls=* sent=0 received=0") continue;
    ++differences;
    std::cout << about << ": expected " << numbers << ", recorded "
              << (found == recorded.end() ? "nothing" : found->second) << "\n";
  }
  for (const auto& [about, numbers] : recorded)
    if (expected.count(about) == 0) {
      ++differences;
      std::cout << about << ": not expected, recorded " << numbers << "\n";
    }
  return differences;
}

int run(int argc, char** argv) {
  const Recording recording(argv[1]);
  if (argc == 2) {
    std::cout << "rank " << recording.header().world_rank << " of " << recording.header().world_size
              << "\n";
    for (const auto& [about, numbers] : lines_of(recording, {"request", "nobody", "instances"}))
      std::cout << about << " " << numbers << "\n";
    for (const std::string& note : recording.text("note")) std::cout << "note " << note << "\n";
    return 0;
  }
  const Lines expected = read_expected(argv[2]);
  std::set<std::string> named;
  for (const auto& [about, numbers] : expected) {
    std::istringstream words(about);
    std::string kind, name;
    words >> kind >> name;
    named.insert({kind, name});
  }
  const int wrong = compare(lines_of(recording, named), expected) + strange_callers(recording) +
                    impossible(recording);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bool of_all_ranks = argc > 2 && std::strcmp(argv[1], "--pairs") == 0;
  if (argc < 2 || (argc > 3 && !of_all_ranks)) {
    std::cerr << "usage: dump_recording FILE [EXPECTED] | --pairs FILE...\n";
    return 2;
  }
  try {
    return of_all_ranks ? pairs(argc - 2, argv + 2) : run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
