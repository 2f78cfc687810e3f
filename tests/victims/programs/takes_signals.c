/* Handles every signal, and installs handlers with every function that can do so. Handlers may
 * be called only for signals that the program sends itself. If the program asks for the settings
 * of a signal, it must get what it has set. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

extern sighandler_t bsd_signal(int, sighandler_t);
extern sighandler_t __sysv_signal(int, sighandler_t);

static volatile sig_atomic_t seen[65];
static volatile sig_atomic_t masked;

static void count(int number) {
  sigset_t mask;
  ++seen[number];
  sigprocmask(SIG_BLOCK, NULL, &mask);
  masked = sigismember(&mask, number) * 10 + sigismember(&mask, SIGUSR1);
  errno = ENOTTY;
}
static void count_details(int number, siginfo_t* info, void* context) {
  if (context != NULL && info->si_signo == number && info->si_pid == getpid()) count(number);
}

static const char* name_of(sighandler_t handler) {
  return handler == SIG_DFL ? "default" : handler == SIG_IGN ? "ignored" : handler == SIG_ERR ? "error" :
         handler == SIG_HOLD ? "held" : handler == count ? "count" : "another";
}
static void ask(int number) {
  struct sigaction now;
  sigaction(number, NULL, &now);
  printf("  %s, flags %x, masks USR1 %d\n", name_of(now.sa_handler), (unsigned)now.sa_flags,
         sigismember(&now.sa_mask, SIGUSR1));
}
static void work_and_send(int number) {
  memset((void*)seen, 0, sizeof seen);
  burn_ms(30);
  errno = 0;
  raise(number);
  int all = 0;
  for (int n = 1; n < 65; ++n) all += seen[n];
  printf("  received %d of %d, in the handler masked %d, errno %d\n", seen[number], all, masked, errno);
}

static void try_out(int number) {
  struct sigaction action = {0};
  printf("signal %d\n", number);
  ask(number);
  puts(name_of(signal(number, count)));
  ask(number);
  work_and_send(number);
  puts(name_of(__sysv_signal(number, count)));
  ask(number);
  work_and_send(number);
  ask(number);
  puts(name_of(bsd_signal(number, count)));
  siginterrupt(number, 1);
  ask(number);
  puts(name_of(sigset(number, count)));
  work_and_send(number);
  ask(number);
  puts(name_of(sigset(number, SIG_HOLD)));
  puts(name_of(sigset(number, SIG_IGN)));
  printf("%d\n", sigignore(number));
  ask(number);
  work_and_send(number);
  action.sa_sigaction = count_details;
  action.sa_flags = SA_SIGINFO | SA_RESETHAND;
  sigaddset(&action.sa_mask, SIGUSR1);
  printf("%d\n", sigaction(number, &action, &action));
  puts(name_of(action.sa_handler));
  ask(number);
  work_and_send(number);
  ask(number);
  puts(name_of(signal(number, SIG_ERR)));
}

int main(void) {
  burn_ms(30);
  try_out(SIGURG);
  try_out(SIGRTMAX - 1);
  for (int n = 1; n < 65; ++n) signal(n, count);
  work_and_send(SIGURG);
  fflush(stdout);
  if (fork() == 0) {
    ask(SIGURG);
    work_and_send(SIGURG);
    printf("%s\n", name_of(signal(SIGURG, SIG_DFL)));
    ask(SIGURG);
    fflush(stdout);
    _exit(0);
  }
  wait(NULL);
  ask(SIGURG);
  work_and_send(SIGRTMAX - 1);
  return 0;
}
