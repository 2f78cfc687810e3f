// Calls functions that are not instrumented: in another object, in a library, and through a
// pointer.
#include <math.h>
#include <stdio.h>

double outside(double x);
static double (*volatile behind_pointer)(double) = outside;

__attribute__((noinline)) static double mixed(int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += outside(i) + cbrt(i);
  for (int i = 0; i < 7; ++i) sum += behind_pointer(i);
  return sum;
}

int main(void) { printf("%g\n", mixed(50)); }
