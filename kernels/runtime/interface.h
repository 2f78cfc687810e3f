// The interface between the code that the pass inserts and the runtime. The layouts are those of C
// and fixed here, because the pass writes them as offsets.
#pragma once

#include <cstddef>
#include <cstdint>

namespace apmt::kernels {

/// How a thread runs the functions that it enters.
enum class Mode : std::uint32_t {
  kAsk = 0,    // __apmt_enter decides for each function
  kCount = 1,  // blocks are only counted
};

/// The return value of __apmt_enter.
enum class Entered : std::uint32_t {
  kCounts = 0,   // run the version that counts
  kStreams = 1,  // run the version that writes events
  kLeaves = 2,   // the same, and call __apmt_leave at its end, even if it ends by an exception
};

/// State of a thread, in thread-local storage of the runtime (__apmt_thread).
struct Thread {
  std::uint64_t* at;      // where the next event goes
  std::uint64_t* end;     // one past the end of the buffer
  std::uint64_t* counts;  // one for each block of the process
  Mode mode;
  std::uint32_t reserved;
};
static_assert(offsetof(Thread, end) == 8 && offsetof(Thread, counts) == 16 &&
              offsetof(Thread, mode) == 24);

/// Describes a translation unit; its constructor passes it to __apmt_register.
struct ModuleRecord {
  const void* program;  // a Program in binary form (kernels/program_code.h)
  std::uint64_t program_bytes;
  const std::uint32_t* counter_of;  // for each block, the block whose counter it shares
  std::uint64_t blocks;
  std::uint64_t first_block;     // set by the runtime: index of its block 0 in the process
  std::uint64_t first_function;  // set by the runtime
};
static_assert(offsetof(ModuleRecord, first_block) == 32 &&
              offsetof(ModuleRecord, first_function) == 40);

inline constexpr const char* kThreadSymbol = "__apmt_thread";
inline constexpr const char* kRegisterSymbol = "__apmt_register";  // (ModuleRecord*)
// (function of the process, frame address, whether it may be a kernel) -> Entered
inline constexpr const char* kEnterSymbol = "__apmt_enter";
inline constexpr const char* kLeaveSymbol = "__apmt_leave";    // ()
inline constexpr const char* kResumeSymbol = "__apmt_resume";  // (frame address), behind setjmp
inline constexpr const char* kMakeRoomSymbol = "__apmt_make_room";  // (), until `at` has room
/// The most blocks of a process that can be counted; each thread reserves address space for them.
inline constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 24;
inline constexpr std::size_t kCounterBytes = kMostBlocks * sizeof(std::uint64_t);
/// Words that fit from `at` on when __apmt_make_room returns; no block has more.
inline constexpr std::size_t kBufferWords = 32768;

}  // namespace apmt::kernels
