// Which launch a recording belongs to. This is decided after all recordings are written, because
// ranks cannot ask each other, and every launcher names launches differently. Nothing is guessed: a
// recording that may belong to either of two launches belongs to none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profiler/reader/raw_recording.h"

namespace apmt {

/// What identifies the launch of one process.
struct Process {
  std::string file;
  std::string machine;  // host, its boot, and the name space of its process numbers
  std::string parent;   // "number:start" there; empty: an older recording, see `folder`
  std::string folder;   // that it was written into, which older recordings had one of for a launch
  std::map<std::string, std::string> ids;  // by variable; "hydra": where mpiexec listens
  int rank = -1;              // of its world; as its launcher says while it is not `born`
  int size = 0;               // likewise; 0: nobody has said
  int launcher_size = -1;     // -1: not told
  bool born = false;          // MPI_Init returned
  bool spawned = false;       // by MPI_Comm_spawn
  bool is_virtual = false;    // all ranks share the process
  std::string own;            // "number:start"
  std::int64_t begin_ns = 0;  // of the calendar
  std::int64_t end_ns = 0;    // as far as is known
};
Process process_of(const RecordingHead& head);

/// Members are indices into the list of processes, in order of their ranks.
struct Launch {
  std::vector<std::size_t> members;
  bool is_ambiguous = false;  // of several launches, and nothing tells which
};

/// Every process is in one launch. Processes of MPI_Comm_spawn are with the launch that started
/// them, where it is known.
std::vector<Launch> group_launches(const std::vector<Process>& processes);

}  // namespace apmt
