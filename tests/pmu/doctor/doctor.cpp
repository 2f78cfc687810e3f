// doctor CONFIGS LIBRARIES: prints what apmt doctor --json prints. The emulated machine has this
// program because it does not have the rest of apmt.
#include "machine/doctor.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: doctor CONFIGS LIBRARIES\n", stderr);
    return 2;
  }
  const char* path = std::getenv("PATH");
  apmt::Surroundings around;
  around.search_path = path == nullptr ? "" : path;
  around.configs = argv[1];
  around.libraries = argv[2];
  around.self_test = false;
  std::puts(apmt::to_json(apmt::examine(around)).dump(1).c_str());
  return 0;
}
