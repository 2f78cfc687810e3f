// Finds the launch to which a recording belongs. This is done after all recordings are written,
// because ranks cannot ask each other, and every launcher names launches differently. Nothing is
// guessed: a recording that may belong to either of two launches belongs to none.
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
  std::string machine;  // host, boot, and name space of process numbers
  std::string parent;   // "number:start" of the parent; empty in older recordings, see `folder`
  std::string folder;   // that holds the recording; older versions made one folder per launch
  std::map<std::string, std::string> ids;  // by variable; "hydra": the address of mpiexec
  int rank = -1;                           // in its world; if not `born`, as its launcher says
  int size = 0;                            // of its world; 0: unknown
  int launcher_size = -1;                  // as the launcher says; -1: it does not
  bool born = false;                       // MPI_Init returned
  bool spawned = false;                    // by MPI_Comm_spawn
  bool is_virtual = false;                 // all ranks share the process
  std::string own;                         // "number:start" of the process
  std::int64_t begin_ns = 0;               // time of day
  std::int64_t end_ns = 0;                 // the last moment known
};
Process process_of(const RecordingHead& head);

/// The processes of a launch, as indices into the list of processes, in order of rank.
struct Launch {
  std::vector<std::size_t> members;
  bool is_ambiguous = false;  // the processes are of several launches, and nothing tells which
};

/// Groups the processes: each is in one launch. Processes started by MPI_Comm_spawn are in the
/// launch that started them, if it is known.
std::vector<Launch> group_launches(const std::vector<Process>& processes);

}  // namespace apmt
