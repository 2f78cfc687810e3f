#include "tests/unit/devices/host_accelerator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#pragma GCC diagnostic ignored "-Wunused-parameter"

namespace apmt::devices::testing {
namespace {

using WORD = std::uint64_t;

struct Place {  // of the work-item that is being executed
  WORD item = 0, item_y = 0, items_y = 1, group_items = 1, items = 1;
};
Place place;

#define KERNEL static
#define DEVICE static
#define GLOBAL
#define LOCAL
#define TO_LOCAL
#define BARRIER EXPECT_EQ(place.group_items, 1u) << "items are executed one after the other"
#define ITEM (place.item)
#define ITEM_Y (place.item_y)
#define ITEMS_Y (place.items_y)
#define GROUP (place.item / place.group_items)
#define GROUPS (place.items / place.group_items)
#define LOCAL_ITEM (place.item % place.group_items)
#define GROUP_ITEMS (place.group_items)
#define REAL double
#define INDEX std::uint64_t
#define MOST_ITEMS kMostItems
#define LANES 1
#define VECTOR double
#define LOAD(p) (*(p))
#define STORE(v, p) *(p) = (v)
#include "devices/calibrate/kernels.cl"

static_assert(CHUNK == kChunkElements);

class HostAccelerator : public Accelerator {
 public:
  explicit HostAccelerator(const std::string& kind) {
    facts_ = {.name = "this process", .driver = "none", .kind = kind};
    facts_.units = 2;
    facts_.most_items = 1;  // they are executed one after the other
    facts_.frequency_hz = 1'000'000'000;
    facts_.memory_bytes = facts_.free_bytes = 1 << 20;
    facts_.largest_buffer_bytes = 1 << 20;
    facts_.cache_bytes = 1 << 16;
    facts_.line_bytes = 64;
  }
  ~HostAccelerator() override {
    for (const std::vector<char>& buffer : buffers_) EXPECT_TRUE(buffer.empty()) << "not released";
  }

  const AcceleratorFacts& facts() const override { return facts_; }
  Program compile(const ElementType& type) override { return type.is_double ? 0 : 1; }
  Buffer allocate(std::uint64_t bytes) override {
    // An additional word after the buffer shows writes beyond its end.
    buffers_.emplace_back(bytes + sizeof kGuard);
    std::memcpy(&buffers_.back()[bytes], &kGuard, sizeof kGuard);
    return buffers_.size() - 1;
  }
  void release(Buffer buffer) override {
    std::vector<char>& bytes = buffers_.at(buffer);
    EXPECT_EQ(std::memcmp(&bytes[bytes.size() - sizeof kGuard], &kGuard, sizeof kGuard), 0)
        << "a kernel wrote beyond its memory";
    bytes.clear();
  }
  void write(Buffer to, const void* from, std::uint64_t bytes) override {
    ASSERT_LE(bytes + sizeof kGuard, buffers_.at(to).size());
    std::memcpy(buffers_.at(to).data(), from, bytes);
  }
  void read(Buffer from, void* to, std::uint64_t bytes) override {
    ASSERT_LE(bytes + sizeof kGuard, buffers_.at(from).size());
    std::memcpy(to, buffers_.at(from).data(), bytes);
  }
  void finish() override {}

  void launch(Program, const Launch& what, std::uint64_t times) override {
    ASSERT_EQ(what.items % what.group_items, 0u) << what.kernel;
    ASSERT_LE(what.group_items, facts_.most_items);
    place = {.items_y = what.items_y, .group_items = what.group_items, .items = what.items};
    for (std::uint64_t time = 0; time < times; ++time)
      for (place.item_y = 0; place.item_y < place.items_y; ++place.item_y)
        for (place.item = 0; place.item < place.items; ++place.item) execute(what);
  }

 private:
  static constexpr std::uint64_t kGuard = 0x5EA1'5EA1'5EA1'5EA1;

  double* at(const Launch& what, std::size_t i) {
    return reinterpret_cast<double*>(buffers_.at(what.buffers.at(i)).data());
  }

  void execute(const Launch& what) {
    const std::vector<std::uint64_t>& n = what.numbers;
    const std::string& name = what.kernel;
    if (name == "fused") return fused(at(what, 0), n.at(0), n.at(1));
    if (name == "halves") return halves(at(what, 0), n.at(0), n.at(1));
    if (name == "idle") return idle(at(what, 0));
    if (name == "chase") return chase(at(what, 0), at(what, 1), n.at(0));
    if (name == "clear") return clear(at(what, 0), n.at(0));
    if (name == "fill_index") return fill_index(at(what, 0), n.at(0), n.at(1), n.at(2));
    if (name == "stream") return stream(at(what, 0), n.at(0), n.at(1));
    if (name == "stencil") return stencil(at(what, 0), n.at(0), n.at(1));
    if (name == "gather") return gather(at(what, 0), n.at(0), n.at(1), n.at(2));
    if (name == "scatter") return scatter(at(what, 0), n.at(0), n.at(1), n.at(2));
    if (name == "transpose") return transpose(at(what, 0), n.at(0), n.at(1));
    if (name == "reduction") return reduction(at(what, 0), at(what, 1), n.at(0), n.at(1));
    if (name == "matrix_vector") return matrix_vector(at(what, 0), n.at(0), n.at(1), n.at(2));
    if (name == "matrix_matrix")
      return matrix_matrix(at(what, 0), n.at(0), n.at(1), n.at(2), n.at(3));
    ADD_FAILURE() << "no kernel " << name;
  }

  AcceleratorFacts facts_;
  std::vector<std::vector<char>> buffers_;
};

}  // namespace

std::unique_ptr<Accelerator> host_accelerator(const std::string& kind) {
  return std::make_unique<HostAccelerator>(kind);
}

}  // namespace apmt::devices::testing
