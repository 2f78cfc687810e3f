// Refits applications one at a time, each in a process of its own, with limits of time and memory.
// So a profile on which a fit hangs or crashes cannot stop the server.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "service/log_line.h"
#include "service/metrics.h"
#include "service/store.h"

namespace apmt::service {

struct RefitLimits {
  int cpu_s = 120;
  int wall_s = 600;
  std::size_t memory_bytes = std::size_t{4} << 30;
};

class Refitter {
 public:
  /// `command` is started with the id of the application as a further word; it must call refit().
  Refitter(Store& store, std::vector<std::string> command, RefitLimits limits,
           const Retention& retention, Metrics* metrics, Log log);
  /// Ends the worker; its application stays pending in the store.
  ~Refitter();

  /// Requests a refit. Does nothing if the application is already waiting for one.
  void request(std::int64_t application);
  std::size_t waiting() const;

 private:
  void work();
  void refit_one(std::int64_t application);
  void forget_old(std::int64_t application);
  /// Waits a moment, or until the server stops.
  void pause();
  /// Waits for the worker; kills it at the limit or when the server stops. Returns its status.
  int wait_for(pid_t worker);

  Store& store_;
  std::vector<std::string> command_;
  RefitLimits limits_;
  Retention retention_;
  Metrics* metrics_;
  Log log_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::int64_t> waiting_;
  bool is_stopping_ = false;
  std::thread thread_;  // last: it uses the members above
};

}  // namespace apmt::service
