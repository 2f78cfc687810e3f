/* Threads with the smallest stacks allowed: the recorder's handler must fit into the space that
 * is left. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "work.h"

static void* run(void* arg) { return burn_ms(30) > 0 ? arg : NULL; }

int main(void) {
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  printf("%d\n", pthread_attr_setstacksize(&attr, (size_t)sysconf(_SC_THREAD_STACK_MIN)));
  pthread_t t[4];
  for (long i = 0; i < 4; ++i) printf("%d\n", pthread_create(&t[i], &attr, run, (void*)i));
  for (int i = 0; i < 4; ++i) pthread_join(t[i], NULL);
  puts("done");
  return 0;
}
