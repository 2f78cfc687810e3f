#include <stdio.h>
#include <stdlib.h>

#include "work.h"

int main(void) {
  burn_ms(50);
  puts("before");
  fflush(stdout);
  abort();
}
