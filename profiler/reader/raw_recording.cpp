#include "profiler/reader/raw_recording.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <fstream>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "profiler/reader/hexadecimal.h"

namespace apmt {
namespace {

using format::Header;
using format::Section;
using format::SectionKind;

constexpr const char* kDamagedHint = "the file is damaged or was cut off; record the run again";

/// The bytes of a file. Only this class reads values at offsets in them, and it checks the bounds.
class Bytes {
 public:
  Bytes(std::string_view bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {}

  template <typename T>
  T take(std::uint64_t offset, const char* what) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) fail(what, "cut off");
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

  /// Copies the first `count` bytes of the file; the caller has checked that there are as many.
  void copy(void* out, std::size_t count) const { std::memcpy(out, bytes_.data(), count); }

  /// The bytes of a table; checks that all of its capacity lies inside the file.
  std::string_view table(const Section& section, const char* what) const {
    if (section.entry_bytes == 0 || section.capacity > format::kMaxRecordingBytes ||
        section.offset_bytes > bytes_.size() ||
        section.capacity * section.entry_bytes > bytes_.size() - section.offset_bytes)
      fail(what, "does not lie inside the file");
    if (section.used > section.capacity) fail(what, "holds more than it has room for");
    return bytes_.substr(section.offset_bytes, section.capacity * section.entry_bytes);
  }

  [[noreturn]] void fail(const std::string& what, const std::string& problem) const {
    throw InputError(file_, what + " " + problem, kDamagedHint);
  }

  std::size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
  std::string file_;
};

/// Whether a time is possible. The recorded clocks count from the machine's start or from 1970. The
/// limit of a century is longer than such times, and short enough that differences cannot overflow.
bool is_plausible_time(std::int64_t ns) {
  constexpr std::int64_t kCenturyNs = std::int64_t{100} * 366 * 86400 * 1000000000;
  return ns >= -kCenturyNs && ns <= kCenturyNs;
}

/// Newer minor versions add members at the end of the header. Members that an older file lacks are
/// set to 0; members that a newer file adds are ignored.
Header take_header(const Bytes& bytes, std::uint64_t file_bytes) {
  const auto size = bytes.take<std::uint64_t>(offsetof(Header, header_bytes), "header");
  if (size < format::kHeaderBytes31) bytes.fail("header", "has an unexpected size");
  const std::uint64_t taken = std::min<std::uint64_t>(size, sizeof(Header));
  if (size > file_bytes || taken > bytes.size()) bytes.fail("header", "cut off");
  Header header{};
  bytes.copy(&header, taken);
  return header;
}

/// `file_bytes`: the size of the whole file; `bytes` may be only its beginning.
Header decode_header(const Bytes& bytes, std::uint64_t file_bytes, const std::string& file) {
  if (bytes.size() < sizeof(format::kMagic) ||
      std::memcmp(bytes.take<std::array<char, 8>>(0, "magic").data(), format::kMagic, 8) != 0)
    throw InputError(file, "not a recording of apmt", "expected a file rank-*.apmt");
  const auto byte_order = bytes.take<std::uint32_t>(offsetof(Header, byte_order), "header");
  if (byte_order != format::kByteOrderMark)
    throw InputError(file, "recorded on a machine of another byte order",
                     "read it on such a machine");
  const auto major = bytes.take<std::uint16_t>(offsetof(Header, version_major), "header");
  if (major != format::kVersionMajor)
    throw InputError(file,
                     "recording format " + std::to_string(major) + " is not known, expected " +
                         std::to_string(format::kVersionMajor),
                     "read it with the version of apmt that wrote it");
  const Header header = take_header(bytes, file_bytes);
  if (header.file_bytes > file_bytes) bytes.fail("file", "is shorter than its header says");
  if (header.section_count > format::kMaxSections) bytes.fail("header", "names too many tables");
  if (header.event_count > format::kMaxEvents) bytes.fail("header", "names too many events");
  for (std::uint32_t e = 0; e < header.event_count; ++e)
    if (header.events[e].slice > format::kMaxSlices) bytes.fail("header", "names too many slices");
  if (header.squares_column != 0 && header.squares_column != format::kSquaresColumn)
    bytes.fail("header", "has an unknown column");
  if (static_cast<std::uint32_t>(header.stage) > 2 || static_cast<std::uint32_t>(header.ending) > 2)
    bytes.fail("header", "has an unknown stage or ending");
  if (header.world_rank < -1 || header.world_size < 0 ||
      (header.world_rank >= 0 && header.world_rank >= header.world_size))
    bytes.fail("header", "has an impossible rank");
  for (const std::int64_t ns : {header.start_ns, header.init_entered_ns, header.init_returned_ns,
                                header.finalize_entered_ns, header.finalize_returned_ns,
                                header.end_ns, header.start_realtime_ns, header.process_cpu_ns,
                                header.main_cpu_ns, header.main_user_ns, header.last_sample_ns})
    if (!is_plausible_time(ns)) bytes.fail("header", "has an impossible time");
  return header;
}

/// Entries [0, used) of a dense table.
template <typename T>
std::vector<T> dense(const Bytes& bytes, const Section& section, const char* what) {
  if (section.entry_bytes != sizeof(T)) bytes.fail(what, "has entries of an unexpected size");
  const std::string_view data = bytes.table(section, what);
  std::vector<T> entries(section.used);
  if (!entries.empty()) std::memcpy(entries.data(), data.data(), section.used * sizeof(T));
  return entries;
}

/// The used slots of an open-addressed table, sorted by key.
template <typename T, std::uint64_t T::*key>
std::vector<T> taken(const Bytes& bytes, const Section& section, const char* what) {
  if (section.entry_bytes != sizeof(T)) bytes.fail(what, "has entries of an unexpected size");
  const std::string_view data = bytes.table(section, what);
  std::vector<T> entries;
  for (std::size_t at = 0; at < data.size(); at += sizeof(T)) {
    T entry;
    std::memcpy(&entry, data.data() + at, sizeof(T));
    if (entry.*key != 0) entries.push_back(entry);
  }
  std::sort(entries.begin(), entries.end(), [](const T& a, const T& b) { return a.*key < b.*key; });
  return entries;
}

/// Merges rows about the same rank. There may be two: one for the thread that initialised MPI, and
/// one for all other threads.
std::vector<format::Peer> merged(std::vector<format::Peer> rows) {
  std::map<std::uint64_t, format::Peer> by_rank;
  for (const format::Peer& row : rows) {
    format::Peer& sum = by_rank[row.rank_plus_one & ~format::kPeerOfOtherThreads];
    sum.messages_sent += row.messages_sent;
    sum.bytes_sent += row.bytes_sent;
    sum.messages_received += row.messages_received;
    sum.bytes_received += row.bytes_received;
  }
  rows.clear();
  for (auto& [rank_plus_one, sum] : by_rank) {
    sum.rank_plus_one = rank_plus_one;
    rows.push_back(sum);
  }
  return rows;
}

/// A zero-terminated string inside the text table.
std::string string_at(std::string_view text, std::uint64_t offset) {
  if (offset == 0 || offset >= text.size()) return {};
  const std::string_view rest = text.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

std::map<std::string, std::vector<std::string>> decode_text(std::string_view text) {
  std::map<std::string, std::vector<std::string>> values;
  for (std::size_t at = 1; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    const std::string_view record = text.substr(at, end - at);
    const std::size_t equals = record.find('=');
    if (equals != std::string_view::npos)
      values[std::string(record.substr(0, equals))].emplace_back(record.substr(equals + 1));
    at = end + 1;
  }
  return values;
}

/// Throws InputError for a pipe, a directory and the like: opening a pipe would wait for a writer.
void refuse_what_is_no_file(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    throw InputError(path.string(), "is not a file", "expected a file rank-*.apmt");
}

/// Reads `count` bytes at `offset`; fewer if the file ends before.
std::string bytes_at(std::ifstream& in, std::uint64_t offset, std::uint64_t count) {
  std::string bytes(count, '\0');
  in.clear();
  in.seekg(static_cast<std::streamoff>(offset));
  in.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

}  // namespace

std::string RecordingHead::first(const std::string& key) const {
  const auto it = text.find(key);
  return it == text.end() ? std::string() : it->second.front();
}

std::string RawRecording::op_name(std::uint32_t op) const {
  if (op >= ops.size()) return {};
  return {ops[op].name, strnlen(ops[op].name, sizeof ops[op].name)};
}

format::OpClass RawRecording::op_class(std::uint32_t op) const {
  return op < ops.size() ? ops[op].op_class : format::OpClass::kOther;
}

RawRecording decode_recording(std::string_view data, const std::string& file) {
  const Bytes bytes(data, file);
  RawRecording raw;
  raw.file = file;
  raw.header = decode_header(bytes, data.size(), file);
  std::string_view text;
  std::vector<format::Module> modules;
  for (std::uint32_t i = 0; i < raw.header.section_count; ++i) {
    const Section& section = raw.header.sections[i];
    raw.dropped += section.dropped;
    switch (section.kind) {
      case SectionKind::kText:
        if (section.entry_bytes != 1) bytes.fail("text", "has entries of an unexpected size");
        text = bytes.table(section, "text").substr(0, section.used);
        break;
      case SectionKind::kModules:
        modules = dense<format::Module>(bytes, section, "module table");
        break;
      case SectionKind::kThreads:
        raw.threads = dense<format::Thread>(bytes, section, "thread table");
        for (const format::Thread& t : raw.threads)
          if (!is_plausible_time(t.start_ns) || !is_plausible_time(t.end_ns) ||
              !is_plausible_time(t.cpu_ns))
            bytes.fail("thread table", "has an impossible time");
        break;
      case SectionKind::kSamples:
        raw.samples = taken<format::Sample, &format::Sample::key>(bytes, section, "sample table");
        break;
      case SectionKind::kOps:
        raw.ops = dense<format::Op>(bytes, section, "operation table");
        break;
      case SectionKind::kMpiCalls:
        raw.calls =
            taken<format::MpiCall, &format::MpiCall::fingerprint>(bytes, section, "MPI table");
        break;
      case SectionKind::kPeers:
        raw.peers =
            merged(taken<format::Peer, &format::Peer::rank_plus_one>(bytes, section, "peer table"));
        break;
      case SectionKind::kPeerBlocks:
        raw.peer_blocks =
            taken<format::Peer, &format::Peer::rank_plus_one>(bytes, section, "table of blocks");
        break;
      case SectionKind::kRequests:
        raw.requests = taken<format::RequestRow, &format::RequestRow::fingerprint>(bytes, section,
                                                                                   "request table");
        break;
      case SectionKind::kInstances:
        raw.instances =
            taken<format::Instance, &format::Instance::key>(bytes, section, "instance table");
        std::erase_if(raw.instances, [](const format::Instance& instance) {
          return instance.key == format::kInstanceBusy;
        });
        break;
      case SectionKind::kTotals:
        raw.totals = dense<format::ThreadTotals>(bytes, section, "table of totals");
        break;
      case SectionKind::kMainTimes:
        raw.main_times = dense<format::MainTime>(bytes, section, "table of CPU times");
        for (const format::MainTime& t : raw.main_times)
          if (!is_plausible_time(t.cpu_ns))
            bytes.fail("table of CPU times", "has an impossible time");
        break;
      default:
        break;  // a table that only newer minor versions have
    }
  }
  raw.text = decode_text(text);
  for (const format::Module& m : modules)
    raw.modules.push_back(
        {m.begin, m.end, m.bias, string_at(text, m.path_offset),
         hexadecimal(m.build_id, std::min(m.build_id_bytes, format::kMaxBuildIdBytes)),
         m.unloaded != 0});
  return raw;
}

RawRecording read_recording(const std::filesystem::path& path) {
  refuse_what_is_no_file(path);
  return decode_recording(read_whole_file(path, format::kMaxRecordingBytes), path.string());
}

RecordingHead read_recording_head(const std::filesystem::path& path) {
  refuse_what_is_no_file(path);
  std::error_code error;
  const std::uint64_t file_bytes = std::filesystem::file_size(path, error);
  if (error || file_bytes > format::kMaxRecordingBytes)
    throw InputError(path.string(), error ? error.message() : "is larger than a recording can be");
  std::ifstream in(path, std::ios::binary);
  const std::string begin = bytes_at(in, 0, sizeof(Header));
  const Bytes bytes(begin, path.string());
  RecordingHead head;
  head.file = path.string();
  head.header = decode_header(bytes, file_bytes, head.file);
  for (std::uint32_t i = 0; i < head.header.section_count; ++i) {
    const Section& section = head.header.sections[i];
    if (section.kind != SectionKind::kText) continue;
    if (section.used > section.capacity || section.offset_bytes > file_bytes ||
        section.capacity > file_bytes - section.offset_bytes)
      bytes.fail("text", "does not lie inside the file");
    head.text = decode_text(bytes_at(in, section.offset_bytes, section.used));
  }
  return head;
}

bool was_begun(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::array<char, sizeof format::kMagic> magic{};
  std::ifstream(path, std::ios::binary).read(magic.data(), magic.size());
  return std::any_of(magic.begin(), magic.end(), [](char c) { return c != 0; });
}

}  // namespace apmt
