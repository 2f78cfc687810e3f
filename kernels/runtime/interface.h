// The interface between the runtime and the code that the compiler pass (kernels/llvm) inserts. The
// structures have a fixed C layout, because the pass refers to their fields by offset.
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
  // as kStreams; in addition, call __apmt_leave when the function ends, even by an exception
  kLeaves = 2,
  kCountsAndLeaves = 3,  // as kCounts; in addition, call __apmt_leave, as for kLeaves
};

/// Which values of Entered a function can handle, apart from kCounts and kStreams.
enum class Ending : std::uint32_t {
  kCannotLeave = 0,  // none: it cannot call __apmt_leave
  kLeaves = 1,       // Entered::kLeaves
  kMayCount = 2,     // Entered::kLeaves and Entered::kCountsAndLeaves
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

/// Describes a translation unit; a constructor of this unit passes the record to __apmt_register.
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
// Arguments: index of the function in the process, frame address, Ending of the function.
// Returns an Entered.
inline constexpr const char* kEnterSymbol = "__apmt_enter";
inline constexpr const char* kLeaveSymbol = "__apmt_leave";         // ()
inline constexpr const char* kResumeSymbol = "__apmt_resume";       // (frame address), after setjmp
inline constexpr const char* kMakeRoomSymbol = "__apmt_make_room";  // () -> the new `at`
/// The most blocks of a process that can be counted; each thread reserves address space for their
/// counters.
inline constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 24;
inline constexpr std::size_t kCounterBytes = kMostBlocks * sizeof(std::uint64_t);
/// The number of words for which the buffer has room, from Thread::at on, when __apmt_make_room
/// returns. No block has more words.
inline constexpr std::size_t kBufferWords = 32768;

}  // namespace apmt::kernels
