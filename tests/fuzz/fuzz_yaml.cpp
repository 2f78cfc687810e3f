// Fuzzes the readers of YAML files: machine profile, device card, counter map, virtual cluster.

#include "campaign/virtual/virtual_cluster.h"
#include "devices/card.h"
#include "machine/counter_map.h"
#include "machine/machine_profile.h"
#include "tests/fuzz/answers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const apmt::fuzz::File file(data, size);
  apmt::fuzz::answers([&] { apmt::read_machine_profile(file.path()); });
  apmt::fuzz::answers([&] { apmt::devices::read_device(file.path()); });
  apmt::fuzz::answers([&] { apmt::read_counter_map(file.path()); });
  return apmt::fuzz::answers([&] { apmt::read_virtual_cluster(file.path(), {}); });
}
