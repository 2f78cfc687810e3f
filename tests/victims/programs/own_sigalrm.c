/* The program's own SIGALRM must reach its handler and interrupt pause(). */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include "work.h"

static volatile sig_atomic_t alarms = 0;
static void on_alarm(int signal) { alarms += signal == SIGALRM; }

int main(void) {
  struct sigaction action = {0};
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, NULL);
  struct itimerval once = {{0, 0}, {0, 60000}};
  setitimer(ITIMER_REAL, &once, NULL);
  burn_ms(30);
  while (alarms == 0) pause();
  printf("%d\n", alarms);
  return 0;
}
