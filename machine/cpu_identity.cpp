#include "machine/cpu_identity.h"

#include <map>
#include <sstream>

#include "machine/small_file.h"

namespace apmt {
namespace {

/// The fields that /proc/cpuinfo has for its first processor.
std::map<std::string, std::string> first_processor(const std::string& cpuinfo) {
  std::map<std::string, std::string> fields;
  std::istringstream in(cpuinfo);
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) {
      if (!fields.empty()) break;
      continue;
    }
    const std::size_t name_end = line.find_last_not_of(" \t", colon == 0 ? 0 : colon - 1);
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    if (name_end == std::string::npos) continue;
    fields.emplace(line.substr(0, name_end + 1),
                   value == std::string::npos ? "" : line.substr(value));
  }
  return fields;
}

bool has_word(const std::string& text, const std::string& word) {
  std::istringstream in(text);
  for (std::string w; in >> w;)
    if (w == word) return true;
  return false;
}

}  // namespace

CpuIdentity identify_cpu(const std::filesystem::path& root) {
  CpuIdentity cpu;
  const auto fields = first_processor(read_small_file(root / "proc/cpuinfo").value_or(""));
  const auto field = [&](const char* name) {
    const auto it = fields.find(name);
    return it == fields.end() ? std::string() : it->second;
  };
  if (!field("vendor_id").empty() && !field("cpu family").empty()) {
    cpu.key = field("vendor_id") + " " + field("cpu family") + " " + field("model");
    cpu.model = field("model name");
    cpu.is_virtual = has_word(field("flags"), "hypervisor");
  } else if (!field("CPU implementer").empty()) {
    cpu.key = field("CPU implementer") + " " + field("CPU part");
    cpu.model = "Arm " + cpu.key;
  } else if (!field("cpu").empty()) {  // for example "POWER9, altivec supported"
    cpu.model = field("cpu");
    cpu.key = cpu.model.substr(0, cpu.model.find_first_of(" ,("));
  }
  // Arm and POWER have no flag for virtual machines, but files of the firmware name the hypervisor.
  const std::string vendor =
      read_small_file(root / "sys/class/dmi/id/sys_vendor").value_or("") +
      read_small_file(root / "sys/hypervisor/type").value_or("") +
      read_small_file(root / "proc/device-tree/hypervisor/compatible").value_or("");
  for (const char* known : {"QEMU", "KVM", "xen", "VMware", "kvm"})
    if (vendor.find(known) != std::string::npos) cpu.is_virtual = true;
  return cpu;
}

}  // namespace apmt
