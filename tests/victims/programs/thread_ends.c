/* Threads that end by pthread_exit and by cancellation, and a detached thread. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "work.h"

static void* exits(void* arg) {
  burn_ms(20);
  pthread_exit(arg);
}
static void* waits(void* arg) {
  burn_ms(20);
  for (;;) pause();
  return arg;
}

int main(void) {
  pthread_t a, b, c;
  void* ra;
  void* rb;
  pthread_create(&a, NULL, exits, (void*)5);
  pthread_create(&b, NULL, waits, NULL);
  pthread_create(&c, NULL, exits, NULL);
  pthread_detach(c);
  pthread_join(a, &ra);
  pthread_cancel(b);
  pthread_join(b, &rb);
  burn_ms(40);
  printf("%ld %d\n", (long)ra, rb == PTHREAD_CANCELED);
  return 0;
}
