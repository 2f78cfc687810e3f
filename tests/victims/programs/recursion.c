/* Recurses deeply, almost to the end of the stack. */
#include <stdio.h>

#include "work.h"

static long depth(long n) {
  volatile char room[200];
  room[0] = (char)n;
  return n == 0 ? room[0] : depth(n - 1) + 1;
}

int main(void) {
  long sum = 0;
  for (int i = 0; i < 200; ++i) sum += depth(20000);
  burn_ms(20);
  printf("%ld\n", sum);
  return 0;
}
