// split: runs a loop once, for `apmt analyze`. split SHARE FREE LOADED: divides the loop between
// two threads, on the processors FREE and LOADED. Compares the time if the thread on FREE executes
// SHARE of the iterations with the times for equal shares and for the best shares. The caller
// starts the other program that runs on LOADED. Prints a Markdown table.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kBodies = 16000, kRepeats = 15, kWays = 20 };
double force[kBodies], position[kBodies], mass[kBodies];

/// The iterations from `from` to `to` of a loop. The analysis follows one call, for all iterations.
__attribute__((noinline)) void attract(long from, long to) {
  for (long i = from; i < to; ++i) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (long j = 0; j < kBodies; ++j) {
      const double distance = position[j] - position[i];
      sum += mass[j] * distance / (distance * distance + 0.01);
    }
    force[i] = sum;
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static int by_value(const void* x, const void* y) {
  const double p = *(const double*)x, q = *(const double*)y;
  return (p > q) - (p < q);
}

static pthread_barrier_t barrier;
static int processors[2];
static long middle; // the first iteration of the second thread

/// Executes one thread's iterations in every run; the threads wait for each other before and after.
static void* serve(void* argument) {
  const int thread = *(int*)argument;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processors[thread], &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) exit(1);
  for (;;) {
    pthread_barrier_wait(&barrier);
    thread == 0 ? attract(0, middle) : attract(middle, kBodies);
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

/// The median time with this share of the iterations on the first thread.
static double seconds(double share) {
  double times[kRepeats];
  middle = (long)(share * kBodies);
  for (int r = 0; r < kRepeats; ++r) {
    const double begin = now();
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    times[r] = now() - begin;
  }
  qsort(times, kRepeats, sizeof *times, by_value);
  return times[kRepeats / 2];
}

int main(int argc, char** argv) {
  for (long i = 0; i < kBodies; ++i) position[i] = 1 + (double)(i % 97), mass[i] = 1 + (double)(i % 89);
  if (argc == 1) {
    attract(0, kBodies);
    return 0;
  }
  if (argc != 4) return 2;
  const double share = atof(argv[1]);
  pthread_t threads[2];
  int numbers[2] = {0, 1};
  pthread_barrier_init(&barrier, NULL, 3);
  for (int i = 0; i < 2; ++i) {
    processors[i] = atoi(argv[2 + i]);
    if (pthread_create(&threads[i], NULL, serve, &numbers[i]) != 0) return 1;
  }
  const double predicted = seconds(share), even = seconds(0.5);
  double best = even < predicted ? even : predicted, best_share = even < predicted ? 0.5 : share;
  for (int i = 1; i < kWays; ++i) {
    const double each = i / (double)kWays, s = seconds(each);
    if (s < best) best = s, best_share = each;
  }
  printf("| shares | to the free processor | time | over the best |\n|---|---:|---:|---:|\n");
  printf("| predicted | %.0f %% | %.1f ms | %.2f |\n", 100 * share, 1e3 * predicted, predicted / best);
  printf("| even | 50 %% | %.1f ms | %.2f |\n", 1e3 * even, even / best);
  printf("| best of %d | %.0f %% | %.1f ms | 1 |\n", kWays + 1, 100 * best_share, 1e3 * best);
  return 0;
}
