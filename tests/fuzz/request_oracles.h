// What must hold for every response of the service, whatever was asked.
#pragma once

#include <string>

#include "service/http_message.h"

namespace apmt::fuzz {

/// Returns why a response to this request is wrong; empty if it is right. `changed` says whether
/// the request has changed the store.
std::string fault_of(const service::HttpRequest& request, const service::HttpResponse& response,
                     bool changed);

}  // namespace apmt::fuzz
