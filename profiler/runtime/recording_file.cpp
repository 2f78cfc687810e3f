#include "profiler/runtime/recording_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "profiler/runtime/memory_map.h"
#include "profiler/runtime/tables.h"

namespace apmt::rt {
namespace {

using format::Header;
using format::Section;
using format::SectionKind;

constexpr Capacities kDefault = {.text_bytes = 256 << 10,
                                 .modules = 1024,
                                 .threads = 1024,
                                 .samples = 16384,
                                 .ops = 1024,
                                 .calls = 4096,
                                 .peers = 8192};
/// Smaller tables for SMPI, where a rank shares its process with hundreds of others.
constexpr Capacities kShared = {.text_bytes = 32 << 10,
                                .modules = 128,
                                .threads = 4,
                                .samples = 2048,
                                .ops = 1024,
                                .calls = 1024,
                                .peers = 2048,
                                .requests = 512,
                                .instances = 2048};
constexpr uint64_t kSectionAlignment = 4096;

constexpr uint64_t align(uint64_t bytes) {
  return (bytes + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

struct Shape {
  SectionKind kind;
  uint32_t entry_bytes;
  uint64_t capacity;
};

constexpr uint32_t kSectionCount = 12;

constexpr void shapes(const Capacities& c, Shape (&out)[kSectionCount]) {
  out[0] = {SectionKind::kText, 1, c.text_bytes};
  out[1] = {SectionKind::kModules, sizeof(format::Module), c.modules};
  out[2] = {SectionKind::kThreads, sizeof(format::Thread), c.threads};
  out[3] = {SectionKind::kSamples, sizeof(format::Sample), c.samples};
  out[4] = {SectionKind::kOps, sizeof(format::Op), c.ops};
  out[5] = {SectionKind::kMpiCalls, sizeof(format::MpiCall), c.calls};
  out[6] = {SectionKind::kPeers, sizeof(format::Peer), c.peers};
  out[7] = {SectionKind::kRequests, sizeof(format::RequestRow), c.requests};
  out[8] = {SectionKind::kInstances, sizeof(format::Instance), c.instances};
  out[9] = {SectionKind::kPeerBlocks, sizeof(format::Peer), format::kPeerBlockCount};
  out[10] = {SectionKind::kTotals, sizeof(format::ThreadTotals), c.threads};
  out[11] = {SectionKind::kMainTimes, sizeof(format::MainTime), c.threads};
}

constexpr uint64_t bytes_of(const Capacities& capacities) {
  Shape shape[kSectionCount] = {};
  shapes(capacities, shape);
  uint64_t bytes = align(sizeof(Header));
  for (const Shape& s : shape) bytes += align(s.capacity * s.entry_bytes);
  return bytes;
}

static_assert(bytes_of(kDefault) <= format::kDefaultRecordingBytes &&
              bytes_of(kDefault) > format::kDefaultRecordingBytes / 10 * 9);

}  // namespace

bool file_size_allowed(uint64_t bytes) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
         (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes);
}

Capacities capacities_for(uint64_t memory_bytes) {
  Capacities c = kRanksShareAProcess ? kShared : kDefault;
  if (memory_bytes == 0) return c;
  if (memory_bytes > format::kMaxRecordingBytes) memory_bytes = format::kMaxRecordingBytes;
  while (recording_bytes(c) > memory_bytes && c.samples > 1024) {
    c.samples /= 2;
    c.calls /= 2;
    c.peers /= 2;
    c.requests /= 2;
    c.instances /= 2;
  }
  while (recording_bytes(c) > memory_bytes && c.threads > 64) c.threads /= 2;
  while (recording_bytes(c) * 2 <= memory_bytes && c.samples < (1u << 22)) {
    c.samples *= 2;
    c.calls *= 2;
    c.peers *= 2;
    c.requests *= 2;
    c.instances *= 2;
  }
  return c;
}

uint64_t recording_bytes(const Capacities& capacities) { return bytes_of(capacities); }

Recording lay_out(void* memory, const Capacities& capacities) {
  char* base = static_cast<char*>(memory);
  Header* header = static_cast<Header*>(memory);
  Shape shape[kSectionCount];
  shapes(capacities, shape);
  uint64_t offset = align(sizeof(Header));
  for (uint32_t i = 0; i < kSectionCount; ++i) {
    header->sections[i] =
        Section{shape[i].kind, shape[i].entry_bytes, offset, shape[i].capacity, 0, 0};
    offset += align(shape[i].capacity * shape[i].entry_bytes);
  }
  header->byte_order = format::kByteOrderMark;
  header->version_major = format::kVersionMajor;
  header->version_minor = format::kVersionMinor;
  header->header_bytes = sizeof(Header);
  header->file_bytes = offset;
  header->section_count = kSectionCount;
  header->world_rank = -1;
  auto at = [&](SectionKind kind) {
    return base + header->sections[static_cast<uint32_t>(kind) - 1].offset_bytes;
  };
  Recording r;
  r.header = header;
  r.text = at(SectionKind::kText);
  r.modules = reinterpret_cast<format::Module*>(at(SectionKind::kModules));
  r.threads = reinterpret_cast<format::Thread*>(at(SectionKind::kThreads));
  r.samples = reinterpret_cast<format::Sample*>(at(SectionKind::kSamples));
  r.ops = reinterpret_cast<format::Op*>(at(SectionKind::kOps));
  r.calls = reinterpret_cast<format::MpiCall*>(at(SectionKind::kMpiCalls));
  r.peers = reinterpret_cast<format::Peer*>(at(SectionKind::kPeers));
  r.peer_blocks = reinterpret_cast<format::Peer*>(at(SectionKind::kPeerBlocks));
  r.requests = reinterpret_cast<format::RequestRow*>(at(SectionKind::kRequests));
  r.instances = reinterpret_cast<format::Instance*>(at(SectionKind::kInstances));
  r.totals = reinterpret_cast<format::ThreadTotals*>(at(SectionKind::kTotals));
  r.main_times = reinterpret_cast<format::MainTime*>(at(SectionKind::kMainTimes));
  header->sections[0].used = 1;  // offset 0 means "no text"
  // The magic number comes last, so a file with it has a complete header.
  __atomic_thread_fence(__ATOMIC_RELEASE);
  memcpy(header->magic, format::kMagic, sizeof format::kMagic);
  return r;
}

const char* create_recording(const char* path, const Capacities& capacities, Recording* out) {
  const uint64_t bytes = recording_bytes(capacities);
  if (!file_size_allowed(bytes)) {
    errno = EFBIG;
    return "the file size limit (ulimit -f) is too small for a recording";
  }
  const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return strerror(errno);
  // Allocates all space on disk now. Otherwise, a store into the mapping would raise SIGBUS when
  // the disk is full.
  const int error = posix_fallocate(fd, 0, static_cast<off_t>(bytes));
  void* memory =
      error == 0 ? map_memory(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd) : MAP_FAILED;
  const int map_error = errno;
  close(fd);  // the mapping stays, even if the program closes unknown descriptors
  if (memory == MAP_FAILED) {
    unlink(path);
    errno = error != 0 ? error : map_error;
    return error == ENOSPC ? "no space left on the disk for a recording" : strerror(errno);
  }
  // Tables are accessed at random, so the kernel need not read or clear neighbouring pages.
  advise_memory(memory, bytes, MADV_RANDOM);
  *out = lay_out(memory, capacities);
  return nullptr;
}

uint32_t append_text(const Recording& recording, const char* key, const char* value, size_t max) {
  Section& text = recording.section(SectionKind::kText);
  const size_t key_bytes = strlen(key);
  const size_t value_bytes = strnlen(value, max);
  const uint64_t bytes = key_bytes + 1 + value_bytes + 1;
  uint64_t offset = __atomic_load_n(&text.used, __ATOMIC_RELAXED);
  do {
    if (offset + bytes > text.capacity) {
      add(text.dropped, 1);
      return 0;
    }
  } while (!__atomic_compare_exchange_n(&text.used, &offset, offset + bytes, true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED));
  char* at = recording.text + offset;
  memcpy(at, key, key_bytes);
  at[key_bytes] = '=';
  memcpy(at + key_bytes + 1, value, value_bytes);
  at[key_bytes + 1 + value_bytes] = '\0';
  return static_cast<uint32_t>(offset + key_bytes + 1);
}

void append_number(const Recording& recording, const char* key, uint64_t value) {
  char digits[24];
  char* at = digits + sizeof digits;
  *--at = '\0';
  do *--at = static_cast<char>('0' + value % 10);
  while ((value /= 10) > 0);
  append_text(recording, key, at);
}

}  // namespace apmt::rt
