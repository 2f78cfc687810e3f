#include <pthread.h>
#include <stdio.h>

#include "work.h"

static void* run(void* arg) { return burn_ms(40) > 0 ? arg : NULL; }

int main(void) {
  pthread_t t[8];
  long sum = 0;
  for (long i = 0; i < 8; ++i) pthread_create(&t[i], NULL, run, (void*)(i + 1));
  for (int i = 0; i < 8; ++i) {
    void* result;
    pthread_join(t[i], &result);
    sum += (long)result;
  }
  printf("%ld\n", sum);
  return 0;
}
