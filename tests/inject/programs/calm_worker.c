// A thread starts before MPI_Init and sleeps now and then. Once MPI is ready it works for 80 ms of
// CPU time without a pause. Prints whether the thread had a core to itself during this work.
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static sem_t ready;
static sem_t over;
static double lost_s;

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wait_for(sem_t* semaphore) {
  while (sem_wait(semaphore) != 0) {
  }
}

__attribute__((noinline)) double calm_work(double cpu_s) {
  const double until_s = seconds(CLOCK_THREAD_CPUTIME_ID) + cpu_s;
  volatile double x = 1;
  while (seconds(CLOCK_THREAD_CPUTIME_ID) < until_s)
    for (int i = 0; i < 20000; ++i) x = x * 0.999 + 1;
  return x;
}

static void* work(void* unused) {
  const struct timespec nap = {0, 1000000};
  for (int i = 0; i < 20; ++i) nanosleep(&nap, NULL);
  sem_post(&over);
  wait_for(&ready);
  const double wall_s = seconds(CLOCK_MONOTONIC);
  const double cpu_s = seconds(CLOCK_THREAD_CPUTIME_ID);
  calm_work(0.08);
  lost_s = seconds(CLOCK_MONOTONIC) - wall_s - (seconds(CLOCK_THREAD_CPUTIME_ID) - cpu_s);
  return unused;
}

int main(int argc, char** argv) {
  pthread_t thread;
  sem_init(&ready, 0, 0);
  sem_init(&over, 0, 0);
  pthread_create(&thread, NULL, work, NULL);
  wait_for(&over);
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  sem_post(&ready);
  pthread_join(thread, NULL);
  MPI_Finalize();
  puts(lost_s < 0.001 ? "calm" : "disturbed");
  return 0;
}
