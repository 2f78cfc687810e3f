// Tells systemd that the server is ready, so that `systemctl start` can wait for it.
#pragma once

namespace apmt::service {

/// Sends READY=1 as sd_notify(3) does. Does nothing unless a unit with Type=notify started this
/// process. Throws InputError if the message cannot be sent.
void tell_systemd_of_readiness();

}  // namespace apmt::service
