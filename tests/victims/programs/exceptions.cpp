// Exceptions pass through many frames while samples arrive. The program does not catch the last
// one.
#include <cstdio>
#include <stdexcept>
#include <string>

#include "work.h"

static int thrower(int n) {
  if (n == 0) throw std::runtime_error("deep");
  return thrower(n - 1) + 1;
}

int main() {
  int caught = 0;
  for (int i = 0; i < 2000; ++i) {
    try {
      thrower(i % 50);
    } catch (const std::runtime_error& error) {
      caught += std::string(error.what()) == "deep";
    }
  }
  burn_ms(50);
  std::printf("%d\n", caught);
  std::fflush(stdout);
  throw 1;
}
