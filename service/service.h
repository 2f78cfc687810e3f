// The service behind the HTTP server. It decides who may send which request, and answers.
#pragma once


#include "service/configuration.h"
#include "service/rate_limit.h"
#include "service/routes.h"

namespace apmt::service {

class Service {
 public:
  /// `refit_command`: see Refitter.
  Service(Store& store, const Configuration& configuration, std::vector<std::string> refit_command,
          Log log);

  /// Decides from the head of a request whether its body is read. Safe to call from several
  /// threads, as is answer().
  Admission admit(const HttpRequest& head);
  HttpResponse answer(const HttpRequest& request);

  /// Counts and logs what the HTTP server refuses by itself. `reason` is "timeout", "head too
  /// large", "not HTTP", "body too large", "connection" (there are too many) or "exception".
  void note_refusal(const std::string& reason, const std::string& peer);

 private:
  HttpResponse refuse(const HttpRequest& request, const std::string& reason, HttpResponse response);
  std::optional<Admission> check_token(const HttpRequest& head, const Route& route,
                                       Admission* admission);

  Store& store_;
  Configuration configuration_;
  Log log_;
  Metrics metrics_;
  ModelCache models_;
  RateLimit requests_;
  RateLimit failures_;
  Refitter refitter_;
};

}  // namespace apmt::service
