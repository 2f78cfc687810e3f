/* known_loop MILLIONS: executes MILLIONS million instructions in one function. */
#include <stdio.h>
#include <stdlib.h>

#include "loops.h"

__attribute__((noinline)) void known_loop(unsigned long turns) { KNOWN_LOOP(turns); }

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  known_loop(strtoul(argv[1], NULL, 10) * 1000000 / INSTRUCTIONS_PER_TURN);
  puts("done");
  return 0;
}
