#include "devices/calibrate/idiom_launches.h"

#include <algorithm>
#include <bit>

namespace apmt::devices {
namespace {

constexpr std::uint64_t kMostRows = 32768;  // rows of work-items; a CUDA grid has at most 65,535

std::uint64_t parts(std::uint64_t whole, std::uint64_t part) { return (whole + part - 1) / part; }

/// The number of work-items in a group that adds up a sum. On a CPU, a work-item reads with
/// vectors, and each group is a task of one thread, so one item is enough. On a GPU, neighbouring
/// items read neighbouring elements.
std::uint64_t sum_items(const AcceleratorFacts& facts) {
  return facts.kind == "cpu" ? 1 : std::min<std::uint64_t>(128, facts.most_items);
}

}  // namespace

IdiomLaunches::IdiomLaunches(Accelerator& device, DeviceMemory& memory, bool is_double)
    : device_(device),
      memory_(memory),
      is_double_(is_double),
      program_(device.compile({is_double, device.facts().read_lanes})),
      sum_items_(sum_items(device.facts())),
      sums_(device, 8 * (1 + parts(memory.bytes() / element_bytes(), kChunkElements))) {}

Launch IdiomLaunches::each_element(const char* kernel, std::uint64_t items) const {
  // On a CPU, a thread runs the items of a group in a loop, so groups are large there: a short loop
  // would be slow.
  const std::uint64_t most = device_.facts().kind == "cpu" ? 1024 : 256;
  const std::uint64_t group = std::min({most, device_.facts().most_items, std::bit_ceil(items)});
  return {.kernel = kernel,
          .items = parts(items, group) * group,
          .group_items = group,
          .buffers = {memory_.buffer()}};
}

Launch IdiomLaunches::read(std::uint64_t elements, std::uint64_t passes) const {
  return {.kernel = "reduction",
          .items = parts(elements, kChunkElements) * sum_items_,
          .group_items = sum_items_,
          .buffers = {memory_.buffer(), sums_.buffer()},
          .numbers = {elements, passes}};
}

void IdiomLaunches::prepare(const IdiomPass& pass) {
  const std::string& idiom = pass.idiom;
  const std::uint64_t n = pass.n;
  const std::uint64_t elements = static_cast<std::uint64_t>(pass.footprint_bytes) / element_bytes();
  Launch clear = each_element("clear", elements);
  clear.numbers = {elements};
  device_.launch(program_, clear, 1);
  if (idiom == "gather" || idiom == "scatter") {
    Launch fill = each_element("fill_index", n);
    fill.numbers = {pass.c, n, static_cast<std::uint64_t>(std::bit_width(n - 1))};
    device_.launch(program_, fill, 1);
    launch_ = each_element(idiom.c_str(), n);
    launch_.numbers = {pass.b, pass.c, n};
  } else if (idiom == "reduction") {
    launch_ = read(n, 1);
  } else if (idiom == "stream" || idiom == "stencil") {
    launch_ = each_element(idiom.c_str(), n);
    launch_.numbers = {pass.b, n};
  } else if (idiom == "transpose") {
    launch_ = each_element("transpose", n);
    launch_.items_y = std::min(n, kMostRows);
    launch_.numbers = {pass.b, n};
  } else if (idiom == "matrix-vector product") {
    launch_ = {.kernel = "matrix_vector",
               .items = n * sum_items_,
               .group_items = sum_items_,
               .buffers = {memory_.buffer()},
               .numbers = {pass.b, pass.c, n}};
  } else {
    const std::uint64_t rows = std::min(n, pass.rows * workers());
    launch_ = each_element("matrix_matrix", n);
    launch_.items_y = std::min(rows, kMostRows);
    launch_.numbers = {pass.b, pass.c, n, rows};
  }
  device_.finish();
}

double IdiomLaunches::seconds(std::uint64_t passes) {
  return device_.seconds(program_, launch_, passes) / static_cast<double>(passes);
}

}  // namespace apmt::devices
