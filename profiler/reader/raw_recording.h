// Reads a recording from disk: decodes and checks it, but does not interpret it. Nothing in the
// file is trusted: any input gives a RawRecording or an InputError.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/profile_format.h"

namespace apmt {

struct RawModule {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t bias = 0;
  std::string path;
  std::string build_id;   // hexadecimal; empty: the object has none
  bool unloaded = false;  // true: other code may be at these addresses afterwards
};

/// The beginning of a recording and its texts, which identify it. They can be read without the
/// tables.
struct RecordingHead {
  std::string file;
  format::Header header{};
  std::map<std::string, std::vector<std::string>> text;  // by key, in the order written

  /// The first value of a key, empty when there is none.
  std::string first(const std::string& key) const;
};

struct RawRecording : RecordingHead {
  std::vector<RawModule> modules;
  std::vector<format::Thread> threads;
  std::vector<format::Sample> samples;       // used slots only
  std::vector<format::Op> ops;               // by operation number
  std::vector<format::MpiCall> calls;        // used slots only
  std::vector<format::Peer> peers;           // used slots only
  std::vector<format::Peer> peer_blocks;     // peers without a slot in `peers`, by block of ranks
  std::vector<format::RequestRow> requests;  // used slots only
  std::vector<format::Instance> instances;   // only those that were written completely
  std::vector<format::ThreadTotals> totals;  // index as `threads`, maybe shorter; empty in 3.0
  std::vector<format::MainTime> main_times;  // index as `threads`, maybe shorter; empty before 3.2
  std::uint64_t dropped = 0;                 // entries lost because tables were full
  bool may_be_running = false;  // the file cannot tell: set by those who look for its process

  /// The name of an operation; empty if the number is unknown.
  std::string op_name(std::uint32_t op) const;
  format::OpClass op_class(std::uint32_t op) const;
};

RawRecording decode_recording(std::string_view bytes, const std::string& file);
RawRecording read_recording(const std::filesystem::path& path);
RecordingHead read_recording_head(const std::filesystem::path& path);

/// Returns false if the process was killed before its recording began: its file is empty, or still
/// has no magic number. Also returns false if `path` is not a regular file, because opening a pipe
/// would block. For all other files it returns true, even if they are not recordings:
/// read_recording() finds that out.
bool was_begun(const std::filesystem::path& path);

}  // namespace apmt
