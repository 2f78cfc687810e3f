// A static constructor starts threads before main.
#include <cstdio>
#include <thread>
#include <vector>

#include "work.h"

struct Early {
  Early() {
    for (int i = 0; i < 3; ++i) threads.emplace_back([] { burn_ms(40); });
  }
  std::vector<std::thread> threads;
};
static Early early;

int main() {
  burn_ms(40);
  for (std::thread& t : early.threads) t.join();
  std::puts("joined");
}
