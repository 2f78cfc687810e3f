#include "profiler/runtime/modules.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "profiler/runtime/recording_file.h"
#include "profiler/runtime/simulation.h"
#include "profiler/runtime/tables.h"

namespace apmt::rt {
namespace {

using format::Module;

/// The GNU build id among the notes of a loaded object.
void find_build_id(const dl_phdr_info& info, Module* module) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const char* at = reinterpret_cast<const char*>(info.dlpi_addr + segment.p_vaddr);
    const char* end = at + segment.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      memcpy(&note, at, sizeof note);
      const char* name = at + sizeof note;
      const char* id = name + (note.n_namesz + 3) / 4 * 4;
      if (id + note.n_descsz > end) break;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
        module->build_id_bytes =
            note.n_descsz < format::kMaxBuildIdBytes ? note.n_descsz : format::kMaxBuildIdBytes;
        memcpy(module->build_id, id, module->build_id_bytes);
        return;
      }
      at = id + (note.n_descsz + 3) / 4 * 4;
    }
  }
}

bool known(const Recording& recording, const Module& module) {
  const uint64_t count = recording.section(format::SectionKind::kModules).used;
  for (uint64_t i = 0; i < count; ++i) {
    const Module& m = recording.modules[i];
    if (m.begin == module.begin && m.end == module.end &&
        m.build_id_bytes == module.build_id_bytes &&
        memcmp(m.build_id, module.build_id, m.build_id_bytes) == 0)
      return true;
  }
  return false;
}

#ifndef APMT_RANKS_SHARE_A_PROCESS

bool is_program(const dl_phdr_info& info) {
  return info.dlpi_name == nullptr || info.dlpi_name[0] == '\0';
}
bool belongs_to_another_rank(const dl_phdr_info&) { return false; }

#else

/// The copy in which this rank runs stands for the program, whose symbols it has.
bool is_program(const dl_phdr_info& info) { return rank_of_copy(info.dlpi_name, state().exe) >= 0; }
bool belongs_to_another_rank(const dl_phdr_info& info) {
  const int rank = rank_of_copy(info.dlpi_name, state().exe);
  return rank >= 0 && rank + 1 != g_rank_here;
}

#endif

int record_one(dl_phdr_info* info, size_t, void* data) {
  const Recording& recording = *static_cast<const Recording*>(data);
  Module module;
  memset(&module, 0, sizeof module);
  module.bias = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uint64_t begin = info->dlpi_addr + segment.p_vaddr;
    const uint64_t end = begin + segment.p_memsz;
    if (module.end == 0 || begin < module.begin) module.begin = begin;
    if (end > module.end) module.end = end;
  }
  if (module.end == 0 || belongs_to_another_rank(*info)) return 0;
  find_build_id(*info, &module);
  if (known(recording, module)) return 0;
  format::Section& section = recording.section(format::SectionKind::kModules);
  if (section.used >= section.capacity) {
    add(section.dropped, 1);
    return 0;
  }
  const bool is_executable = is_program(*info);
  module.path_offset =
      append_text(recording, "module", is_executable ? state().exe : info->dlpi_name);
  recording.modules[section.used] = module;
  __atomic_store_n(&section.used, section.used + 1, __ATOMIC_RELEASE);
  return 0;
}

}  // namespace

void record_modules(const Recording& recording) {
  dl_iterate_phdr(record_one, const_cast<Recording*>(&recording));
}

}  // namespace apmt::rt
