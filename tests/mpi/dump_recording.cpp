// Prints the MPI part of a rank's recording as sorted lines, or compares it with what the program
// says it did. Reads the recording's structures directly, so that the shim is tested without the
// reader.
//
//   dump_recording FILE            print
//   dump_recording FILE EXPECTED   compare; a number given as * may be any. Also, every call must
//   come
//                                  from the program and not from MPI's own bindings
//
// Calls of class "other" (local calls, management) are left out unless EXPECTED names them.
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

/// Line by what it is about: "call MPI_Send comm=4" -> "calls=1 sent=8 received=0".
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

  /// Path of the object that holds an address; "?" if it is not known.
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
  for (const Peer& p : recording.table<Peer>(SectionKind::kPeers)) {
    if (p.rank_plus_one == 0) continue;
    std::ostringstream text;
    text << "sent=" << p.messages_sent << "/" << p.bytes_sent << " received=" << p.messages_received
         << "/" << p.bytes_received;
    lines["peer " + std::to_string(p.rank_plus_one - 1)] = text.str();
  }
  return lines;
}

/// The last `n` words of a line tell the numbers.
Lines read_expected(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + ": cannot be read");
  Lines lines;
  for (std::string line; std::getline(in, line);) {
    const std::size_t cut = line.rfind(line.compare(0, 4, "call") == 0 ? " calls=" : " sent=");
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

/// Calls whose caller is said to be in an MPI library.
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
    // Polled calls may not have happened at all, if there is nothing else to them.
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
    for (const auto& [about, numbers] : lines_of(recording, {}))
      std::cout << about << " " << numbers << "\n";
    return 0;
  }
  const Lines expected = read_expected(argv[2]);
  std::set<std::string> named;
  for (const auto& [about, numbers] : expected) {
    std::istringstream words(about);
    std::string kind, name;
    words >> kind >> name;
    named.insert(name);
  }
  return compare(lines_of(recording, named), expected) + strange_callers(recording) == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::cerr << "usage: dump_recording FILE [EXPECTED]\n";
    return 2;
  }
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
