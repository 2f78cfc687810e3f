#include "reports/html_pieces.h"
#include "reports/numbers.h"

namespace apmt {
namespace {

/// The style class of a cell, from "eff0" for the best efficiencies to "eff4" for the worst. Each
/// cell shows its number as well.
std::string shade(double share) {
  constexpr double kSteps[] = {0.9, 0.8, 0.65, 0.5};
  int step = 0;
  for (const double least : kSteps) step += share < least;
  return "eff" + std::to_string(step);
}

}  // namespace

std::string html_efficiency_tree(const EfficiencyTree& tree) {
  std::string out =
      "<figure class=\"tree\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"" +
      html_text(tree.description) +
      "\"><table>\n<thead><tr><th scope=\"col\" class=\"t\">efficiency</th>";
  for (const EfficiencyTree::Column& column : tree.columns)
    out += "<th scope=\"col\">" + std::to_string(column.procs) + "<br><small>" +
           (column.measured ? "measured" : "predicted") + "</small></th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const EfficiencyTree::Node& node : tree.nodes) {
    out += "<tr><th scope=\"row\" class=\"t in" + std::to_string(node.depth) + "\">" +
           html_text(node.name) + "</th>";
    for (std::size_t c = 0; c < node.shares.size(); ++c) {
      const std::optional<double>& share = node.shares[c];
      out += share ? "<td class=\"" + shade(*share) + (tree.columns[c].measured ? "" : " fore") +
                         "\">" + format_share(*share) + "</td>"
                   : std::string("<td><span class=\"none\">&ndash;</span></td>");
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div><figcaption class=\"hint\">" + html_text(tree.description) +
         ".</figcaption></figure>";
}

}  // namespace apmt
