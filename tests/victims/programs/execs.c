/* The process executes another program while it is sampled. */
#include <stdio.h>
#include <unistd.h>

#include "work.h"

int main(void) {
  burn_ms(60);
  fflush(stdout);
  execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo $i; exit 9", (char*)NULL);
  return 1;
}
