/* Three quarters of the work in one function, one quarter in another, in turns of 0.3 and 0.1 ms that are
 * no fraction of the sampling period. */
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
