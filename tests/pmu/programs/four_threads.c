/* Four threads execute 50 million instructions each, while the main thread waits. Then 200
 * threads live for a moment each; no descriptors may be left over from them. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "loops.h"

__attribute__((noinline)) void threaded_loop(unsigned long turns) { KNOWN_LOOP(turns); }

static void* work(void* turns) {
  threaded_loop((unsigned long)turns);
  return NULL;
}

static int open_descriptors(void) {
  int open_ones = 0;
  for (int fd = 0; fd < 1024; ++fd) open_ones += fcntl(fd, F_GETFD) >= 0;
  return open_ones;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    if (pthread_create(&threads[i], NULL, work, (void*)5000000UL) != 0) return 1;
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  const int before = open_descriptors();
  for (int i = 0; i < 200; ++i) {
    pthread_t one;
    if (pthread_create(&one, NULL, work, (void*)10UL) != 0) return 1;
    pthread_join(one, NULL);
  }
  printf("descriptors left over: %d\n", open_descriptors() - before);
  return 0;
}
