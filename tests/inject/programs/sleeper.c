// sleeper WAY: works for 10 ms of CPU time and sleeps for 5 ms, forty times. WAY is nanosleep,
// poll, select or sem_timedwait. Prints the CPU seconds that its thread has used.
#include <poll.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <time.h>

static double cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double work(double seconds) {
  const double until_s = cpu_s() + seconds;
  double x = 1;
  do
    for (int i = 0; i < 20000; ++i) x = x * 1.0000001 + 1e-9;
  while (cpu_s() < until_s);
  return x;
}

static void sleep_5_ms(const char* way) {
  const struct timespec nap = {0, 5000000};
  if (strcmp(way, "nanosleep") == 0) {
    nanosleep(&nap, NULL);
  } else if (strcmp(way, "poll") == 0) {
    poll(NULL, 0, 5);
  } else if (strcmp(way, "select") == 0) {
    struct timeval t = {0, 5000};
    select(0, NULL, NULL, NULL, &t);
  } else {
    sem_t never;
    sem_init(&never, 0, 0);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += nap.tv_nsec;
    if (until.tv_nsec >= 1000000000) {
      until.tv_nsec -= 1000000000;
      ++until.tv_sec;
    }
    sem_timedwait(&never, &until);
  }
}

int main(int argc, char** argv) {
  double x = 0;
  for (int round = 0; round < 40; ++round) {
    x += work(0.01);
    sleep_5_ms(argc > 1 ? argv[1] : "nanosleep");
  }
  printf("%.6f\n", x > 0 ? cpu_s() : 0);
  return 0;
}
