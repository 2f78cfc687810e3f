// The settings of a server, from a YAML file.
#pragma once

#include <filesystem>
#include <string>

#include "service/refitter.h"

namespace apmt::service {

struct Configuration {
  std::string listen = "127.0.0.1:8440";
  std::string store = "sqlite:apmt-serve.db";
  bool anonymous_reading = false;
  std::string log = "text";  // or "json"

  int connections = 256;
  int threads = 4;
  // time until the head of a request has arrived, including idle time before it
  double head_s = 10;
  double body_s = 60;  // time until its body has arrived
  double send_s = 60;  // time until the client has received the response
  double stop_s = 10;  // time for requests in progress when the server is told to stop
  std::size_t head_bytes = 16 << 10;
  std::size_t body_bytes = std::size_t{32} << 20;
  std::size_t profile_bytes = std::size_t{128} << 20;  // of an unpacked profile

  double requests_per_s = 100;  // of one token, or of one address without a token
  double requests_burst = 400;
  double failures_per_s = 0.2;  // wrong tokens from one address
  double failures_burst = 20;

  int models_in_memory = 200;
  int parsed_at_once = 2;
  RefitLimits refit;
  Retention retention;
};

/// Reads "format: apmt-service" version 1. Unknown names are errors. Members that the file lacks
/// keep their defaults.
Configuration read_configuration(const std::filesystem::path& file);

struct Address {
  std::string host;
  unsigned short port = 0;  // 0: any free one
};

/// "127.0.0.1:8440" or "[::1]:8440"; throws InputError otherwise.
Address listen_address(const std::string& text);

}  // namespace apmt::service
