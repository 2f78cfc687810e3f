// The eight idioms as loops over memory, shared by the threads of a team.
#pragma once

#include "devices/calibrate/idioms.h"
#include "devices/calibrate/team.h"

namespace apmt::devices {

/// Executes passes in `memory`, which must hold the data of the largest pass.
class IdiomLoops : public IdiomRunner {
 public:
  IdiomLoops(SharedMemory& memory, Team& team) : memory_(memory), team_(team) {}

  std::uint64_t workers() const override { return team_.size(); }
  void prepare(const IdiomPass& pass) override;
  double seconds(std::uint64_t passes) override;

 private:
  void work(std::size_t thread, std::uint64_t passes) const;

  SharedMemory& memory_;
  Team& team_;
  IdiomPass pass_;
  double* a_ = nullptr;
  double* b_ = nullptr;
  double* c_ = nullptr;
  std::uint64_t* index_ = nullptr;  // of gather and scatter: at the address of c_
};

}  // namespace apmt::devices
