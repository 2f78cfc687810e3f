// crash_handler FOLDER: after MPI_Init the program handles every signal, the first plugin in FOLDER
// works, and recording is paused. During the pause a thread starts, and the first plugin is
// unloaded. Then recording goes on; main, the thread and the second plugin work. The loader usually
// puts the second plugin at the address of the first; the program prints whether it did.
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void on_crash(int number) {
  static const char text[] = "FATAL: caught a signal\n";
  if (number == SIGCHLD) return;
  if (write(2, text, sizeof text - 1)) _exit(50);
  _exit(50);
}

static double cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define WORK(name)                                         \
  __attribute__((noinline)) static void name(double s) {   \
    const double until_s = cpu_s() + s;                    \
    volatile double x = 1;                                 \
    while (cpu_s() < until_s)                              \
      for (int i = 0; i < 20000; ++i) x = x * 0.999 + 1;   \
  }
WORK(main_work)
WORK(pool_work)

static sem_t ready;

static void* pool(void* unused) {
  while (sem_wait(&ready) != 0) {
  }
  pool_work(0.4);
  return unused;
}

static void* plugin(const char* folder, const char* name, void** handle) {
  char path[4096];
  snprintf(path, sizeof path, "%s/libplugin_%s.so", folder, name);
  *handle = dlopen(path, RTLD_NOW);
  if (*handle == NULL) return NULL;
  snprintf(path, sizeof path, "%s_work", name);
  void* const work = dlsym(*handle, path);
  if (work != NULL) ((double (*)(double))work)(0.4);
  return work;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  MPI_Init(&argc, &argv);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_crash;
  for (int number = 1; number < NSIG; ++number) sigaction(number, &action, NULL);

  void* handle;
  const void* const first = plugin(argv[1], "first", &handle);
  MPI_Pcontrol(0);
  pthread_t thread;
  sem_init(&ready, 0, 0);
  pthread_create(&thread, NULL, pool, NULL);
  main_work(0.2);
  dlclose(handle);
  MPI_Pcontrol(1);
  sem_post(&ready);
  const void* const second = plugin(argv[1], "second", &handle);
  main_work(0.4);
  pthread_join(thread, NULL);
  puts(first != NULL && first == second ? "same address" : "other address");
  MPI_Finalize();
  return 0;
}
