#include "campaign/launching/other_nodes.h"

#include <cstdlib>

namespace apmt {

void forward_to_nodes(std::map<std::string, std::string>* variables) {
  constexpr const char* kList = "OMPI_MCA_mca_base_env_list";
  const char* const users = std::getenv(kList);
  std::string names = users == nullptr ? "" : users;
  for (const auto& [name, value] : *variables) names += (names.empty() ? "" : ";") + name;
  (*variables)[kList] = names;
}

}  // namespace apmt
