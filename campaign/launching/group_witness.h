// Whether a signal was sent to this process alone or to its whole group. The kernel does not say:
// a process of ours that does nothing but stay in the group gets only what all of it gets.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace apmt {

class GroupWitness {
 public:
  /// Blocks all signals for the witness. Where no process can be started, none of the signals is
  /// taken for one to the group.
  GroupWitness();
  ~GroupWitness();
  GroupWitness(const GroupWitness&) = delete;
  GroupWitness& operator=(const GroupWitness&) = delete;

  /// Of a signal that this process has just received.
  bool has_seen(int signal);

 private:
  pid_t witness_ = -1;
  std::uint64_t kept_ = 0;  // what an earlier witness saw and nobody has asked about
};

}  // namespace apmt
