// The functions and the thread state that instrumented code uses (kernels/runtime/interface.h): the
// only visible symbols of this library.

#include <cerrno>
#include <cstdlib>
#include <new>

#include "kernels/events.h"
#include "kernels/runtime/interface.h"
#include "kernels/runtime/session.h"
#include "kernels/runtime/spare_counters.h"

extern "C" {
__attribute__((
    visibility("default"))) constinit thread_local apmt::kernels::Thread __apmt_thread = {};
}

namespace apmt::kernels {
namespace {

/// The part of a thread's state that only this file uses.
struct ThreadDetails {
  Word* buffer;
  const char* frame;  // frame address of the function at whose entry `is_inside` was set
  const Session::CountedKernel* counted;  // the kernel whose blocks are counted
  std::uint64_t* outer_counts;            // the thread's counters before and after this kernel
  std::uint64_t* kernel_counts;
  int number;
  bool is_known;   // it has been set up
  bool is_inside;  // it runs a kernel or works for one
  bool is_busy;    // it runs code of this file; a signal handler's blocks are then only counted
};
constinit thread_local ThreadDetails details = {};

class Busy {
 public:
  Busy() : errno_(errno) { details.is_busy = true; }
  ~Busy() {
    details.is_busy = false;
    errno = errno_;
  }

 private:
  int errno_;
};

void hand_over() {
  Session::get().consume(static_cast<unsigned>(details.number), {details.buffer, __apmt_thread.at});
  __apmt_thread.at = details.buffer;
}

void put_word(Word word) {
  if (__apmt_thread.at == __apmt_thread.end) hand_over();
  *__apmt_thread.at++ = word;
}

/// From now on until end_counting(), the counters of this kernel count the blocks that this thread
/// executes. Returns false if events of the kernel have to be written instead.
bool begin_counting(std::uint64_t function, bool is_skipped) {
  Session& session = Session::get();
  details.counted = session.counted_kernel(function, is_skipped);
  if (!details.counted) return false;
  if (!details.kernel_counts) details.kernel_counts = session.new_counters();
  if (!details.kernel_counts) {
    details.counted = nullptr;
    return false;
  }
  details.outer_counts = __apmt_thread.counts;
  __apmt_thread.counts = details.kernel_counts;
  return true;
}

void end_counting() {
  for (const auto& [block, counter] : details.counted->blocks)
    for (std::uint64_t left = details.kernel_counts[counter]; left > 0;) {
      const std::uint64_t now = left < kMostCounted ? left : kMostCounted;
      put_word(counted(block, now));
      left -= now;
    }
  for (const auto& [block, counter] : details.counted->blocks) details.kernel_counts[counter] = 0;
  __apmt_thread.counts = details.outer_counts;
  details.counted = nullptr;
}

/// Begins to write events; where counts of blocks are enough, begins to count them instead. The
/// mark of a kernel is passed to the analysers at once, so that it precedes the events of other
/// threads.
Entered begin(const char* frame, bool is_kernel, std::uint64_t function, Ending ending) {
  details.is_inside = true;
  details.frame = frame;
  if (is_kernel) {
    const Word begins = Session::get().begin_mark(function);
    put_word(begins);
    hand_over();
    if (ending == Ending::kMayCount &&
        begin_counting(function, mark_of(begins) == Mark::kKernelSkipped))
      return Entered::kCountsAndLeaves;
  }
  return Entered::kLeaves;
}

void end() {
  Session& session = Session::get();
  const bool is_owner = session.owner() == details.number;
  if (details.counted) end_counting();
  if (is_owner) put_word(mark(Mark::kKernelEnd));
  hand_over();
  details.is_inside = false;
  if (is_owner) session.end_kernel();
}

pthread_key_t thread_end_key() {
  static const pthread_key_t key = [] {
    pthread_key_t made = 0;
    ::pthread_key_create(&made, [](void*) {
      const Busy busy;
      if (details.is_inside) end();
      std::uint64_t* counts = __apmt_thread.counts;
      std::uint64_t* kernel_counts = details.kernel_counts;
      delete[] details.buffer;
      details = {};
      details.is_busy = true;  // until `busy` is destroyed
      __apmt_thread = {};      // code that still runs on this thread sets it up again
      Session::get().end_counters(counts);
      if (kernel_counts) Session::get().end_counters(kernel_counts);
    });
    return made;
  }();
  return key;
}

void set_up_thread() {
  Session& session = Session::get();
  __apmt_thread.counts = session.new_counters();
  if (!__apmt_thread.counts) std::abort();
  if (session.is_analysed()) {
    details.buffer = new (std::nothrow) Word[kBufferWords];
    __apmt_thread.at = details.buffer;
    __apmt_thread.end = details.buffer ? details.buffer + kBufferWords : nullptr;
  }
  details.number = session.new_thread();
  details.is_known = true;
  ::pthread_setspecific(thread_end_key(), &details);
}

}  // namespace
}  // namespace apmt::kernels

using namespace apmt::kernels;

#define APMT_EXPORT extern "C" __attribute__((visibility("default")))

APMT_EXPORT void __apmt_register(ModuleRecord* record) {
  const Busy busy;
  Session::get().add_module(record);
}

APMT_EXPORT std::uint32_t __apmt_enter(std::uint64_t function, const char* frame,
                                       std::uint32_t how_it_ends) {
  const auto ending = static_cast<Ending>(how_it_ends);
  constexpr auto kCounts = static_cast<std::uint32_t>(Entered::kCounts);
  constexpr auto kStreams = static_cast<std::uint32_t>(Entered::kStreams);
  if (details.is_inside && !details.is_busy)
    return details.counted && function < details.counted->functions.size() &&
                   details.counted->functions[function]
               ? kCounts
               : kStreams;
  if (details.is_busy) {
    if (!__apmt_thread.counts) __apmt_thread.counts = spare_counters();
    return kCounts;
  }
  const Busy busy;
  if (!details.is_known) set_up_thread();
  Session& session = Session::get();
  if (!session.is_analysed() || !details.buffer) {
    __apmt_thread.mode = Mode::kCount;
    return kCounts;
  }
  if (ending == Ending::kCannotLeave) return kCounts;
  if (session.owner() >= 0)  // another thread runs a kernel; this one is assumed to work for it
    return static_cast<std::uint32_t>(begin(frame, false, function, ending));
  if (!session.is_kernel(function) || !session.begin_kernel(details.number)) return kCounts;
  return static_cast<std::uint32_t>(begin(frame, true, function, ending));
}

APMT_EXPORT void __apmt_leave() {
  const Busy busy;
  if (details.is_inside) end();
}

APMT_EXPORT void __apmt_resume(const char* frame) {
  if (!details.is_inside || frame <= details.frame) return;
  const Busy busy;
  end();
}

APMT_EXPORT std::uint64_t* __apmt_make_room() {
  const Busy busy;
  hand_over();
  return __apmt_thread.at;
}

/// The user's program calls this function where all processors must wait for each other
/// (docs/kernels.md).
APMT_EXPORT void __apmt_synchronise() {
  if (!details.is_inside || details.is_busy) return;
  const Busy busy;
  put_word(mark(Mark::kSynchronise));
}

namespace {

/// Runs after the program's own exit handlers and destructors.
__attribute__((destructor)) void at_exit() {
  const Busy busy;
  if (details.is_inside) end();
  Session::get().finish();
}

}  // namespace
