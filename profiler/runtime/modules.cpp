#include "profiler/runtime/modules.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <sched.h>
#include <string.h>

#include "profiler/runtime/loader_list.h"
#include "profiler/runtime/peek.h"
#include "profiler/runtime/recording_file.h"
#include "profiler/runtime/segments.h"
#include "profiler/runtime/simulation.h"
#include "profiler/runtime/tables.h"

namespace apmt::rt {
namespace {

using format::Module;

/// A function that reads memory of the loader or of a loaded object; it returns false if that
/// memory cannot be read.
using Peek = bool (*)(uint64_t at, void* out, size_t bytes);

bool peek(uint64_t at, void* out, size_t bytes) {
  memcpy(out, reinterpret_cast<const void*>(at), bytes);
  return true;
}

/// Copies the GNU build id from the notes of a segment; false if it has none.
bool find_build_id(uint64_t at, uint64_t end, Module* module, Peek look) {
  struct {
    ElfW(Nhdr) header;
    char name[4];
  } note;
  while (at + sizeof note <= end && look(at, &note, sizeof note)) {
    const uint64_t id = at + sizeof note.header + (note.header.n_namesz + 3) / 4 * 4;
    const uint32_t bytes = note.header.n_descsz;
    if (id + bytes > end) return false;
    if (note.header.n_type == NT_GNU_BUILD_ID && note.header.n_namesz == 4 &&
        memcmp(note.name, "GNU", 4) == 0) {
      module->build_id_bytes = bytes < format::kMaxBuildIdBytes ? bytes : format::kMaxBuildIdBytes;
      if (!look(id, module->build_id, module->build_id_bytes)) module->build_id_bytes = 0;
      return true;
    }
    at = id + (bytes + 3) / 4 * 4;
  }
  return false;
}

/// Fills `module` with the description of a loaded object; false if nothing of it is mapped.
bool describe(const dl_phdr_info& info, Module* module, Peek look = peek) {
  memset(module, 0, sizeof *module);
  module->bias = info.dlpi_addr;
  const MappedRange range = mapped_range(info);
  module->begin = range.begin;
  module->end = range.end;
  if (module->end == 0) return false;
  find_segment(info, PT_NOTE, [&](const ElfW(Phdr) & notes) {
    const uint64_t begin = info.dlpi_addr + notes.p_vaddr;
    return find_build_id(begin, begin + notes.p_memsz, module, look);
  });
  return true;
}

/// The recording's entry for this module; nullptr if there is none yet.
Module* entry_of(const Recording& recording, const Module& module) {
  const uint64_t count = recording.section(format::SectionKind::kModules).used;
  for (uint64_t i = 0; i < count; ++i) {
    Module& m = recording.modules[i];
    if (m.begin == module.begin && m.end == module.end &&
        m.build_id_bytes == module.build_id_bytes &&
        memcmp(m.build_id, module.build_id, m.build_id_bytes) == 0)
      return &m;
  }
  return nullptr;
}

#ifndef APMT_RANKS_SHARE_A_PROCESS

bool is_program(const dl_phdr_info& info) {
  return info.dlpi_name == nullptr || info.dlpi_name[0] == '\0';
}
bool belongs_to_another_rank(const dl_phdr_info&) { return false; }
const char* path_of(const dl_phdr_info& info) {
  return is_program(info) ? state().exe : info.dlpi_name;
}

#else

/// Each rank runs in its own copy of the program; a copy counts as the program.
bool is_program(const dl_phdr_info& info) { return rank_of_copy(info.dlpi_name) >= 0; }
bool belongs_to_another_rank(const dl_phdr_info& info) {
  int rank = rank_of_copy(info.dlpi_name);
  if (rank < 0) rank = rank_of_library(info.dlpi_name);
  return rank >= 0 && rank + 1 != g_rank_here;
}
/// The path of the original of a copy, because the files of the copies are removed after loading.
const char* path_of(const dl_phdr_info& info) {
  if (is_program(info)) return state().exe;
  return rank_of_library(info.dlpi_name) >= 0 ? copied_library() : info.dlpi_name;
}

#endif

void add_module(const Recording& recording, Module module, const char* path) {
  if (Module* entry = entry_of(recording, module)) {
    entry->unloaded = 0;  // it may have been unloaded and loaded again
    return;
  }
  format::Section& section = recording.section(format::SectionKind::kModules);
  if (section.used >= section.capacity) return add(section.dropped, 1);
  module.path_offset = append_text(recording, "module", path);
  recording.modules[section.used] = module;
  __atomic_store_n(&section.used, section.used + 1, __ATOMIC_RELEASE);
}

/// Only one thread adds modules at a time, because adding uses static data. A signal handler gives
/// up if another thread is adding a module.
uint32_t g_adding = 0;
bool try_adding() { return __atomic_exchange_n(&g_adding, 1u, __ATOMIC_ACQUIRE) == 0; }
void end_adding() { __atomic_store_n(&g_adding, 0u, __ATOMIC_RELEASE); }

int record_one(dl_phdr_info* info, size_t, void* data) {
  if (info->dlpi_adds == state().objects_loaded) return 1;  // nothing new
  const Recording& recording = state().recording;
  *static_cast<uint64_t*>(data) = info->dlpi_adds;
  Module module;
  if (belongs_to_another_rank(*info) || !describe(*info, &module)) return 0;
  while (!try_adding())
    sched_yield();  // waits for another thread; this is ordinary context, handlers never wait
  add_module(recording, module, path_of(*info));
  end_adding();
  return 0;
}

constexpr uint64_t kMaxFollowed = 4096;

/// Which recorded modules are still loaded, and the loader's count of unloads.
struct Survey {
  uint64_t unloaded;
  bool is_loaded[kMaxFollowed];
};

int note_loaded(dl_phdr_info* info, size_t, void* data) {
  if (info->dlpi_subs == state().objects_unloaded) return 1;  // dlclose unloaded nothing
  const Recording& recording = state().recording;
  Survey& survey = *static_cast<Survey*>(data);
  survey.unloaded = info->dlpi_subs;
  Module module;
  if (!describe(*info, &module)) return 0;
  const Module* entry = entry_of(recording, module);
  const uint64_t index =
      entry == nullptr ? kMaxFollowed : static_cast<uint64_t>(entry - recording.modules);
  if (index < kMaxFollowed) survey.is_loaded[index] = true;
  return 0;
}

/// In samples and MPI calls of a module's code, replaces addresses with the module's number and an
/// offset. Entries stay in their slots and only get new keys, because a search for another key
/// passes over occupied slots but ends at a free one.
void detach(const State& of, uint64_t index) {
  const Recording& recording = of.recording;
  const Module& module = recording.modules[index];
  const auto is_inside = [&](uint64_t pc) { return pc >= module.begin && pc < module.end; };
  const auto detach_samples = [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) {
      uint64_t& key = recording.samples[i].key;
      const uint64_t pc = format::sample_pc(key);
      if (key != 0 && is_inside(pc))
        __atomic_store_n(&key,
                         format::sample_key(format::unloaded_pc(index, pc - module.begin),
                                            format::sample_op(key), format::sample_stage(key)),
                         __ATOMIC_RELEASE);
    }
  };
  const auto detach_calls = [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) {
      format::MpiCall& call = recording.calls[i];
      if (call.fingerprint == 0 || !is_inside(call.caller_pc)) continue;
      call.caller_pc = format::unloaded_pc(index, call.caller_pc - module.begin);
      __atomic_store_n(&call.fingerprint, mix(call.fingerprint) | 1, __ATOMIC_RELEASE);
    }
  };
  of.used_samples.for_each(recording.section(format::SectionKind::kSamples).capacity,
                           detach_samples);
  of.used_calls.for_each(recording.section(format::SectionKind::kMpiCalls).capacity, detach_calls);
}

}  // namespace

void record_modules() {
  uint64_t loaded = state().objects_loaded;
  dl_iterate_phdr(record_one, &loaded);
  state().objects_loaded = loaded;
}

#ifdef APMT_RANKS_SHARE_A_PROCESS

void follow_code(const Recording&, uint64_t) {}

#else

namespace {

bool is_recorded(const Recording& recording, uint64_t pc) {
  const uint64_t count = recording.section(format::SectionKind::kModules).used;
  for (uint64_t i = 0; i < count; ++i) {
    const Module& m = recording.modules[i];
    if (pc >= m.begin && pc < m.end && m.unloaded == 0) return true;
  }
  return false;
}

void add_loaded_at(const Recording& recording, uint64_t pc) {
  static LoadedObject object;  // static, because threads may have small stacks
  if (!find_loaded_below(pc, &object)) return;
  dl_phdr_info info = {};
  info.dlpi_addr = object.bias;
  info.dlpi_phdr = object.segments;
  info.dlpi_phnum = object.segment_count;
  Module module;
  if (describe(info, &module, peek_safely) && pc >= module.begin && pc < module.end)
    add_module(recording, module, object.path);
}

}  // namespace

void follow_code(const Recording& recording, uint64_t pc) {
  // The number of searches is limited, because code that was generated at run time is in no object
  // and would be searched for again and again.
  constexpr uint32_t kMostLooks = 256;
  static uint32_t looks = 0;
  if (is_recorded(recording, pc) || __atomic_load_n(&looks, __ATOMIC_RELAXED) >= kMostLooks ||
      !try_adding())
    return;
  __atomic_fetch_add(&looks, 1u, __ATOMIC_RELAXED);
  const int saved_errno = errno;
  add_loaded_at(recording, pc);
  errno = saved_errno;
  end_adding();
}

#endif

void detach_unloaded_modules() {
  const Recording& recording = state().recording;
  Survey survey;
  memset(&survey, 0, sizeof survey);
  survey.unloaded = state().objects_unloaded;
  dl_iterate_phdr(note_loaded, &survey);
  if (survey.unloaded == state().objects_unloaded) return;
  state().objects_unloaded = survey.unloaded;
  const uint64_t count = recording.section(format::SectionKind::kModules).used;
  for (uint64_t i = 0; i < count && i < kMaxFollowed; ++i) {
    Module& module = recording.modules[i];
    const bool fits = module.end - module.begin < (uint64_t{1} << format::kUnloadedOffsetBits);
    if (survey.is_loaded[i] || module.unloaded != 0 || !fits) continue;
    module.unloaded = 1;
    detach(state(), i);
  }
}

}  // namespace apmt::rt
