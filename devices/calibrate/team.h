// Threads, one on each processor, that work at the same time.
#pragma once

#include <barrier>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace apmt::devices {

class Team {
 public:
  using Work = std::function<void(std::size_t thread)>;

  explicit Team(const std::vector<int>& cpus);  // each thread stays on its processor
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  std::size_t size() const { return threads_.size(); }
  /// Seconds from the start of all threads to the end of the last one. `work` may not throw.
  double run(const Work& work);

 private:
  struct Clock {
    double* at;
    void operator()() noexcept;
  };
  void serve(std::size_t thread, int cpu);

  const Work* work_ = nullptr;  // nullptr: the threads must end
  double begin_s_ = 0, end_s_ = 0;
  std::barrier<Clock> start_, finish_;
  std::vector<std::thread> threads_;
};

/// Memory that is spread over the NUMA nodes of all threads: the threads take turns, each being the
/// first to touch some of the pages.
class SharedMemory {
 public:
  SharedMemory(std::uint64_t bytes, Team& team);  // throws InputError if there is not enough
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  char* begin() const { return begin_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_;
  void* raw_ = nullptr;
  char* begin_ = nullptr;
};

/// A barrier that spins while it waits, like the barriers of OpenMP.
class SpinBarrier {
 public:
  explicit SpinBarrier(std::size_t threads) : threads_(static_cast<unsigned>(threads)) {}
  void wait();

 private:
  unsigned threads_;
  unsigned arrived_ = 0;
  unsigned round_ = 0;
};

}  // namespace apmt::devices
