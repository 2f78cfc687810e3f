/* Children that compute, and exit both ways. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

int main(void) {
  int codes = 0;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      burn_ms(30);
      if (i % 2 == 0) exit(i + 1);
      _exit(i + 1);
    }
    int status;
    waitpid(child, &status, 0);
    codes = codes * 10 + WEXITSTATUS(status);
  }
  burn_ms(40);
  printf("%d\n", codes);
  return 0;
}
