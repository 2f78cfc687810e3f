// The schemas (docs/schemas) of the JSON that the server returns.
#pragma once

#include <map>
#include <string>

namespace apmt::service {

/// By file name, such as "prediction.schema.json".
const std::map<std::string, std::string>& response_schemas();

}  // namespace apmt::service
