// Turns the callbacks of Oclgrind 21.10 into events. Oclgrind loads this library into the host
// program (OCLGRIND_PLUGINS), and each of its contexts gets a plugin.
#include <llvm/IR/Instruction.h>
#include <oclgrind/Context.h>
#include <oclgrind/Kernel.h>
#include <oclgrind/KernelInvocation.h>
#include <oclgrind/Plugin.h>
#include <oclgrind/WorkGroup.h>
#include <oclgrind/WorkItem.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "kernels/oclgrind/flat_addresses.h"
#include "kernels/oclgrind/kernel_events.h"
#include "kernels/oclgrind/known_kernels.h"
#include "kernels/oclgrind/recording.h"

namespace apmt::opencl {
namespace {

using kernels::OpClass;
using kernels::Word;

/// State that all contexts of the process share. The lock is held while a kernel runs.
struct Shared {
  explicit Shared(Recording& of)
      : recording(of), known(of), events(of), addresses(of.settings().analysers->aiwc_compatible) {}
  static Shared& get() {
    static Shared* const shared = new Shared(*Recording::get());
    return *shared;
  }

  std::mutex lock;
  Recording& recording;
  KnownKernels known;
  KernelEvents events;
  FlatAddresses addresses;
};

/// The index of an item in its group; x varies fastest, as in OpenCL's own numbering.
std::uint64_t index_in_group(const oclgrind::WorkItem& item) {
  const oclgrind::Size3 id = item.getLocalID(), size = item.getWorkGroup()->getGroupSize();
  return id.x + (id.y + id.z * size.y) * size.x;
}

class OpenClPlugin : public oclgrind::Plugin {
 public:
  OpenClPlugin(const oclgrind::Context* context, Shared& shared)
      : oclgrind::Plugin(context), shared_(shared) {}

  /// Returns false, so that Oclgrind runs all work-items on one thread.
  bool isThreadSafe() const override { return false; }

  void kernelBegin(const oclgrind::KernelInvocation* invocation) override {
    shared_.lock.lock();
    accesses_.clear();  // the previous kernel may have been aborted inside an instruction
    if (shared_.recording.is_on())
      kernel_ = shared_.known.find(*invocation->getKernel()->getFunction());
    if (kernel_) shared_.events.begin(kernel_->index);
  }
  void kernelEnd(const oclgrind::KernelInvocation*) override {
    if (kernel_) shared_.events.end();
    kernel_ = nullptr;
    shared_.lock.unlock();
  }
  void workGroupBegin(const oclgrind::WorkGroup* group) override {
    if (kernel_) shared_.events.begin_group(group->getGroupIndex());
  }
  void workGroupComplete(const oclgrind::WorkGroup* group) override {
    if (kernel_) shared_.events.end_group(group->getGroupIndex());
  }
  void workItemComplete(const oclgrind::WorkItem* item) override {
    if (kernel_) shared_.events.end_item(item->getGlobalIndex());
  }

  /// Oclgrind reports an instruction after its accesses.
  void instructionExecuted(const oclgrind::WorkItem* item, const llvm::Instruction* instruction,
                           const oclgrind::TypedValue&) override {
    if (!kernel_) return;
    const auto found = kernel_->executed->find(instruction);
    if (found != kernel_->executed->end()) {
      if (found->second.block != kernels::kNone)
        shared_.events.enter_block(found->second.block, item->getGlobalIndex());
      add_words(found->second.access);
    }
    accesses_.clear();
  }

  void memoryLoad(const oclgrind::Memory* memory, const oclgrind::WorkItem* item,
                  std::size_t address, std::size_t bytes) override {
    add_access(*memory, *item, address, bytes, false);
  }
  void memoryStore(const oclgrind::Memory* memory, const oclgrind::WorkItem* item,
                   std::size_t address, std::size_t bytes, const std::uint8_t*) override {
    add_access(*memory, *item, address, bytes, true);
  }
  void memoryAtomicLoad(const oclgrind::Memory* memory, const oclgrind::WorkItem* item,
                        oclgrind::AtomicOp, std::size_t address, std::size_t bytes) override {
    add_access(*memory, *item, address, bytes, false);
  }

  // Copies between host and device. Oclgrind reports a copy between two buffers as a host load and
  // a host store of the same data; such copies are not counted.
  void hostMemoryLoad(const oclgrind::Memory* memory, std::size_t address,
                      std::size_t bytes) override {
    shared_.recording.copied_from_device(bytes);
    last_read_ = {static_cast<const std::uint8_t*>(memory->getPointer(address)), bytes};
  }
  void hostMemoryStore(const oclgrind::Memory*, std::size_t, std::size_t bytes,
                       const std::uint8_t* data) override {
    if (data && data == last_read_.data && bytes == last_read_.bytes)
      shared_.recording.copied_from_device(-bytes);
    else
      shared_.recording.copied_to_device(bytes);
    last_read_ = {};
  }
  void memoryAllocated(const oclgrind::Memory* memory, std::size_t, std::size_t bytes, cl_mem_flags,
                       const std::uint8_t* data) override {
    if (data && memory->getAddressSpace() == oclgrind::AddrSpaceGlobal)
      shared_.recording.copied_to_device(bytes);
  }
  void memoryMap(const oclgrind::Memory*, std::size_t, std::size_t, std::size_t bytes,
                 cl_map_flags flags) override {
    if (flags & CL_MAP_READ) shared_.recording.copied_from_device(bytes);
    if (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION))
      shared_.recording.copied_to_device(bytes);
  }

 private:
  struct Access {
    Word address, bytes;
    bool is_store;
  };

  void add_access(const oclgrind::Memory& memory, const oclgrind::WorkItem& item,
                  std::size_t address, std::size_t bytes, bool is_store) {
    if (!kernel_) return;
    const std::optional<Word> flat = shared_.addresses.of(memory, address, index_in_group(item));
    if (!flat) {
      shared_.recording.turn_off("its kernels use more buffers than can be told apart");
      kernel_ = nullptr;
      return;
    }
    accesses_.push_back({*flat, bytes, is_store});
  }

  const Access& first_access(bool is_store) const {
    static constexpr Access kNowhere = {};
    for (const Access& access : accesses_)
      if (access.is_store == is_store) return access;
    return kNowhere;
  }

  void add_words(OpClass access) {
    switch (access) {
      case OpClass::kLoad:
      case OpClass::kAtomic:
        shared_.events.add_word(first_access(false).address);
        break;
      case OpClass::kStore:
        shared_.events.add_word(first_access(true).address);
        break;
      case OpClass::kCopyMemory:
        shared_.events.add_word(first_access(true).address);
        shared_.events.add_word(first_access(false).address);
        shared_.events.add_word(first_access(true).bytes);
        break;
      case OpClass::kFillMemory:
        shared_.events.add_word(first_access(true).address);
        shared_.events.add_word(first_access(true).bytes);
        break;
      default:
        break;
    }
  }

  Shared& shared_;
  const KnownKernel* kernel_ = nullptr;  // the running kernel, if it is analysed
  std::vector<Access> accesses_;         // of the current instruction
  struct {
    const std::uint8_t* data = nullptr;
    std::size_t bytes = 0;
  } last_read_;  // the host's last load
};

std::mutex plugins_lock;
std::map<oclgrind::Context*, std::unique_ptr<OpenClPlugin>>& plugins() {
  static auto* const all = new std::map<oclgrind::Context*, std::unique_ptr<OpenClPlugin>>;
  return *all;
}

/// Runs after the host's own exit handlers and destructors.
__attribute__((destructor)) void at_exit() {
  Recording* const recording = Recording::get();
  if (!recording) return;
  Shared& shared = Shared::get();
  if (!shared.lock.try_lock()) return recording->turn_off("it ended while a kernel ran");
  recording->finish();
  shared.lock.unlock();
}

}  // namespace
}  // namespace apmt::opencl

#define APMT_EXPORT extern "C" __attribute__((visibility("default")))

APMT_EXPORT void initializePlugins(oclgrind::Context* context) {
  using namespace apmt::opencl;
  if (!Recording::get()) return;
  const std::lock_guard locked(plugins_lock);
  auto& plugin = plugins()[context];
  plugin = std::make_unique<OpenClPlugin>(context, Shared::get());
  context->registerPlugin(plugin.get());
}

APMT_EXPORT void releasePlugins(oclgrind::Context* context) {
  using namespace apmt::opencl;
  const std::lock_guard locked(plugins_lock);
  const auto plugin = plugins().find(context);
  if (plugin == plugins().end()) return;
  context->unregisterPlugin(plugin->second.get());
  plugins().erase(plugin);
}
