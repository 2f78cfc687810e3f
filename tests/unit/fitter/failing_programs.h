// Synthetic programs of six kinds whose predictions were once wrong. These programs never ran:
// their run profiles are computed from known laws.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt::synthetic {

/// Random factors near 1, the same on every machine.
class Noise {
 public:
  explicit Noise(unsigned long seed) : random_(seed) {}
  double operator()() {
    double sum = -6;  // of twelve uniform numbers: nearly normal
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random_() >> 11) * 0x1.0p-53;
    return 1 + 0.01 * sum;
  }

 private:
  std::mt19937_64 random_;
};

struct FailingProgram {
  std::string name;
  std::function<RunProfile(int procs, int repetition, Noise&)> run;
  std::function<double(double procs)> true_s;
};

inline constexpr int kRepetitions = 3;

inline std::vector<RunProfile> runs_of(const FailingProgram& program,
                                       const std::vector<int>& counts, Noise& noise) {
  std::vector<RunProfile> runs;
  for (const int procs : counts)
    for (int repetition = 1; repetition <= kRepetitions; ++repetition)
      runs.push_back(program.run(procs, repetition, noise));
  return runs;
}

namespace failing {

inline constexpr double kStart_s = 0.01;  // half of it at the start, half at the end
inline constexpr double kAlone_s = 0.1;   // what lone_worker's first rank does alone

inline PlantedRun planted(int procs, int repetition, double kernel_s, Noise& noise) {
  PlantedRun run;
  run.procs = procs;
  run.repetition = repetition;
  run.sample_s = 1e-6;
  run.kernel_s = {{"work", kernel_s * noise()}};
  run.others_s = kStart_s * noise();
  return run;
}

/// MPI_Waitall, called `calls` times by every rank in one function.
inline MpiRow waits(int procs, double calls, const char* caller, double seconds_of_a_rank) {
  MpiRow row;
  row.op = "MPI_Waitall";
  row.op_class = "completion";
  row.size_class = 15;
  row.peer = "same-node";
  row.caller = caller;
  row.calls = static_cast<std::uint64_t>(calls * procs);
  row.bytes_received = row.calls * 16384;
  row.time_s = row.blocked_s = seconds_of_a_rank * procs;
  return row;
}

inline MpiRow sends(int procs, double calls) {
  MpiRow row = waits(procs, calls, "exchange", 0);
  row.op = "MPI_Isend";
  row.op_class = "p2p";
  row.bytes_sent = row.bytes_received;
  row.bytes_received = 0;
  return row;
}

/// The factor by which an imbalance is larger or smaller at a process count. It varies, because not
/// every problem divides evenly.
inline double scatter(int procs) { return procs == 2 ? 1.2 : procs == 4 ? 0.8 : 1.1; }

/// A planted program with the same messages at every process count. Their completion takes longer
/// than the messages cost; the excess is waiting, a varying share of the computation.
inline FailingProgram completion() {
  constexpr double calls = 186, message_s = 30e-6, work_s = 4, share = 0.08;
  const auto run_of = [=](int procs, int repetition, Noise& noise) {
    PlantedRun run = planted(procs, repetition, work_s / procs, noise);
    run.p2p_s = (calls * message_s + scatter(procs) * share * work_s / procs) * noise();
    run.ops = {{"MPI_Isend", "p2p", calls * procs, calls * procs * 16384}};
    RunProfile p = profile(run);
    p.mpi = {sends(procs, calls), waits(procs, calls, "exchange", run.p2p_s)};
    MpiOperation completing;
    completing.op = "MPI_Waitall";
    completing.op_class = "completion";
    completing.size_class = 15;
    completing.calls = p.mpi[1].calls;
    completing.low_s = 1e-7;  // of the quickest calls, whose messages had already arrived
    MpiOperation received;
    received.op = "MPI_Irecv";
    received.op_class = "p2p";
    received.size_class = 15;
    received.calls = received.completed = completing.calls;
    received.min_flight_s = message_s * noise();
    p.communication.operations = {received, completing};
    return p;
  };
  return {"completions wait", run_of, [=](double procs) {
            return work_s / procs * (1 + share) + calls * message_s + kStart_s;
          }};
}

/// A planted program: MPI_Sendrecv between partners that take turns at being late. The quickest
/// calls take no time, and the others take twice the time of the message. No rank waits for
/// computation.
inline FailingProgram late_in_turn(double calls = 2000, double message_s = 30e-6) {
  constexpr double work_s = 4;
  const auto run_of = [=](int procs, int repetition, Noise& noise) {
    PlantedRun run = planted(procs, repetition, work_s / procs, noise);
    run.p2p_s = calls * message_s * noise();
    RunProfile p = profile(run);
    MpiRow row = waits(procs, calls, "exchange", run.p2p_s);
    row.op = "MPI_Sendrecv";
    row.op_class = "p2p";
    row.bytes_sent = row.bytes_received;
    row.message_s = 0.97 * message_s * noise();
    row.arrivals = row.calls;
    MpiOperation quick;
    quick.op = row.op;
    quick.op_class = row.op_class;
    quick.size_class = row.size_class;
    quick.calls = row.calls;
    quick.low_s = 1e-7;
    p.mpi = {row};
    p.communication.operations = {quick};
    return p;
  };
  return {"late in turn", run_of,
          [=](double procs) { return work_s / procs + calls * message_s + kStart_s; }};
}

/// A planted program in which two functions make the same calls with the same bytes. One takes much
/// longer than the other (13 times as long on 4 processes, 5 times on 16), which only waiting can
/// explain.
inline FailingProgram unlike_calls() {
  constexpr double calls = 100, message_s = 50e-6, work_s = 4, waiting_s = 0.3;
  const auto run_of = [=](int procs, int repetition, Noise& noise) {
    PlantedRun run = planted(procs, repetition, work_s / procs, noise);
    const double quick_s = calls * message_s * noise();
    const double slow_s = (calls * message_s + scatter(procs) * waiting_s / procs) * noise();
    run.p2p_s = quick_s + slow_s;
    RunProfile p = profile(run);
    p.mpi = {sends(procs, 2 * calls), waits(procs, calls, "pressure", quick_s),
             waits(procs, calls, "velocity", slow_s)};
    return p;
  };
  return {"unlike call sites", run_of, [=](double procs) {
            return (work_s + waiting_s) / procs + 2 * calls * message_s + kStart_s;
          }};
}

/// A planted program that sorts: all ranks tell all others how much they will send, then send it.
/// At the profiled process counts, the transfer of bytes takes nearly all of the time in
/// collectives; at much larger counts, latency does. Only the first of the two operations, which
/// moves few bytes, shows the latency.
inline FailingProgram sort() {
  constexpr double calls = 12, step_s = 20e-6, byte_s = 1e-9, bytes = 2e8, work_s = 4;
  const auto small_s = [=](double p) { return calls * step_s * (p - 1); };
  const auto large_s = [=](double p) {
    return small_s(p) + calls * byte_s * bytes / p * (1 - 1 / p);
  };
  const auto run_of = [=](int procs, int repetition, Noise& noise) {
    PlantedRun run = planted(procs, repetition, work_s / procs, noise);
    run.ops = {{"MPI_Alltoall", "collective", calls * procs, calls * 4 * procs * procs},
               {"MPI_Alltoallv", "collective", calls * procs, calls * bytes}};
    const double telling_s = small_s(procs) * noise();
    run.coll_s = telling_s + large_s(procs) * noise();
    RunProfile p = profile(run);
    MpiOperation telling;
    telling.op = "MPI_Alltoall";
    telling.op_class = "collective";
    telling.comm_size = procs;
    telling.size_class = 6;
    telling.calls = static_cast<std::uint64_t>(calls * procs);
    telling.time_s = procs * telling_s;
    telling.transfer_s = telling.time_s;
    p.communication.operations = {telling};
    return p;
  };
  return {"latency behind bytes", run_of, [=](double procs) {
            return work_s / procs + small_s(procs) + large_s(procs) + kStart_s;
          }};
}

/// A planted program with work on pairs of bodies, each pair counted once. Its time falls more
/// slowly than 1/P on few processes, without a constant part.
inline FailingProgram pairs() {
  constexpr double work_s = 16;
  const auto time_s = [=](double p) { return work_s / p * (1 - 1 / (2 * p)); };
  const auto run_of = [=](int procs, int repetition, Noise& noise) {
    PlantedRun run = planted(procs, repetition, 0.7 * time_s(procs), noise);
    run.kernel_s["energy"] = 0.3 * time_s(procs) * noise();
    return profile(run);
  };
  return {"work on pairs", run_of, [=](double procs) { return time_s(procs) + kStart_s; }};
}

/// What the other ranks do while the first one works alone.
enum class Others {
  kHaveEnded,         // they wait in MPI_Finalize: the first rank writes the results
  kWaitInACollective  // the first rank gathers the results, and then all continue
};

/// A planted program in which the first rank works alone for a while.
inline FailingProgram lone_worker(const char* name, Others others) {
  constexpr double work_s = 4;
  const auto run_of = [=](int procs, int repetition, Noise& noise) {
    RunProfile p = profile(planted(procs, repetition, work_s / procs, noise));
    const double tail_s = kAlone_s * noise();
    KernelProfile alone = p.kernels.front();
    alone.id.linkage_name = alone.name = "alone";
    Counter& c = alone.counters["cpu_s"];
    c.samples.assign(c.samples.size(), 0);
    c.samples[0] = static_cast<std::uint64_t>(tail_s / c.unit_per_sample);
    p.kernels.push_back(alone);
    RankTimes& t = p.times;
    const bool all_continue = others == Others::kWaitInACollective;
    for (std::size_t r = 0; r < t.main_s.per_rank.size(); ++r) {
      t.wall_s.per_rank[r] += tail_s;
      if (r == 0 || all_continue)
        for (Column* time : {&t.main_s, &t.main_cpu_s}) time->per_rank[r] += tail_s;
      if (r == 0) continue;
      if (all_continue)
        for (Column* time : {&t.mpi_s, &t.mpi_coll_s}) time->per_rank[r] += tail_s;
      else
        t.finalize_s.per_rank[r] += tail_s;
    }
    return p;
  };
  return {name, run_of, [=](double procs) { return work_s / procs + kAlone_s + kStart_s; }};
}

}  // namespace failing

inline std::vector<FailingProgram> failing_programs() {
  using failing::Others;
  return {failing::completion(),
          failing::unlike_calls(),
          failing::pairs(),
          failing::lone_worker("one rank writes", Others::kHaveEnded),
          failing::lone_worker("one rank gathers", Others::kWaitInACollective),
          failing::sort()};
}

}  // namespace apmt::synthetic
