// Makes a child with the clone system call, so that the C library runs no fork handlers. The
// recorder must notice by itself that it is in a child, which does not have the buffers into which
// the kernel writes samples. The child inherits blocked signals, works for longer than its
// parent did, and then unblocks the signals. It makes MPI calls that a child may make, starts a
// thread that works, and ends with its own exit code.
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static inline __attribute__((always_inline)) double burn_until(double cpu_s) {
  struct timespec t;
  volatile double x = 1;
  do {
    for (int i = 0; i < 20000; ++i) x = x * 0.999 + 1;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while ((double)t.tv_sec + 1e-9 * (double)t.tv_nsec < cpu_s);
  return x;
}

__attribute__((noinline)) double parent_work(double cpu_s) { return burn_until(cpu_s); }
__attribute__((noinline)) double child_work(double cpu_s) { return burn_until(cpu_s); }

static void* work(void* unused) {
  child_work(0.1);
  return unused;
}

static int as_child(void) {
  int initialized = 0, size = 0;
  pthread_t thread;
  sigset_t all;
  sigfillset(&all);
  child_work(0.4);
  sigprocmask(SIG_UNBLOCK, &all, NULL);
  MPI_Initialized(&initialized);
  for (int i = 0; i < 10; ++i) MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Pcontrol(0);
  if (pthread_create(&thread, NULL, work, NULL) != 0) return 9;
  pthread_join(thread, NULL);
  return initialized && size == 1 ? 5 : 6;
}

int main(int argc, char** argv) {
  const struct timespec nap = {0, 100000};
  int size, status = 0;
  MPI_Init(&argc, &argv);
  // The naps cause this thread to be sampled by records that the kernel writes.
  for (int i = 1; i <= 200; ++i) {
    parent_work(0.001 * i);
    nanosleep(&nap, NULL);
  }
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  const pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
  if (child == 0) _exit(as_child());
  sigprocmask(SIG_SETMASK, &before, NULL);
  waitpid(child, &status, 0);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("the child ended with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
  MPI_Finalize();
  return 0;
}
