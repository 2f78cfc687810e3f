// Which processor this is, as /proc/cpuinfo tells on x86, Arm and POWER.
#pragma once

#include <filesystem>
#include <string>

namespace apmt {

struct CpuIdentity {
  std::string key;          // "GenuineIntel 6 85", "0x41 0xd0c", "POWER9": as counter maps name it
  std::string model;        // "AMD EPYC 7763 64-Core Processor"; the key where there is no name
  bool is_virtual = false;  // as the hypervisor reports
};

/// `root` stands for "/". What cannot be read stays empty.
CpuIdentity identify_cpu(const std::filesystem::path& root = "/");

}  // namespace apmt
