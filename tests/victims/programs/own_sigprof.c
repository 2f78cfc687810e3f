/* The program profiles itself with SIGPROF. Its handler may receive only this signal, and must
 * remain installed. How many signals arrive in a given CPU time depends on the load, so their
 * number is not printed. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "work.h"

static volatile sig_atomic_t ticks = 0;
static volatile sig_atomic_t others = 0;
static void on_tick(int signal) {
  if (signal == SIGPROF)
    ++ticks;
  else
    ++others;
}

int main(void) {
  struct itimerval every = {{0, 20000}, {0, 20000}};
  struct sigaction action = {0};
  struct sigaction back;
  action.sa_handler = on_tick;
  sigaction(SIGPROF, &action, NULL);
  setitimer(ITIMER_PROF, &every, NULL);
  burn_ms(300);
  sigaction(SIGPROF, NULL, &back);
  printf("%d %d %d\n", ticks > 0, others, back.sa_handler == on_tick);
  return 0;
}
