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
  bool unloaded = false;  // other code may lie there by now
};

/// The identity of a recording, which is read without its tables.
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
  std::vector<format::Peer> peer_blocks;     // what had no room there, by block of ranks
  std::vector<format::RequestRow> requests;  // taken slots only
  std::vector<format::Instance> instances;   // whole ones only
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

/// False for the file of a process that was killed before its recording began: it is empty, or has
/// no magic yet. Any other file gives true, and read_recording refuses it if it is not a recording.
/// Also false for what is not a regular file: opening a pipe with that name would block.
bool was_begun(const std::filesystem::path& path);

}  // namespace apmt
