// The file format of the recording of one rank. The recorder in the profiled program writes the
// file through a shared mapping; offline code (code outside the profiled program) only reads it.
// docs/formats.md describes the format for users; this header defines it. All structs have members
// of fixed width and no implicit padding.
//
// All times are CLOCK_MONOTONIC in nanoseconds unless a name says otherwise; 0 means "not reached".
// Counts only ever grow, by atomic operations, so that the file is readable at any moment.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace apmt::format {

inline constexpr char kMagic[8] = {'A', 'P', 'M', 'T', 'R', 'E', 'C', '\n'};
inline constexpr uint32_t kByteOrderMark = 0x01020304;
inline constexpr uint16_t kVersionMajor = 3;
inline constexpr uint16_t kVersionMinor = 2;

/// The largest file that readers accept; recorders write no larger ones.
inline constexpr uint64_t kMaxRecordingBytes = uint64_t{128} << 20;
/// The largest size of a recording if APMT_MEMORY does not set another limit.
inline constexpr uint64_t kDefaultRecordingBytes = uint64_t{4608} << 10;
inline constexpr uint32_t kMaxSections = 16;
inline constexpr uint32_t kMaxEvents = 15;
inline constexpr uint32_t kMaxSlices = 4;
inline constexpr uint32_t kMaxBuildIdBytes = 20;
inline constexpr uint32_t kMaxOpNameBytes = 44;

enum class SectionKind : uint32_t {
  kText = 1,         // bytes: "key=value\0" records and strings that other tables point to
  kModules = 2,      // Module
  kThreads = 3,      // Thread
  kSamples = 4,      // Sample, open addressed by key
  kOps = 5,          // Op, indexed by operation number
  kMpiCalls = 6,     // MpiCall, open addressed by fingerprint
  kPeers = 7,        // Peer, open addressed by world rank
  kRequests = 8,     // RequestRow, open addressed by fingerprint
  kInstances = 9,    // Instance, in any free slot
  kPeerBlocks = 10,  // Peer, by block of world ranks: messages without a slot in kPeers (since 3.1)
  kTotals = 11,      // ThreadTotals, same index as in kThreads (since 3.1)
  kMainTimes = 12,   // MainTime, same index as in kThreads (since 3.2)
};

/// The position of a table. `used` is the number of used entries (for kText: of used bytes);
/// `dropped` is the number of additions that were lost because no slot was free.
struct Section {
  SectionKind kind;
  uint32_t entry_bytes;
  uint64_t offset_bytes;
  uint64_t capacity;
  uint64_t used;
  uint64_t dropped;
};

/// The stage of the program in which something happened. Only time in kMain, from the return of
/// MPI_Init to the entry of MPI_Finalize, counts as computation or communication.
enum class Stage : uint32_t { kBeforeInit = 0, kMain = 1, kAfterFinalize = 2 };

/// How the recording ended. It stays kOpen if the process is killed.
enum class Ending : uint32_t { kOpen = 0, kExited = 1, kAbortCalled = 2 };

enum class SampleSource : uint32_t {
  kNone = 0,
  kHardware = 1,    // a PAPI event of the processor
  kTaskClock = 2,   // the task clock of Linux, by perf_event_open
  kPosixTimer = 3,  // timer_create on the thread's CPU clock
};

/// One sampled event. The count of a function is its number of samples times `period`.
struct Event {
  uint32_t name_offset;  // into text
  uint32_t slice;        // number (from 1 on) of the time slice that counts it; 0: counted always
  uint64_t period;       // in the event's unit: ns for clocks, counts for hardware events
};

struct Header {
  char magic[8];
  uint32_t byte_order;
  uint16_t version_major;
  uint16_t version_minor;
  uint64_t header_bytes;
  uint64_t file_bytes;
  uint32_t section_count;
  uint32_t event_count;
  Section sections[kMaxSections];
  Event events[kMaxEvents];

  int32_t world_rank;  // -1 until MPI_Init returned
  int32_t world_size;  // 0 until MPI_Init returned
  int64_t pid;

  Stage stage;
  Ending ending;
  int64_t start_ns;  // when the recorder's constructor ran
  int64_t init_entered_ns;
  int64_t init_returned_ns;
  int64_t finalize_entered_ns;
  int64_t finalize_returned_ns;
  int64_t end_ns;             // when the recorder's destructor ran, or MPI_Abort was called
  int64_t start_realtime_ns;  // CLOCK_REALTIME; used only to date the run
  int64_t process_cpu_ns;     // CLOCK_PROCESS_CPUTIME_ID when kMain or the process ended
  int64_t main_cpu_ns;        // the part of process_cpu_ns during kMain; negative until kMain ends
  int64_t main_user_ns;       // the part of main_cpu_ns in user mode; counters count only there

  SampleSource sample_source;
  uint32_t usable_cpus;      // CPUs this process may run on (its affinity mask)
  uint64_t sample_cost_ns;   // calibrated: one sample, including its delivery by the kernel
  uint64_t handler_cost_ns;  // calibrated: the part of sample_cost_ns inside the signal handler
  uint64_t handler_calls;    // in the whole run
  uint64_t handler_ns;       // time inside the recorder's signal handler in the whole run
  uint64_t call_cost_ns;     // calibrated: what the wrapper adds to one MPI call
  uint64_t samples_foreign;  // signals with the sampling signal's number from other senders
  int64_t last_sample_ns;    // when the latest sample was taken; dates the end of a killed process
  uint32_t thinning;         // present level of thinning, see Instance
  uint32_t task_clock_us;    // only in 3.1: task_clock_ns in microseconds; overflows at 71 minutes
  /// For each time slice: the number of samples of the first event that were taken in computation
  /// while the slice was active. The value of a slice, divided by the sum over all slices, is the
  /// share of the time in which the events of this slice were counted.
  uint64_t slice_samples[kMaxSlices];

  // Since 3.2; the header of older recordings ends here.
  uint64_t task_clock_ns;   // estimated cost of all threads' task clocks
  uint32_t squares_column;  // the column of Sample::counts, see kSquaresColumn; 0: there is none
  uint32_t reserved;
};

/// The size of the header in version 3.1.
inline constexpr uint64_t kHeaderBytes31 = offsetof(Header, task_clock_ns);

/// An object file that was loaded (program or library). To find the code at a program counter pc,
/// offline code looks up pc - bias in the file with this build id.
struct Module {
  uint64_t begin;
  uint64_t end;
  uint64_t bias;         // run-time address minus address in the file's symbol table
  uint32_t path_offset;  // into text
  uint32_t build_id_bytes;
  uint8_t build_id[kMaxBuildIdBytes];
  uint32_t unloaded;  // 1: not mapped any more
};

/// Marks the program counter of code in an object that has been unloaded. The other bits of such a
/// program counter are the object's number and the offset in the object, because other code may be
/// at its old address by now.
inline constexpr uint64_t kUnloadedBit = uint64_t{1} << 63;
inline constexpr uint32_t kUnloadedOffsetBits = 34;
inline constexpr uint64_t kMaxUnloadedModules = uint64_t{1} << (48 - kUnloadedOffsetBits);

constexpr uint64_t unloaded_pc(uint64_t module, uint64_t offset) {
  return kUnloadedBit | (module << kUnloadedOffsetBits) | offset;
}
constexpr uint64_t unloaded_module(uint64_t pc) {
  return (pc & ~kUnloadedBit) >> kUnloadedOffsetBits;
}
constexpr uint64_t unloaded_offset(uint64_t pc) {
  return pc & ((uint64_t{1} << kUnloadedOffsetBits) - 1);
}

struct Thread {
  int32_t tid;
  uint32_t was_there;  // not 0: existed before the recording began; its end is not recorded
  int64_t start_ns;
  int64_t end_ns;
  int64_t cpu_ns;    // thread CPU time when last read: at its end, or at MPI_Init, pauses, ...
  uint64_t samples;  // all samples of the thread, including those for which the table had no slot
  uint64_t cycles;   // unhalted, in user mode, in whole periods; 0: not counted
};

/// The value of a hardware counter. The reader compares it with the number of samples that came
/// from the counter's overflows. All three members were read at the same moment, when the counter
/// was last read.
struct CounterTotal {
  uint64_t counted;    // in the event's unit
  uint64_t overflows;  // overflows that the recorder received; each stands for one period
  uint64_t
      throttled_ns;  // how long the kernel had stopped the counter because it overflowed too often
};

/// The totals of one thread's counters, by event. All are 0 if the samples come from a clock (task
/// clock or timer), or if the thread existed before the recording.
struct ThreadTotals {
  CounterTotal events[kMaxEvents];
};

/// CPU time of one thread between MPI_Init and MPI_Finalize, without pauses. It is stored in two
/// forms, read at the same moment, so that the reader can compare them: `cpu_ns` was measured by
/// the thread's CPU clock; `samples` is the number of periods of the first event for which samples
/// were taken.
struct MainTime {
  int64_t cpu_ns;
  uint64_t samples;
  int64_t seen_cpu_ns;    // value of the thread's CPU clock when it was last read
  uint64_t seen_samples;  // Thread::samples at that moment
  uint32_t is_counting;   // 1 between MPI_Init and MPI_Finalize, except in pauses
  uint32_t is_sampled;    // 1 if a source of samples was started on the thread
  /// CPU time and samples outside MPI [0] and inside [1]. Known only for the time in which the
  /// thread read its CPU clock whenever it entered or left MPI.
  uint64_t split_ns[2];
  uint64_t split_samples[2];
};

/// The column of Sample::counts that has sums of squares, if samples come from a clock. One signal
/// of a clock may stand for n periods; the column has the sum of n^2 over all signals. The
/// uncertainty of counts[0] is the same as that of counts[0]^2 / squares independent samples, where
/// `squares` is the value in this column.
inline constexpr uint32_t kSquaresColumn = 1;

/// The samples taken at one address. The bits of `key`: 0..47 program counter, 48..59 operation (0
/// = outside MPI), 60..61 stage, 62 always set so that no key is 0, 63 as in unloaded_pc(). Inside
/// MPI, the program counter is the address from which the program called MPI.
struct Sample {
  uint64_t key;
  uint64_t counts[kMaxEvents];
};

inline constexpr uint64_t kSamplePcMask = (uint64_t{1} << 48) - 1;
inline constexpr uint64_t kSampleUsedBit = uint64_t{1} << 62;
inline constexpr uint32_t kMaxOps = 1u << 12;
/// The operation number of samples that were taken during the recorder's own work outside MPI
/// calls.
inline constexpr uint32_t kOwnWork = kMaxOps - 1;

constexpr uint64_t sample_key(uint64_t pc, uint32_t op, Stage stage) {
  return (pc & (kSamplePcMask | kUnloadedBit)) | (uint64_t{op} << 48) |
         (uint64_t{static_cast<uint32_t>(stage)} << 60) | kSampleUsedBit;
}
constexpr uint64_t sample_pc(uint64_t key) { return key & (kSamplePcMask | kUnloadedBit); }
constexpr uint32_t sample_op(uint64_t key) {
  return static_cast<uint32_t>(key >> 48) & (kMaxOps - 1);
}
constexpr Stage sample_stage(uint64_t key) { return static_cast<Stage>((key >> 60) & 3); }

enum class OpClass : uint32_t {
  kOther = 0,  // local calls, communicator and datatype management
  kPointToPoint = 1,
  kCompletion = 2,  // Wait, Test and similar calls
  kCollective = 3,  // synchronising collectives: every rank waits for every other
  kRooted = 4,      // collectives with a root, and scans: a rank may leave before others enter
  kOneSided = 5,
  kIo = 6,
};

struct Op {
  char name[kMaxOpNameBytes];  // "MPI_Allreduce", zero terminated; empty: number not in use
  OpClass op_class;
};

/// Says on which nodes the peers of a call are, relative to the node of the calling rank. A rank
/// knows only what its launcher told it, so it may record kUntold. The reader, which knows the
/// hosts of all ranks, replaces kUntold with another class.
enum class PeerClass : uint32_t {
  kNone = 0,
  kSameNode = 1,
  kOtherNode = 2,
  kMixed = 3,
  kUntold = 4,
  kNobody = 5,  // MPI_PROC_NULL: a call without a message (since 3.2)
};

inline constexpr uint32_t kTimeBins = 40;

/// Sums over the MPI calls of one kind from one address in the program. mpi_what() packs the kind
/// into `what`. The kind includes a size class: class 0 means 0 bytes, class c means 2^(c-1) <=
/// bytes < 2^c.
struct MpiCall {
  uint64_t fingerprint;  // of (caller_pc, what, whether the thread initialised MPI); 0 = free
  uint64_t caller_pc;
  uint64_t what;
  uint64_t calls;
  uint64_t bytes_sent;
  uint64_t bytes_received;
  uint64_t time_ns;            // inside the call
  uint64_t min_ns_complement;  // ~minimum, so that 0 means "no call yet"
  uint64_t max_ns;
  uint64_t blocked_ns;        // part of time_ns in which the rank could do nothing else
  uint32_t times[kTimeBins];  // calls by duration, see time_bin()
};

/// Sums over the completed non-blocking operations of one kind that were started at one address in
/// the program. `what` describes the call that started the operation (for persistent requests: the
/// call that created the request), but its size class is that of the bytes that were moved.
struct RequestRow {
  uint64_t fingerprint;  // of (caller_pc, what, whether the thread initialised MPI); 0 = free
  uint64_t caller_pc;    // of the call that started the operation
  uint64_t what;
  uint64_t completed;
  uint64_t bytes_sent;
  uint64_t bytes_received;
  uint64_t flight_ns;   // from the entry of the starting call to the return of the completing one
  uint64_t blocked_ns;  // part of flight_ns inside Wait, Test and similar calls
  uint64_t min_flight_ns_complement;
  uint64_t max_flight_ns;
};

/// One blocking call of one synchronising collective (an instance). All participating ranks record
/// it with the same key: a hash of the communicator's members, of its parent communicator, of its
/// number among the parent's children, and of the number of earlier such calls on the communicator.
/// A rank keeps only entries whose key begins with `Header::thinning` zero bits. It increases
/// `thinning` when more than half of its table is used. Each level of thinning keeps a subset of
/// the entries of the level before, so ranks at different levels still have some instances in
/// common.
struct Instance {
  uint64_t key;  // 0 = free, 1 = being written
  uint64_t what;
  uint64_t time_ns;
};

constexpr uint64_t kInstanceBusy = 1;
constexpr bool survives_thinning(uint64_t key, uint32_t level) {
  return level == 0 || key >> (64 - level) == 0;
}

/// The bin of a duration. From 256 ns on, there are two bins per factor of 2 (split at 1.5 times
/// the lower end). The first bin holds all shorter durations, the last bin all longer ones.
constexpr uint32_t time_bin(uint64_t ns) {
  if (ns < 256) return 0;
  const uint32_t octave = 63u - static_cast<uint32_t>(__builtin_clzll(ns));
  const uint32_t bin = 1 + 2 * (octave - 8) + (static_cast<uint32_t>(ns >> (octave - 1)) & 1);
  return bin < kTimeBins ? bin : kTimeBins - 1;
}
/// Where a bin begins, in ns.
constexpr uint64_t time_bin_begin(uint32_t bin) {
  if (bin == 0) return 0;
  const uint32_t octave = 8 + (bin - 1) / 2;
  return (bin - 1) % 2 == 0 ? uint64_t{1} << octave : uint64_t{3} << (octave - 1);
}

constexpr uint32_t size_class(uint64_t bytes) {
  return bytes == 0 ? 0u : 64u - static_cast<uint32_t>(__builtin_clzll(bytes));
}
constexpr uint64_t mpi_what(uint32_t op, uint32_t bytes_class, uint32_t comm_size, PeerClass peer,
                            Stage stage) {
  return uint64_t{op} | (uint64_t{bytes_class} << 12) |
         (uint64_t{static_cast<uint32_t>(peer)} << 20) |
         (uint64_t{static_cast<uint32_t>(stage)} << 24) | (uint64_t{comm_size} << 32);
}
constexpr uint32_t what_op(uint64_t what) { return static_cast<uint32_t>(what & (kMaxOps - 1)); }
constexpr uint32_t what_size_class(uint64_t what) {
  return static_cast<uint32_t>(what >> 12) & 0x7f;
}
constexpr PeerClass what_peer(uint64_t what) { return static_cast<PeerClass>((what >> 20) & 0xf); }
constexpr Stage what_stage(uint64_t what) { return static_cast<Stage>((what >> 24) & 0xf); }
constexpr uint32_t what_comm_size(uint64_t what) { return static_cast<uint32_t>(what >> 32); }

/// A Peer row is the point-to-point traffic of this rank with one world rank. Traffic of threads
/// other than the one that initialised MPI has a separate row with this bit in its key (since 3.2).
inline constexpr uint64_t kPeerOfOtherThreads = uint64_t{1} << 63;

struct Peer {
  uint64_t rank_plus_one;  // 0 = free
  uint64_t messages_sent;
  uint64_t bytes_sent;
  uint64_t messages_received;
  uint64_t bytes_received;
};

/// If kPeers has no free slot for a rank, the traffic with this rank is added to the row of a block
/// of consecutive world ranks. So all bytes are counted, and the communication matrix keeps its
/// shape. The width of a block is a power of two; the row's `rank_plus_one` is that of the block's
/// first rank.
inline constexpr uint32_t kPeerBlockCount = 64;

constexpr uint32_t peer_block_width(uint32_t world_size) {
  uint32_t width = 1;
  while (static_cast<uint64_t>(width) * kPeerBlockCount < world_size) width *= 2;
  return width;
}

static_assert(sizeof(Section) == 40 && sizeof(Event) == 16 && sizeof(Op) == 48);
static_assert(sizeof(Module) == 56 && sizeof(Thread) == 48 && sizeof(Sample) == 128);
static_assert(sizeof(MpiCall) == 240 && sizeof(Peer) == 40);
static_assert(sizeof(RequestRow) == 80 && sizeof(Instance) == 24);
static_assert(sizeof(ThreadTotals) == 24 * kMaxEvents && sizeof(MainTime) == 72);

}  // namespace apmt::format
