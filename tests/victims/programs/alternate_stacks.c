/* Small alternate signal stacks. A handler that was installed without SA_ONSTACK must run on the
 * interrupted stack, where there is room; a handler with SA_ONSTACK must run on the alternate
 * stack. Afterwards the floating-point state and the signal mask must be as before. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "work.h"

enum { kStackBytes = 8192, kPage = 4096 };

static __thread char* alternate;
static volatile sig_atomic_t seen, on_alternate, nested;

static int is_on_alternate(const void* local) {
  return (const char*)local >= alternate && (const char*)local < alternate + kStackBytes;
}
static void in_between(int number) {
  char local = (char)number;
  nested += is_on_alternate(&local);
}
static void handle(int number, siginfo_t* info, void* context) {
  volatile char room[128 << 10];
  if (is_on_alternate((const void*)room)) {
    on_alternate = 1;
    return;
  }
  for (size_t i = 0; i < sizeof room; ++i) room[i] = (char)i;
  raise(SIGUSR1); /* runs on the alternate stack, from its top */
  seen += info->si_signo == number && info->si_pid == getpid() && context != NULL;
}
static void handle_plain(int number) {
  char local = (char)number;
  seen += number == SIGURG;
  on_alternate = is_on_alternate(&local);
}

static void* run(void* arg) {
  char* const pages = mmap(NULL, kPage + kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(pages, kPage, PROT_NONE);
  alternate = pages + kPage;
  const stack_t stack = {.ss_sp = alternate, .ss_size = kStackBytes};
  sigaltstack(&stack, NULL);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGURG, &action, NULL);
  double kept = 1.5;
  __asm__ volatile("" : "+x"(kept));
  for (int i = 0; i < 20; ++i) {
    burn_ms(5);
    raise(SIGURG);
  }
  sigset_t mask;
  sigprocmask(SIG_BLOCK, NULL, &mask);
  printf("seen %d, on the alternate stack %d, others there %d, kept %g, blocked %d\n", seen, on_alternate, nested, kept,
         sigismember(&mask, SIGURG));
  action.sa_handler = handle_plain;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGURG, &action, NULL);
  raise(SIGURG);
  printf("seen %d, on the alternate stack %d\n", seen, on_alternate);
  burn_ms(100);
  return arg;
}

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = in_between;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, NULL);
  run(NULL);
  seen = on_alternate = nested = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
  return 0;
}
