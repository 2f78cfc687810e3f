#include "service/readiness.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "base/input_error.h"

namespace apmt::service {

void tell_systemd_of_readiness() {
  constexpr std::string_view kReady = "READY=1";
  const char* variable = std::getenv("NOTIFY_SOCKET");
  if (variable == nullptr) return;
  const std::string name = variable;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.empty() || name.size() >= sizeof address.sun_path)
    throw InputError("NOTIFY_SOCKET", "'" + name + "' is no address of a socket");
  name.copy(address.sun_path, name.size());
  if (name.front() == '@') address.sun_path[0] = '\0';  // an abstract socket
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  const int descriptor = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const bool is_sent =
      descriptor >= 0 && ::sendto(descriptor, kReady.data(), kReady.size(), MSG_NOSIGNAL,
                                  reinterpret_cast<const sockaddr*>(&address), bytes) >= 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!is_sent)
    throw InputError(name, std::strerror(error),
                     "systemd waits there for the message that the server is ready",
                     ExitCode::kFailed);
}

}  // namespace apmt::service
