// Which processor this is, according to /proc/cpuinfo on x86, Arm and POWER.
#pragma once

#include <filesystem>
#include <string>

namespace apmt {

struct CpuIdentity {
  std::string key;          // as in counter maps: "GenuineIntel 6 85", "0x41 0xd0c", "POWER9"
  std::string model;        // "AMD EPYC 7763 64-Core Processor"; the key if there is no name
  bool is_virtual = false;  // its flags, or files of the firmware, show a hypervisor
};

/// `root` replaces "/". Values that cannot be read stay empty.
CpuIdentity identify_cpu(const std::filesystem::path& root = "/");

}  // namespace apmt
