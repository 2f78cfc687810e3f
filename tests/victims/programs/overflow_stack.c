/* Overflows its stack and handles the SIGSEGV on its alternate stack. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "work.h"

static sigjmp_buf back;
static void on_segv(int signal) { siglongjmp(back, signal); }

static long endless(long n) {
  volatile char room[4096];
  room[0] = (char)n;
  return endless(n + 1) + room[0];
}

int main(void) {
  stack_t alternate = {.ss_sp = malloc(65536), .ss_size = 65536};
  sigaltstack(&alternate, NULL);
  struct sigaction action = {0};
  action.sa_handler = on_segv;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGSEGV, &action, NULL);
  for (int i = 0; i < 5; ++i) {
    burn_ms(20);
    if (sigsetjmp(back, 1) == 0) return (int)endless(1);
    puts("caught");
  }
  return 0;
}
