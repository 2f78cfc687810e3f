// A signal with an instrumented handler arrives while the runtime allocates a thread's counters
// with this program's own mmap(), which is instrumented too.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int handled[8], is_armed;
static double values[100];

static void handler(int signal) {
  for (int i = 0; i < 8; ++i) handled[i] += signal == SIGUSR1;
}

void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
  if (is_armed && bytes >= (size_t)64 << 20) {
    is_armed = 0;
    raise(SIGUSR1);
  }
  return (void*)syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
}

__attribute__((noinline)) static void add(int n) {
  for (int i = 0; i < n; ++i) values[i] += 1.5;
}

static void* in_thread(void* argument) {
  if (is_armed) raise(SIGUSR1);  // without the runtime, nothing maps 64 MiB, so raise it here
  add(100);
  return argument;
}

int main(void) {
  signal(SIGUSR1, handler);
  pthread_t thread;
  is_armed = 1;
  if (pthread_create(&thread, NULL, in_thread, NULL) != 0) return 1;
  pthread_join(thread, NULL);
  printf("%g, handled %d times\n", values[99], handled[7]);
}
