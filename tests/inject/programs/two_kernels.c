/* two_kernels [GIGA_INSTRUCTIONS [GROWTH [THREADS]]]: strong scaling on the simulated processor of
 * processor/planted_papi.cpp. Each of two functions executes half of all instructions, shared
 * equally by the threads of all ranks. Every step ends with an MPI_Allreduce. Accesses to main
 * memory per instruction grow as P^GROWTH (default: constant), where P is the number of ranks. */

#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/inject/processor/planted_work.h"

#pragma weak planted_execute

enum { kSteps = 20, kMostThreads = 8 };

__attribute__((noinline)) static double sweep(double instructions, double growth) {
  struct PlantedWork work = {instructions, 1.4, 0.12, 0.30, 0.05, 0.03, 0.04 * growth};
  if (planted_execute) planted_execute(&work);
  return instructions;
}

__attribute__((noinline)) static double update(double instructions, double growth) {
  struct PlantedWork work = {instructions, 0.6, 0.25, 0.25, 0.02, 0.02, 0.015 * growth};
  if (planted_execute) planted_execute(&work);
  return instructions;
}

struct Share {
  double instructions; /* of one function in one step */
  double growth;
};

static double step(const struct Share* share) {
  return sweep(share->instructions, share->growth) + update(share->instructions, share->growth);
}

static void* work(void* share) {
  for (int i = 0; i < kSteps; ++i) step(share);
  return NULL;
}

int main(int argc, char** argv) {
  const double all = 1e9 * (argc > 1 ? atof(argv[1]) : 0.3);
  const int wanted = argc > 3 ? atoi(argv[3]) : 1;
  const int threads = wanted < 1 ? 1 : wanted > kMostThreads ? kMostThreads : wanted;
  MPI_Init(&argc, &argv);
  int ranks = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  struct Share share = {all / ranks / threads / kSteps / 2, argc > 2 ? pow(ranks, atof(argv[2])) : 1};
  pthread_t workers[kMostThreads];
  for (int i = 1; i < threads; ++i) pthread_create(&workers[i], NULL, work, &share);
  double done = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double here = threads * step(&share);
    double everywhere = 0;
    MPI_Allreduce(&here, &everywhere, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    done += everywhere;
  }
  for (int i = 1; i < threads; ++i) pthread_join(workers[i], NULL);
  MPI_Finalize();
  if (rank == 0) printf("%.0f million instructions\n", done * 1e-6);
  return 0;
}
