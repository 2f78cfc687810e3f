/* Two functions take turns of 0.1 ms; only one of them touches new pages. */
#include <stdio.h>
#include <sys/mman.h>

#include "loops.h"

enum { kPage = 4096, kPagesPerTurn = 8, kTurns = 1000 };

__attribute__((noinline)) void touches_pages(volatile char* pages) {
  for (int i = 0; i < kPagesPerTurn; ++i) pages[i * kPage] = 1;
}
__attribute__((noinline)) void touches_nothing(void) { KNOWN_LOOP(5000); }

int main(void) {
  char* pages = mmap(NULL, (size_t)kPage * kPagesPerTurn * kTurns, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return 1;
  madvise(pages, (size_t)kPage * kPagesPerTurn * kTurns, MADV_NOHUGEPAGE);
  for (int i = 0; i < kTurns; ++i) {
    touches_pages(pages + (size_t)i * kPagesPerTurn * kPage);
    touches_nothing();
  }
  puts("done");
  return 0;
}
