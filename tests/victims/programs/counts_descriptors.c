/* The program must not see descriptors that it did not open. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "work.h"

int main(void) {
  burn_ms(30);
  int open_descriptors = 0;
  for (int fd = 3; fd < 256; ++fd) open_descriptors += fcntl(fd, F_GETFD) >= 0;
  printf("%d\n", open_descriptors);
  return 0;
}
