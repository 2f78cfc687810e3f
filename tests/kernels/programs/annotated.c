// Loops that the user declares parallel or sequential by their line numbers, and a kernel that
// calls __apmt_synchronise() where it synchronises.
#include <stdio.h>

static double a[20][20];

__attribute__((noinline)) static void sweep(int n) {
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < n; ++j) a[i][j] = a[i - 1][j] + 2;
}

void __apmt_synchronise(void) __attribute__((weak));

__attribute__((noinline)) static void says(int n) {
  for (int i = 0; i < n; ++i) {
    a[0][i] += 1;
    if (i % 2 == 0 && __apmt_synchronise) __apmt_synchronise();
  }
}

int main(void) {
  sweep(20);
  says(6);
  printf("%g\n", a[19][3]);
}
