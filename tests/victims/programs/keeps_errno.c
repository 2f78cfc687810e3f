/* Samples must not change the program's errno. */
#include <errno.h>
#include <stdio.h>

#include "work.h"

int main(void) {
  int changed = 0;
  for (int i = 0; i < 40; ++i) {
    errno = 12345;
    double x = 1.0;
    for (long k = 0; k < 4000000; ++k) x = x * 1.0000001 + 1e-9;
    changed += errno != 12345 || x <= 0;
  }
  printf("%d\n", changed);
  return 0;
}
