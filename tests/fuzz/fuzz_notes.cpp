// Fuzzes the small files that campaigns and refinements keep in an experiment: the note of a launch
// (launch.json), the note of a refinement (refine.json) and the expression of the work (work). A
// note that can be read is written and read again; an expression is evaluated.

#include <fstream>
#include <optional>

#include "base/temporary_folder.h"
#include "campaign/store/launch_note.h"
#include "fitter/runs/work.h"
#include "refine/loop_note.h"
#include "tests/fuzz/answers.h"

namespace {

using namespace apmt;

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TemporaryFolder folder("/dev/shm");  // writing to a disk would take most of the time
  const std::string text = fuzz::text_of(data, size);
  std::optional<LaunchNote> launch;
  write(folder.path() / LaunchNote::kFile, text);
  fuzz::answers([&] { launch = read_launch_note(folder.path()); });
  if (launch) {
    write_launch_note(*launch, folder.path());
    read_launch_note(folder.path());
  }
  std::optional<LoopNote> loop;
  write(folder.path() / LoopNote::kFile, text);
  fuzz::answers([&] { loop = read_note(folder.path()); });
  if (loop) {
    write_note(folder.path(), *loop);
    if (!read_note(folder.path())) std::abort();
  }
  return fuzz::answers([&] {
    const WorkExpression work(text);
    work.postfix();
    std::map<std::string, double> sizes;
    for (const std::string& name : work.names()) sizes[name] = 2;
    work.value(sizes);
  });
}
