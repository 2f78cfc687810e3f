/* Blocks every signal after it has begun to compute, then waits for its own signals with every
 * function that can. No signal of the recorder may arrive, and no signal of the program may be
 * lost. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

static sigset_t all, none, before;

static void on_signal(int number) { (void)number; }

static int count(const sigset_t* set) {
  int signals = 0;
  for (int n = 1; n < 65; ++n) signals += sigismember(set, n) == 1;
  return signals;
}

static void wait_in_every_way(const char* how) {
  const struct timespec at_once = {0, 0};
  sigset_t pending;
  siginfo_t info;
  printf("%s\n", how);
  burn_ms(30);
  sigpending(&pending);
  printf("  %d are pending\n", count(&pending));
  printf("  at once: %d\n", sigtimedwait(&all, &info, &at_once));
  for (int i = 0; i < 3; ++i) { /* the program's SIGURG must not be merged with the recorder's */
    burn_ms(15);
    pthread_kill(pthread_self(), i == 0 ? SIGURG : SIGUSR1);
    memset(&info, 0, sizeof info);
    const int number = sigwaitinfo(&all, &info);
    printf("  %s, its own %d\n",
           number == SIGURG    ? "urg"
           : number == SIGUSR1 ? "usr1"
                               : "another",
           info.si_code == SI_USER && info.si_pid == getpid());
  }
  const int fd = signalfd(-1, &all, SFD_NONBLOCK | SFD_CLOEXEC);
  struct pollfd poll_fd = {fd, POLLIN, 0};
  burn_ms(30);
  printf("  a file has %d\n", poll(&poll_fd, 1, 0));
  struct signalfd_siginfo read_info;
  kill(getpid(), SIGUSR2);
  const ssize_t bytes = read(fd, &read_info, sizeof read_info);
  printf("  %d\n", bytes == (ssize_t)sizeof read_info && read_info.ssi_signo == SIGUSR2);
  close(fd);
  burn_ms(30);
  kill(getpid(), SIGUSR1);
  const int suspended = sigsuspend(&none);
  printf("  suspended %d %d\n", suspended, errno == EINTR);
  sigpending(&pending);
  printf("  %d are pending\n", count(&pending));
}

static void* run(void* arg) {
  burn_ms(30);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  wait_in_every_way("pthread_sigmask");
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  burn_ms(30);
  sigprocmask(SIG_SETMASK, &all, NULL);
  wait_in_every_way("sigprocmask");
  if (vfork() == 0) { /* the child shares our memory, and unblocks the signals that we block */
    sigprocmask(SIG_SETMASK, &none, NULL);
    sigprocmask(SIG_BLOCK, &all, NULL);
    _exit(0);
  }
  wait_in_every_way("after vfork");
  while (wait(NULL) > 0) {
  }
  sigprocmask(SIG_UNBLOCK, &all, NULL);
  burn_ms(30);
  return arg;
}

int main(void) {
  sigfillset(&all);
  sigdelset(&all, SIGCHLD);
  sigemptyset(&none);
  signal(SIGUSR1, on_signal);
  run(NULL);
  sigprocmask(SIG_BLOCK, &all, NULL); /* a thread's signals are separate from the first thread's */
  sigprocmask(SIG_UNBLOCK, &all, NULL);
  for (int i = 0; i < 2000; ++i) { /* signals blocked for a moment do not disturb the samples */
    sigprocmask(SIG_BLOCK, &all, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
  }
  burn_ms(30);
  puts("done");
  return 0;
}
