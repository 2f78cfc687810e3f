#include "service/server.h"

#include "service/http_server.h"
#include "service/readiness.h"
#include "service/service.h"
#include "service/store_address.h"

namespace apmt::service {

void serve(const Configuration& configuration, const std::vector<std::string>& refit_command,
           const Log& log) {
  const std::unique_ptr<Store> store = open_store(configuration.store, Use::kServer);
  Service service(*store, configuration, refit_command, log);
  HttpServer server(configuration,
                    {[&](const HttpRequest& head) { return service.admit(head); },
                     [&](const HttpRequest& request) { return service.answer(request); },
                     [&](const std::string& reason, const std::string& peer) {
                       service.note_refusal(reason, peer);
                     }});
  const Address address = listen_address(configuration.listen);
  const bool is_v6 = address.host.find(':') != std::string::npos;
  log({LogLine::Level::kInfo,
       "listening",
       {{"url", "http://" + (is_v6 ? "[" + address.host + "]" : address.host) + ":" +
                    std::to_string(server.port())},
        {"store", store_address(configuration.store).shown}}});
  if (store->tokens().empty() && !configuration.anonymous_reading)
    log({LogLine::Level::kWarning,
         "no token",
         {{"hint", "nobody may read or push yet: apmt serve token add NAME --role keeper"}}});
  tell_systemd_of_readiness();
  server.run();
  log({LogLine::Level::kInfo, "stopped", {}});
}

}  // namespace apmt::service
