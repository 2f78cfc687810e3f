#include <stdio.h>

#include "work.h"

int main(void) {
  burn_ms(50);
  puts("before");
  fflush(stdout);
  return *(volatile int*)8;
}
