/* between_ticks SECONDS: spends SECONDS of CPU time in each of three functions. `hidden` works
 * only between two ticks of the kernel and sleeps when a tick comes, `open_to_all` works through
 * ticks, `inside` spends its time in system calls. Prints the real CPU time of each function and
 * of the process, in seconds. The program notices a tick when the coarse clock moves; this clock
 * may lag behind, so on a busy machine `hidden` does not avoid every tick. Exits with 3 if the
 * environment is read during the work: a signal handler must not read it, because the program may
 * be changing it. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int is_working = 0;

/* Replaces the C library's getenv, for libraries as well. */
char* getenv(const char* name) {
  const size_t length = strlen(name);
  if (is_working) _exit(3);
  for (char** variable = environ; variable != NULL && *variable != NULL; ++variable)
    if (strncmp(*variable, name, length) == 0 && (*variable)[length] == '=')
      return *variable + length + 1;
  return NULL;
}

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void nap(double duration_s) {
  const struct timespec t = {0, (long)(1e9 * duration_s)};
  nanosleep(&t, NULL);
}

/* Reading this clock is no system call; otherwise `hidden` would spend time in the kernel. */
__attribute__((noinline)) static void hidden(double until_s) {
  volatile double x = 1;
  while (seconds(CLOCK_MONOTONIC) < until_s)
    for (int i = 0; i < 200; ++i) x = x * 1.0000001 + 1e-9;
}

__attribute__((noinline)) static void open_to_all(double until_s) {
  volatile double x = 1;
  while (seconds(CLOCK_THREAD_CPUTIME_ID) < until_s)
    for (int i = 0; i < 20000; ++i) x = x * 1.0000001 + 1e-9;
}

__attribute__((noinline)) static void inside(int file, char* buffer, long bytes, double until_s) {
  while (seconds(CLOCK_THREAD_CPUTIME_ID) < until_s)
    for (int i = 0; i < 10; ++i) {
      long result = SYS_read;
#if defined(__x86_64__)
      __asm__ volatile("syscall"
                       : "+a"(result)
                       : "D"((long)file), "S"(buffer), "d"(bytes)
                       : "rcx", "r11", "memory");
#elif defined(__aarch64__)
      register long x8 __asm__("x8") = result;
      register long x0 __asm__("x0") = file;
      register char* x1 __asm__("x1") = buffer;
      register long x2 __asm__("x2") = bytes;
      __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
      result = x0;
#else
      result = read(file, buffer, (size_t)bytes);
#endif
      if (result != bytes) abort();
    }
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const double each_s = atof(argv[1]);
  struct timespec resolution;
  clock_getres(CLOCK_MONOTONIC_COARSE, &resolution);
  const double tick_s = (double)resolution.tv_sec + 1e-9 * (double)resolution.tv_nsec;
  is_working = 1;
  for (int i = 0; i < 20; ++i) { /* long enough for the recorder to see that it shares its core */
    open_to_all(seconds(CLOCK_THREAD_CPUTIME_ID) + 2 * tick_s);
    nap(tick_s / 4);
  }
  const double warm_s = seconds(CLOCK_THREAD_CPUTIME_ID);
  double got_s = 0;
  while (got_s < each_s) {
    const double before = seconds(CLOCK_MONOTONIC_COARSE);
    while (seconds(CLOCK_MONOTONIC_COARSE) <= before) nap(tick_s / 20);
    const double begin_s = seconds(CLOCK_THREAD_CPUTIME_ID);
    hidden(seconds(CLOCK_MONOTONIC) + 0.7 * tick_s);
    got_s += seconds(CLOCK_THREAD_CPUTIME_ID) - begin_s;
  }
  double begin_s = seconds(CLOCK_THREAD_CPUTIME_ID);
  open_to_all(begin_s + each_s);
  const double open_s = seconds(CLOCK_THREAD_CPUTIME_ID) - begin_s + warm_s;
  enum { kBytes = 1 << 20 };
  char* buffer = malloc(kBytes);
  const int file = open("/dev/zero", O_RDONLY);
  if (buffer == NULL || file < 0) return 1;
  begin_s = seconds(CLOCK_THREAD_CPUTIME_ID);
  inside(file, buffer, kBytes, begin_s + each_s);
  is_working = 0;
  const double inside_s = seconds(CLOCK_THREAD_CPUTIME_ID) - begin_s;
  printf("hidden %.4f\nopen_to_all %.4f\ninside %.4f\n", got_s, open_s, inside_s);
  printf("all %.4f\n", seconds(CLOCK_PROCESS_CPUTIME_ID));
  return 0;
}
