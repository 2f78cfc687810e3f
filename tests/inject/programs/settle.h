/* settle() returns when the recorder's timer has expired for all CPU time that the calling thread
 * has used. The kernel serves timers only at its ticks, up to a tenth of a second late on a busy
 * machine. settle() sets a timer of its own on the same clock and waits for it: the kernel serves
 * all timers of a clock at the same tick. */
#pragma once

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static __thread volatile sig_atomic_t settled;

static void note_settled(int signal) {
  (void)signal;
  settled = 1;
}

static inline void settle(void) {
  struct sigaction action;
  struct sigevent event;
  struct itimerspec soon;
  timer_t timer;
  memset(&action, 0, sizeof action);
  memset(&event, 0, sizeof event);
  memset(&soon, 0, sizeof soon);
  action.sa_handler = note_settled;
  sigaction(SIGUSR1, &action, NULL);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGUSR1;
  event.sigev_notify_thread_id = (int)syscall(SYS_gettid);
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0) return;
  soon.it_value.tv_nsec = 1;
  settled = 0;
  if (timer_settime(timer, 0, &soon, NULL) == 0)
    while (!settled) {
    }
  timer_delete(timer);
}
