#include <stdio.h>
#include <unistd.h>

#include "work.h"

int main(void) {
  burn_ms(50);
  write(1, "bye\n", 4);
  _exit(11);
}
