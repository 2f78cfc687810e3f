// Tells whether a signal was sent to this process alone or to its whole group. The kernel does not
// tell. So a second process in the group, the witness, only waits: it gets no signals other than
// those sent to the group.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace apmt {

class GroupWitness {
 public:
  /// The witness blocks all signals, so they stay pending. If no process can be started, every
  /// signal counts as sent to this process alone.
  GroupWitness();
  ~GroupWitness();
  GroupWitness(const GroupWitness&) = delete;
  GroupWitness& operator=(const GroupWitness&) = delete;

  /// Whether the group also got the signal that this process has just received.
  bool has_seen(int signal);

 private:
  pid_t witness_ = -1;
  std::uint64_t kept_ = 0;  // pending in earlier witnesses, and not yet asked for
};

}  // namespace apmt
