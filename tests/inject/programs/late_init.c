// late_init MS: computes for MS milliseconds before MPI_Init, and for 100 ms after it. The library
// in_init, if preloaded, starts a thread of this program inside MPI_Init; this thread works once
// MPI is ready.
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpu_work.h"

WORK(early_work)
WORK(main_work)
WORK(worker_work)

static sem_t ready;
static pthread_t worker;
static int has_worker;

static void* work(void* unused) {
  while (sem_wait(&ready) != 0) {
  }
  worker_work(200);
  return unused;
}

void begin_worker(void) { has_worker = pthread_create(&worker, NULL, work, NULL) == 0; }

int main(int argc, char** argv) {
  int provided;
  sem_init(&ready, 0, 0);
  early_work(argc > 1 ? atoi(argv[1]) : 0);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  sem_post(&ready);
  main_work(100);
  if (has_worker) pthread_join(worker, NULL);
  MPI_Finalize();
  puts("late_init is done");
  return 0;
}
