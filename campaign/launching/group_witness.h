// Finds out whether a signal was sent to this process alone or to its whole process group; the
// kernel does not report this. A second process in the group, the witness, does nothing but wait,
// so it gets only the signals that are sent to the whole group.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace apmt {

class GroupWitness {
 public:
  /// The witness blocks all signals, so they stay pending. If the witness cannot be started, every
  /// signal counts as sent to this process alone.
  GroupWitness();
  ~GroupWitness();
  GroupWitness(const GroupWitness&) = delete;
  GroupWitness& operator=(const GroupWitness&) = delete;

  /// Whether the group also got the signal that this process has just received.
  bool has_seen(int signal);

 private:
  pid_t witness_ = -1;
  std::uint64_t kept_ = 0;  // signals that earlier witnesses got but has_seen() has not reported
};

}  // namespace apmt
