// Which processor this is, according to /proc/cpuinfo on x86, Arm and POWER.
#pragma once

#include <filesystem>
#include <string>

namespace apmt {

struct CpuIdentity {
  std::string key;          // "GenuineIntel 6 85", "0x41 0xd0c", "POWER9": as counter maps name it
  std::string model;        // "AMD EPYC 7763 64-Core Processor"; the key where there is no name
  bool is_virtual = false;  // as the hypervisor reports
};

/// `root` replaces "/". Values that cannot be read stay empty.
CpuIdentity identify_cpu(const std::filesystem::path& root = "/");

}  // namespace apmt
