/* The program and its children see an unchanged environment, apart from what the loader needs. */
#include <stdio.h>
#include <string.h>

#include "work.h"

extern char** environ;

int main(void) {
  burn_ms(20);
  int foreign = 0;
  for (char** e = environ; *e != NULL; ++e)
    foreign += strncmp(*e, "LD_PRELOAD=", 11) != 0 && strncmp(*e, "APMT_", 5) != 0;
  printf("%d\n", foreign);
  return 0;
}
