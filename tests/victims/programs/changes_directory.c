#include <stdio.h>
#include <unistd.h>

#include "work.h"

int main(void) {
  if (chdir("/") != 0) return 1;
  burn_ms(50);
  char here[256];
  puts(getcwd(here, sizeof here));
  return 0;
}
