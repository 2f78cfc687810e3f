#include "reports/outlook_text.h"
#include "reports/sections.h"

namespace apmt {

OptionalSection outlook_section(const Model& model, const Prediction& target, const Ahead& ahead) {
  ReportSection section{.id = "outlook", .title = "How far it scales"};
  section.sentences = outlook_sentences(ahead.outlook);
  for (std::string& sentence : interval_sentences(model, target, ahead))
    section.sentences.push_back(std::move(sentence));
  return section;
}

}  // namespace apmt
