/* two_kernels [GIGA_INSTRUCTIONS [GROWTH]]: strong scaling on the planted processor. Two functions execute
 * half of all instructions each, of which every rank has its share; sums are exchanged after every
 * step. Accesses to memory per instruction grow as P^GROWTH, usually not at all. */

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/inject/processor/planted_work.h"

#pragma weak planted_execute

enum { kSteps = 20 };

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

int main(int argc, char** argv) {
  const double all = 1e9 * (argc > 1 ? atof(argv[1]) : 0.3);
  MPI_Init(&argc, &argv);
  int ranks = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double mine = all / ranks / kSteps;
  const double growth = argc > 2 ? pow(ranks, atof(argv[2])) : 1;
  double done = 0;
  for (int step = 0; step < kSteps; ++step) {
    const double here = sweep(mine / 2, growth) + update(mine / 2, growth);
    double everywhere = 0;
    MPI_Allreduce(&here, &everywhere, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    done += everywhere;
  }
  MPI_Finalize();
  if (rank == 0) printf("%.0f million instructions\n", done * 1e-6);
  return 0;
}
