#include <stdio.h>

#include "work.h"

int main(void) {
  printf("%d\n", burn_ms(150) > 0);
  return 7;
}
