// A recording as it is on disk, decoded and checked, not yet interpreted. Nothing in the file is
// trusted: any input gives a RawRecording or an InputError.
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
  std::string build_id;   // hexadecimal, empty when it has none
  bool unloaded = false;  // true: other code may be at its addresses by now
};

/// What identifies a recording; it can be read without the tables.
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
  std::vector<format::Sample> samples;       // taken slots only
  std::vector<format::Op> ops;               // by operation number
  std::vector<format::MpiCall> calls;        // taken slots only
  std::vector<format::Peer> peers;           // taken slots only
  std::vector<format::Peer> peer_blocks;     // peers without a slot in `peers`, by block of ranks
  std::vector<format::RequestRow> requests;  // taken slots only
  std::vector<format::Instance> instances;   // without half-written ones
  std::vector<format::ThreadTotals> totals;  // of the first threads; none in version 3.0
  std::vector<format::MainTime> main_times;  // of the first threads; none before version 3.2
  std::uint64_t dropped = 0;                 // what the full tables could not take

  /// Name of an operation, empty when the number is unknown.
  std::string op_name(std::uint32_t op) const;
  format::OpClass op_class(std::uint32_t op) const;
};

RawRecording decode_recording(std::string_view bytes, const std::string& file);
RawRecording read_recording(const std::filesystem::path& path);
RecordingHead read_recording_head(const std::filesystem::path& path);

/// False for the file of a process that was killed before its recording began: the file is empty,
/// or still has no magic number. Any other file gives true; read_recording then refuses it if it is
/// no recording. Also false if it is not a regular file: opening a pipe would block.
bool was_begun(const std::filesystem::path& path);

}  // namespace apmt
