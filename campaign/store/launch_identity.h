// Finds the launch to which a recording belongs. This is done after all recordings are written:
// ranks cannot ask each other which launch they belong to, and every launcher names launches in its
// own way. Nothing is guessed: recordings that may belong to either of two launches are marked as
// ambiguous.
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
  std::string machine;  // host, boot id, and name space of process numbers
  std::string parent;   // "number:start" of the parent; empty in older recordings, see `folder`
  std::string folder;   // name of the recording's folder; older versions made one for each launch
  std::map<std::string, std::string> ids;  // by variable; "hydra": the address of mpiexec
  int rank = -1;                           // in MPI_COMM_WORLD; if not `born`: the launcher's
  int size = 0;                            // of MPI_COMM_WORLD; 0: unknown
  int launcher_size = -1;                  // number of ranks in the launcher's variables; -1: none
  bool born = false;                       // MPI_Init returned
  bool spawned = false;                    // by MPI_Comm_spawn
  bool is_virtual = false;                 // on a virtual cluster: all ranks share the process
  std::string own;                         // "number:start" of the process
  std::int64_t begin_ns = 0;               // time of day
  std::int64_t end_ns = 0;                 // when the process last showed activity
};
Process process_of(const RecordingHead& head);

/// A launch: its processes, as indices into the list of all processes, in order of rank. If
/// `is_ambiguous`, these are the processes of several launches, and it is not known which of them
/// belong together.
struct Launch {
  std::vector<std::size_t> members;
  bool is_ambiguous = false;
};

/// Groups the processes, each into one launch. Processes started by MPI_Comm_spawn are in the
/// launch that started them, if it is known.
std::vector<Launch> group_launches(const std::vector<Process>& processes);

}  // namespace apmt
