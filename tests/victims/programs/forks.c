/* Makes children that compute and end in both ways (exit and _exit). The last child is made by
 * the clone system call, so that the C library does not know of it; it unloads a library. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
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
  const pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
  if (child == 0) {
    void *library = dlopen("libm.so.6", RTLD_NOW);
    _exit(library != NULL && dlclose(library) == 0 ? 5 : 6);
  }
  int status;
  waitpid(child, &status, 0);
  codes = codes * 10 + (WIFEXITED(status) ? WEXITSTATUS(status) : 9);
  printf("%d\n", codes);
  return 0;
}
