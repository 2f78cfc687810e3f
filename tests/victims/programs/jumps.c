/* Leaves its own signal handler by longjmp, many times. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "work.h"

static sigjmp_buf back;
static void on_tick(int signal) { siglongjmp(back, signal); }

int main(void) {
  struct sigaction action = {0};
  action.sa_handler = on_tick;
  sigaction(SIGVTALRM, &action, NULL);
  volatile int jumps = 0;
  while (jumps < 10) {
    if (sigsetjmp(back, 1) != 0) {
      ++jumps;
      continue;
    }
    struct itimerval once = {{0, 0}, {0, 8000}};
    setitimer(ITIMER_VIRTUAL, &once, NULL);
    for (;;) burn_ms(1);
  }
  printf("%d\n", jumps);
  return 0;
}
