/* Starts threads and then becomes another user for good, as servers do. The C library uses a
 * signal to change every thread. */
#include <pthread.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

#include "work.h"

static void* run(void* arg) { return burn_ms(60) > 0 ? arg : NULL; }

int main(void) {
  pthread_t before[3];
  pthread_t after;
  for (int i = 0; i < 3; ++i) pthread_create(&before[i], NULL, run, NULL);
  const int dropped = geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0);
  pthread_create(&after, NULL, run, NULL);
  burn_ms(30);
  for (int i = 0; i < 3; ++i) pthread_join(before[i], NULL);
  pthread_join(after, NULL);
  printf("%d %d\n", dropped, geteuid() != 0);
  return 0;
}
