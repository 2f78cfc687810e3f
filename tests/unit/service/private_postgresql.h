// A server of PostgreSQL that belongs to this process, for tests.
#pragma once

#include <optional>
#include <string>

namespace apmt::service::testing {

class PrivatePostgresql {
 public:
  /// Started by the first call; it ends with this process.
  static PrivatePostgresql& get();

  /// Why there is no server: this build or this machine has no PostgreSQL.
  const std::optional<std::string>& absence() const { return absence_; }
  /// Creates an empty database, owned by a user who has no other rights, and returns its address.
  std::string new_database();
  /// Stops the server as a crash would, and starts it again.
  void restart();

 private:
  PrivatePostgresql();
  /// Sends a line to the program that runs the server, and returns its answer.
  std::string ask(const std::string& line);

  std::optional<std::string> absence_;
  int to_server_ = -1;
  int from_server_ = -1;
};

}  // namespace apmt::service::testing
