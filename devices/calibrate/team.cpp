#include "devices/calibrate/team.h"

#include <sys/mman.h>

#include <cstring>

#include "base/input_error.h"
#include "machine/repeat.h"
#include "machine/topology.h"

namespace apmt::devices {

void Team::Clock::operator()() noexcept { *at = now_s(); }

Team::Team(const std::vector<int>& cpus)
    : start_(static_cast<std::ptrdiff_t>(cpus.size()) + 1, Clock{&begin_s_}),
      finish_(static_cast<std::ptrdiff_t>(cpus.size()) + 1, Clock{&end_s_}) {
  for (std::size_t i = 0; i < cpus.size(); ++i)
    threads_.emplace_back([this, i, cpu = cpus[i]] { serve(i, cpu); });
}

Team::~Team() {
  work_ = nullptr;
  start_.arrive_and_wait();
  for (std::thread& thread : threads_) thread.join();
}

void Team::serve(std::size_t thread, int cpu) {
  const OnCpu stay(cpu);
  for (;;) {
    start_.arrive_and_wait();
    if (work_ == nullptr) return;
    (*work_)(thread);
    finish_.arrive_and_wait();
  }
}

double Team::run(const Work& work) {
  work_ = &work;
  start_.arrive_and_wait();
  finish_.arrive_and_wait();
  return end_s_ - begin_s_;
}

SharedMemory::SharedMemory(std::uint64_t bytes, Team& team) {
  constexpr std::uint64_t kHuge = std::uint64_t{2} << 20;
  bytes_ = (bytes + kHuge - 1) / kHuge * kHuge;
  raw_ =
      ::mmap(nullptr, bytes_ + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw_ == MAP_FAILED)
    throw InputError("", "not enough memory for " + std::to_string(bytes_ >> 20) + " MiB",
                     "--largest-bytes asks for less", ExitCode::kFailed);
  const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(raw_);
  begin_ = reinterpret_cast<char*>((at + kHuge - 1) / kHuge * kHuge);
  ::madvise(begin_, bytes_, MADV_HUGEPAGE);
  team.run([&](std::size_t thread) {
    for (std::uint64_t page = thread; page < bytes_ / kHuge; page += team.size())
      std::memset(begin_ + page * kHuge, 0, kHuge);
  });
}

SharedMemory::~SharedMemory() { ::munmap(raw_, bytes_ + ((std::uint64_t{2} << 20))); }

void SpinBarrier::wait() {
  const unsigned round = __atomic_load_n(&round_, __ATOMIC_ACQUIRE);
  if (__atomic_add_fetch(&arrived_, 1, __ATOMIC_ACQ_REL) == threads_) {
    __atomic_store_n(&arrived_, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&round_, round + 1, __ATOMIC_RELEASE);
    return;
  }
  constexpr int kSpins = 4096;  // then yields, because other threads may need the processor
  for (int i = 0; __atomic_load_n(&round_, __ATOMIC_ACQUIRE) == round; ++i)
    if (i > kSpins) std::this_thread::yield();
}

}  // namespace apmt::devices
