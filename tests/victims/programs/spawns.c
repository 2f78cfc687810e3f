/* Starts children with system, popen, posix_spawn and vfork. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

extern char** environ;

int main(void) {
  burn_ms(30);
  printf("%d\n", WEXITSTATUS(system("exit 3")));
  char line[64];
  FILE* pipe = popen("echo from the child", "r");
  printf("%s", fgets(line, sizeof line, pipe));
  printf("%d\n", pclose(pipe));
  pid_t child;
  char* argv[] = {"sh", "-c", "exit 4", NULL};
  posix_spawn(&child, "/bin/sh", NULL, NULL, argv, environ);
  int status;
  waitpid(child, &status, 0);
  printf("%d\n", WEXITSTATUS(status));
  burn_ms(30);
  child = vfork();
  if (child == 0) _exit(5);
  waitpid(child, &status, 0);
  printf("%d\n", WEXITSTATUS(status));
  return 0;
}
