/* Resets every signal to its default action: signals from the recorder must be harmless then. */
#include <signal.h>
#include <stdio.h>

#include "work.h"

int main(void) {
  burn_ms(30);
  for (int s = 1; s < 65; ++s) signal(s, SIG_DFL);
  burn_ms(100);
  puts("alive");
  return 0;
}
