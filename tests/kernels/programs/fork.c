// A child runs the kernel too, but only the parent is analysed.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static double values[100];

__attribute__((noinline)) static void add(int n) {
  for (int i = 0; i < n; ++i) values[i] += 1.5;
}

int main(void) {
  add(100);
  const pid_t child = fork();
  add(50);
  if (child == 0) return values[0] == 3 ? 7 : 1;
  int status = 0;
  waitpid(child, &status, 0);
  printf("%g, child ended with %d\n", values[0] + values[99], WEXITSTATUS(status));
}
