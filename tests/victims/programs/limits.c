/* Sets tight limits on file size, descriptors, pending signals and memory. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "work.h"

int main(void) {
  const struct rlimit none = {0, 0};
  const struct rlimit few = {4, 4};
  const struct rlimit half_gib = {512 << 20, 512 << 20};
  setrlimit(RLIMIT_FSIZE, &none);
  setrlimit(RLIMIT_SIGPENDING, &none);
  setrlimit(RLIMIT_NOFILE, &few);
  setrlimit(RLIMIT_AS, &half_gib);
  burn_ms(80);
  FILE* a = fopen("/dev/null", "r");
  FILE* b = fopen("/dev/null", "r");
  printf("%d %d %s\n", a != NULL, b != NULL, b == NULL ? strerror(errno) : "");
  printf("%d\n", malloc(600 << 20) == NULL);
  return 0;
}
