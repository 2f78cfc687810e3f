// A stand-in for CUDA's driver and NVRTC: a shared library with the functions that apmt calls. It
// executes nothing; it checks each call, records it and answers. Its GPU has 8 GB of memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace apmt::devices::testing {

struct StandInLaunch {
  std::string kernel;
  unsigned grid_x = 0, grid_y = 0, block_x = 0;
  std::vector<std::uint64_t> addresses, numbers;  // the arguments
};

struct StandInRecord {
  std::vector<std::string> violations;  // calls that break the rules of CUDA
  std::map<std::string, int> calls;     // how often each function was called
  StandInLaunch last_launch;
  std::map<std::string, StandInLaunch> widest;    // of each kernel: the launch with the most blocks
  std::string source;                             // of the last compilation
  std::uint64_t copied_to = 0, copied_from = 0;   // bytes
  std::map<std::uint64_t, std::uint64_t> memory;  // bytes that are allocated, by address
  int modules = 0, sources = 0, contexts = 0;     // that are not released
  std::string options;                            // of the last compilation
  std::string failing_call;                       // set by a test: this function fails
};

}  // namespace apmt::devices::testing

extern "C" apmt::devices::testing::StandInRecord* stand_in_record();
