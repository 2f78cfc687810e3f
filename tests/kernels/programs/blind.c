// Calls functions that are not instrumented: in another object, in a library, and through a
// pointer. Another kernel copies and fills memory.
#include <math.h>
#include <stdio.h>
#include <string.h>

double outside(double x);
static double (*volatile behind_pointer)(double) = outside;

__attribute__((noinline)) static double mixed(int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += outside(i) + cbrt(i);
  for (int i = 0; i < 7; ++i) sum += behind_pointer(i);
  return sum;
}

/// Copies and fills: their blocks cannot simply be counted.
__attribute__((noinline)) static void moves(int n, char* to, const char* from) {
  for (int i = 0; i < n; ++i) {
    memcpy(to, from, (size_t)(80 + 8 * i));
    memset(to + 4096, i, 40);
  }
}

static char here[8192], there[8192];

int main(void) {
  for (int call = 0; call < 30; ++call) moves(10, here, there);
  printf("%g %d\n", mixed(50), here[4100]);
}
