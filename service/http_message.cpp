#include "service/http_message.h"

#include "base/checked_json.h"

namespace apmt::service {

HttpResponse problem_response(int status, const std::string& message, const std::string& hint) {
  Json body{{"error", message}};
  if (!hint.empty()) body["hint"] = hint;
  return {status, "application/json", format_json(body), {}};
}

}  // namespace apmt::service
