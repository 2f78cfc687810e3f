// Whether a signal was sent to this process alone or to its whole group. The kernel does not say,
// so a second process in the group, the witness, does nothing but wait: it gets only the signals
// that the whole group gets.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace apmt {

class GroupWitness {
 public:
  /// Blocks all signals for the witness. If no process can be started, all signals are assumed to
  /// be sent to this process alone.
  GroupWitness();
  ~GroupWitness();
  GroupWitness(const GroupWitness&) = delete;
  GroupWitness& operator=(const GroupWitness&) = delete;

  /// Whether the group also got a signal that this process has just received.
  bool has_seen(int signal);

 private:
  pid_t witness_ = -1;
  std::uint64_t kept_ = 0;  // what an earlier witness saw and nobody has asked about
};

}  // namespace apmt
