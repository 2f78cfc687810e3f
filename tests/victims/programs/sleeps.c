/* Sleeps, polls and reads between bursts of work, and counts how many of these calls are
 * interrupted. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

int main(void) {
  int interrupted = 0;
  int fds[2];
  if (pipe(fds) != 0) return 1;
  struct pollfd fd = {fds[0], POLLIN, 0};
  for (int i = 0; i < 60; ++i) {
    burn_ms(3);
    struct timespec nap = {0, 500000};
    if (nanosleep(&nap, NULL) != 0 && errno == EINTR) ++interrupted;
    if (poll(&fd, 1, 1) < 0 && errno == EINTR) ++interrupted;
    char c;
    if (write(fds[1], "x", 1) != 1 || read(fds[0], &c, 1) != 1) ++interrupted;
  }
  printf("interrupted %d\n", interrupted);
  return 0;
}
