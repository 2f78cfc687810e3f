/* Three computations whose instruction counts are not known beforehand: a matrix product, a
 * heapsort, and the hash of a text. */
#include <stdio.h>
#include <stdlib.h>

enum { kSize = 48, kNumbers = 4000, kText = 150000 };

static double a[kSize][kSize], b[kSize][kSize], c[kSize][kSize];
static unsigned numbers[kNumbers];
static char text[kText];

__attribute__((noinline)) void multiply(void) {
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) {
      double sum = 0;
      for (int k = 0; k < kSize; ++k) sum += a[i][k] * b[k][j];
      c[i][j] += sum;
    }
}

__attribute__((noinline)) void sift(unsigned* heap, int root, int end) {
  for (int child; (child = 2 * root + 1) < end; root = child) {
    if (child + 1 < end && heap[child] < heap[child + 1]) ++child;
    if (heap[root] >= heap[child]) return;
    const unsigned kept = heap[root];
    heap[root] = heap[child];
    heap[child] = kept;
  }
}

__attribute__((noinline)) void sort_numbers(void) {
  for (int i = kNumbers / 2; i-- > 0;) sift(numbers, i, kNumbers);
  for (int end = kNumbers; end-- > 1;) {
    const unsigned largest = numbers[0];
    numbers[0] = numbers[end];
    numbers[end] = largest;
    sift(numbers, 0, end);
  }
}

__attribute__((noinline)) unsigned hash_text(void) {
  unsigned hash = 2166136261u;
  for (int i = 0; i < kText; ++i) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
  return hash;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  unsigned seed = 1;
  for (int i = 0; i < kText; ++i) text[i] = (char)(seed = seed * 1664525u + 1013904223u);
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) a[i][j] = b[j][i] = i + j;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < kNumbers; ++i) numbers[i] = seed = seed * 1664525u + 1013904223u;
    multiply();
    sort_numbers();
    seed ^= hash_text();
  }
  printf("%g %u %u\n", c[1][2], numbers[kNumbers - 1], seed);
  return 0;
}
