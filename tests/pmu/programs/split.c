/* One function has three quarters of the work, another a quarter. They take turns of a little over
 * 0.3 and 0.1 ms, so that no whole number of turns makes a sampling period (2 ms). */
#include <stdio.h>

#include "loops.h"

__attribute__((noinline)) void three_parts(void) { KNOWN_LOOP(15039); }
__attribute__((noinline)) void one_part(void) { KNOWN_LOOP(5013); }

int main(void) {
  for (int i = 0; i < 2000; ++i) {
    three_parts();
    one_part();
  }
  puts("done");
  return 0;
}
