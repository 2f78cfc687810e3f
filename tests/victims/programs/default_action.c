/* Installs a handler of SIGURG before anything else runs, so the recorder has to sample with
 * another signal. The default action of that signal ends a process. A child sends this signal to
 * itself: it must end, unless it ignores the signal; then nothing may happen. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

static void handle(int number) { (void)number; }
static void first(void) { signal(SIGURG, handle); }
__attribute__((section(".preinit_array"), used)) static void (*const before_all)(void) = first;

static void end_child(int number) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    burn_ms(10);
    kill(getpid(), number);
    _exit(7);
  }
  waitpid(child, &status, 0);
  printf("%d: ended by it %d, code %d\n", number - SIGRTMAX, WIFSIGNALED(status) && WTERMSIG(status) == number,
         WIFEXITED(status) ? WEXITSTATUS(status) : 0);
}

int main(void) {
  burn_ms(50);
  raise(SIGURG);
  for (int number = SIGRTMAX - 3; number <= SIGRTMAX; ++number) {
    signal(number, SIG_IGN);
    raise(number);
    end_child(number);
    signal(number, SIG_DFL);
    end_child(number);
  }
  fflush(stdout);
  burn_ms(20);
  raise(SIGRTMAX - 1);
  puts("still there");
  return 0;
}
