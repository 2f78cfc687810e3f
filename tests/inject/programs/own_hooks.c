// own_hooks PLUGIN: unloads a library, and starts and ends a thread. In each of these, the recorder
// runs a hook. Compiled with -DSLOW, this file is a library that is preloaded after the recorder;
// it makes the calls in these hooks take 60 ms more of CPU time.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpu_work.h"

#ifdef SLOW

WORK(slow_question)

static int in_hooks(void) {
  const int* const flag = (const int*)dlsym(RTLD_DEFAULT, "only_hooks_ask");
  return flag != NULL && *flag;
}

int dl_iterate_phdr(int (*visit)(struct dl_phdr_info*, size_t, void*), void* data) {
  typedef int Iterate(int (*)(struct dl_phdr_info*, size_t, void*), void*);
  if (in_hooks()) slow_question(60);
  return ((Iterate*)dlsym(RTLD_NEXT, "dl_iterate_phdr"))(visit, data);
}

// With this call, the recorder sets a thread's timer when the thread begins, and deletes the timer
// when the thread ends.
long syscall(long number, ...) {
  typedef long Call(long, ...);
  long a[6];
  va_list arguments;
  va_start(arguments, number);
  for (int i = 0; i < 6; ++i) a[i] = va_arg(arguments, long);
  va_end(arguments);
  Call* const call = (Call*)dlsym(RTLD_NEXT, "syscall");
  const int is_slow = in_hooks();
  if (is_slow && number == SYS_timer_delete) slow_question(60);
  const long result = call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (is_slow && number == SYS_timer_settime) slow_question(60);
  return result;
}

#else

volatile int only_hooks_ask;

WORK(main_work)
WORK(thread_work)

static void* work(void* unused) {
  thread_work(60);
  return unused;
}

int main(int argc, char** argv) {
  pthread_t thread;
  MPI_Init(&argc, &argv);
  main_work(60);
  void* const plugin = dlopen(argv[1], RTLD_NOW);
  only_hooks_ask = 1;
  if (plugin == NULL || dlclose(plugin) != 0) return 1;
  if (pthread_create(&thread, NULL, work, NULL) != 0) return 1;
  pthread_join(thread, NULL);
  only_hooks_ask = 0;
  MPI_Finalize();
  puts("own_hooks is done");
  return 0;
}

#endif
