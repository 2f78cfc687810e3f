// The connections of a store: one that writes, and several that read at the same time.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "service/database.h"

namespace apmt::service {

using Connect = std::function<std::unique_ptr<Database>(Access)>;

/// Connections for reading. A reader returns its connection for later readers. There are few
/// connections, so a reader may have to wait. A thread that has one must not take another, or
/// threads could wait for each other.
class Readers {
 public:
  explicit Readers(Connect connect) : connect_(std::move(connect)) {}

  /// A connection that belongs to one reader.
  class Lease {
   public:
    Lease(Readers& readers, std::unique_ptr<Database> database)
        : readers_(readers), database_(std::move(database)) {}
    ~Lease() { readers_.give_back(std::move(database_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    operator Database&() const { return *database_; }

   private:
    Readers& readers_;
    std::unique_ptr<Database> database_;
  };
  Lease take();

 private:
  void give_back(std::unique_ptr<Database> database);

  Connect connect_;
  std::mutex mutex_;
  std::condition_variable returned_;
  int made_ = 0;
  std::vector<std::unique_ptr<Database>> idle_;
};

}  // namespace apmt::service
