// Example runs for tests: one with a value in every field of profile.json, and one without any
// optional field.
#pragma once

#include "profile/run_profile.h"

namespace apmt {

inline RunProfile plain_profile() {
  RunProfile p;
  p.program = "app";
  p.command = "./app 1000";
  p.mpi_library = "Open MPI v4.1.4";
  p.started_at = "2024-05-01T12:00:00Z";
  p.config.procs = 2;
  RankTimes& t = p.times;
  t.wall_s.per_rank = {10.5, 10.25};
  t.init_s.per_rank = {0.25, 0.25};
  t.finalize_s.per_rank = {0.125, 0.125};
  t.main_s.per_rank = {10, 9.875};
  t.mpi_s.per_rank = {2, 1};
  t.mpi_p2p_s.per_rank = {1, 0.5};
  t.mpi_coll_s.per_rank = {0.5, 0.25};
  t.mpi_other_s.per_rank = {0.5, 0.25};
  KernelProfile k;
  k.id = {"app", "_Z5solvev", "solve.cpp"};
  k.name = "solve()";
  k.counters["cpu_s"] = {Provenance::kClock, "perf::TASK-CLOCK", 0.002, {3900, 4300}};
  p.kernels = {k};
  p.mpi = {{"MPI_Allreduce", "collective", 2, 4, "none", "solve()", 200, 1600, 1600, 0.75, 0.7,
            1e-6, 0.01}};
  p.peers = {{0, 1, 100, 80000}};
  p.health = {2, 2, 0, 0, 0, 0, 0.01, 0.5, 0, {}};
  return p;
}

inline RunProfile full_profile() {
  RunProfile p = plain_profile();
  p.build_id = "00ff";
  p.config = {2, {{"iterations", 50}, {"n", 1000.5}}, 3, 2, 1, 2, true, true, 2.4e9};
  p.grade = Grade::kA;
  p.environment = {{"OMP_NUM_THREADS", "2"}, {"SLURM_JOB_ID", "17"}};
  p.hosts = {{"node1", "Some CPU", 2, 2, "6.1.0"}};
  p.host_of_rank = {0, 0};
  p.placement = {{0, "0-1"}, {-1, "0-3,8"}};
  p.times.main_cpu_s.per_rank = {9.9, 9.8};
  p.times.sampled_cpu_s.per_rank = {7.9, 8.7};
  p.times.frequency_hz.per_rank = {2.4e9, 0};
  p.sampling = {
      "hardware", "PAPI_TOT_CYC", 0.002, 8300, 1, "time", {{"PAPI_TOT_CYC", 1.75e10, 8750, 0.95}}};
  KernelProfile& k = p.kernels[0];
  k.build_id = "0123abcd";
  k.lines = {{"inner(double)", "solve.cpp", 17, 4000}, {"", "solve.cpp", 18, 9}};
  k.inlined = {{{"_Z5outerd"}, 0.5}, {{"_Z5outerd", "_Z5innerd"}, 1.25}};
  k.larger_caches = {{2, {{"acc_mm", 4e6}, {"hit_LLC", 1e6}}}};
  k.counters["instructions"] = {Provenance::kHardware, "PAPI_TOT_INS", 4e6, {390, 430}, 0.5,
                                {1.02, 0.97},          {400, 431}};
  KernelProfile other;
  other.id = {"libm.so.6", "exp\xff", ""};
  p.kernels.push_back(other);
  p.mpi.push_back({"MPI_Isend", "p2p", 2, 17, "other-node", "", 1, 70000, 0, 1e-5, 0, 1e-5, 1e-5});
  p.mpi.back().message_s = 9.5e-6;
  p.mpi.back().arrivals = 1;
  p.peers = {{0, 1, 100, 80000}, {1, 0, 3, 9007199254740992, 1}};
  p.communication.operations = {
      {"MPI_Isend", "p2p", 2, 17, 1, 70000, 0, 1e-5, 9e-6, 8e-6, "low quantile", 1, 2e-4, 2e-4,
       1e-4},
      {"MPI_Allreduce", "collective", 2, 4, 200, 1600, 1600, 0.75, {}, {}, "", 0, 0, {}, 0}};
  p.communication.bf_comm = 0.5;
  p.communication.coll_wait_s = 0.25;
  p.communication.coll_wait_coverage = 1;
  p.communication.pattern = {"master-worker", {2, 1}, {true, false}, true, true, 0};
  p.communication.pop = {0.9, 0.8, 0.72, 0.95, 0.842};
  p.threads = {{0, 10.25, 9.75, 4800, 3.25e10, 0.95, 9.5, 9.25},
               {1, 10.25, 9.5, 4700, {}, {}, {}, {}}};
  p.own_cost = {2.5e-6, 2e-6, 5e-7, 6e-7, 1.2e-5, 7e-8};
  p.libraries = {{"libc", "glibc 2.36"}, {"papi", "7.0.0.0"}};
  p.imported = {{"main->MPI_Send", "calls", 12.5}};
  p.health = {4, 2, 1, 1, 1, 5, 0.01, 0.5, 0.25, {"a note", "another"}};
  p.health.ranks_running = 1;
  return p;
}

}  // namespace apmt
