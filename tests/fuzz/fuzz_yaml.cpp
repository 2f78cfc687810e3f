// Fuzzes the readers of YAML files: machine profile, device card, counter map, virtual cluster, and
// the table of laws, which is read from a folder.

#include "base/temporary_folder.h"
#include "campaign/virtual/virtual_cluster.h"
#include "devices/card.h"
#include "fitter/laws/law_catalog.h"
#include "machine/counter_map.h"
#include "machine/machine_profile.h"
#include "tests/fuzz/answers.h"

namespace {

/// A folder whose laws.yaml is the file at this path.
std::filesystem::path folder_of_laws(const std::filesystem::path& file) {
  static const apmt::TemporaryFolder temporary;
  const std::filesystem::path& folder = temporary.path();
  static std::filesystem::path linked;
  if (file != linked) {
    std::filesystem::remove(folder / "laws.yaml");
    std::filesystem::create_symlink(file, folder / "laws.yaml");
    linked = file;
  }
  return folder;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const apmt::fuzz::File file(data, size);
  apmt::fuzz::answers([&] { apmt::read_machine_profile(file.path()); });
  apmt::fuzz::answers([&] { apmt::devices::read_device(file.path()); });
  apmt::fuzz::answers([&] { apmt::read_counter_map(file.path()); });
  apmt::fuzz::answers([&] { apmt::read_law_catalog(folder_of_laws(file.path())); });
  return apmt::fuzz::answers([&] { apmt::read_virtual_cluster(file.path(), {}); });
}
