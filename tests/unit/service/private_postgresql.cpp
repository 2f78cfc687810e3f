#include "private_postgresql.h"

#include <fcntl.h>
#include <unistd.h>

#include <stdexcept>

#include "machine/child_process.h"
#include "service/postgresql_database.h"
#include "tests/paths.h"

namespace apmt::service::testing {

PrivatePostgresql& PrivatePostgresql::get() {
  static PrivatePostgresql server;
  return server;
}

PrivatePostgresql::PrivatePostgresql() {
  if (!can_use_postgresql()) {
    absence_ = "this build of apmt has no PostgreSQL (apt-get install libpqxx-dev)";
    return;
  }
  int to[2];
  int from[2];
  if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0)
    throw std::runtime_error("no pipe");
  // The program ends when this end of the pipe is closed. The system closes it however this process
  // ends.
  start_child({.own_group = true, .input = to[0], .output = from[1]}, [] {
    replace_by({"python3", "-B", source_dir() + "/tests/service/postgresql_server.py"}, {});
  });
  ::close(to[0]);
  ::close(from[1]);
  to_server_ = to[1];
  from_server_ = from[0];
  if (const std::string first = ask(""); first.starts_with("SKIP")) absence_ = first;
}

std::string PrivatePostgresql::new_database() {
  static int count = 0;
  return ask("database test-" + std::to_string(++count));
}

void PrivatePostgresql::restart() { (void)ask("restart"); }

std::string PrivatePostgresql::ask(const std::string& line) {
  const std::string text = line + "\n";
  if (!line.empty() && ::write(to_server_, text.data(), text.size()) < 0)
    throw std::runtime_error("the server of PostgreSQL is gone");
  std::string answer;
  for (char c = 0; ::read(from_server_, &c, 1) == 1 && c != '\n';) answer += c;
  if (answer.empty()) throw std::runtime_error("the server of PostgreSQL did not answer " + line);
  return answer;
}

}  // namespace apmt::service::testing
