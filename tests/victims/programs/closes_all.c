/* Closes every descriptor that it did not open, as daemons do, and then opens files. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

int main(void) {
  burn_ms(30);
  for (int fd = 3; fd < 1024; ++fd) close(fd);
  FILE* file = tmpfile();
  fputs("content", file);
  burn_ms(60);
  rewind(file);
  char text[16] = "";
  printf("%s %d\n", fgets(text, sizeof text, file), fileno(file));
  fclose(file);
  return 0;
}
