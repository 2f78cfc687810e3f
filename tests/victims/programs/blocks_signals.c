/* Blocks all signals, then waits for each of them. None from the recorder may arrive. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "work.h"

static void* waiter(void* arg) {
  sigset_t all;
  sigfillset(&all);
  int signal = 0;
  burn_ms(20);
  do {
    sigwait(&all, &signal);
    printf("%d\n", signal == SIGUSR1);
  } while (signal != SIGUSR1);
  return arg;
}

int main(void) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  pthread_t t;
  pthread_create(&t, NULL, waiter, NULL);
  burn_ms(60);
  kill(getpid(), SIGUSR1);
  pthread_join(t, NULL);
  return 0;
}
