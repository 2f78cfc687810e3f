// The doctor's report, as text and as JSON.
#include <cstdio>
#include <sstream>

#include "machine/doctor.h"

namespace apmt {
namespace {

constexpr std::size_t kWidth = 98;

/// Breaks `text` into lines of at most kWidth characters; indents all but the first.
void wrap(const std::string& text, std::size_t indent, std::string* out) {
  std::istringstream words(text);
  std::size_t column = indent;
  bool first = true;
  for (std::string word; words >> word;) {
    if (!first && column + 1 + word.size() > kWidth) {
      out->append("\n").append(indent, ' ');
      column = indent;
    } else if (!first) {
      *out += ' ';
      ++column;
    }
    *out += word;
    column += word.size();
    first = false;
  }
  *out += '\n';
}

}  // namespace

Json to_json(const DoctorReport& report) {
  Json checks = Json::array();
  for (const Check& check : report.checks)
    checks.push_back({{"id", check.id},
                      {"title", check.title},
                      {"state", to_string(check.state)},
                      {"what", check.what},
                      {"remedy", check.remedy},
                      {"details", check.details}});
  return {{"format", "apmt-doctor"},
          {"format_version", "1.0"},
          {"grade", report.grade.empty() ? Json(nullptr) : Json(report.grade)},
          {"grade_with_simulation",
           report.simulated_grade.empty() ? Json(nullptr) : Json(report.simulated_grade)},
          {"would_raise", report.raises},
          {"checks", checks}};
}

std::string render_doctor_text(const DoctorReport& report) {
  std::string out;
  if (report.grade.empty())
    out += "No MPI program can be recorded here.\n\n";
  else
    out += "Grade " + report.grade + " on this machine" +
           (report.simulated_grade.empty()
                ? ""
                : "; grade " + report.simulated_grade + " when counters are simulated") +
           ".\n\n";
  constexpr std::size_t kIndent = 30;
  for (const Check& check : report.checks) {
    char head[64];
    std::snprintf(head, sizeof head, "%-11s %-17s ", to_string(check.state).c_str(),
                  check.title.c_str());
    out += head;
    wrap(check.what, kIndent, &out);
    for (const std::string& detail : check.details) {
      out.append(kIndent, ' ').append("- ");
      wrap(detail, kIndent + 2, &out);
    }
    if (!check.remedy.empty()) {
      out.append(kIndent, ' ').append("> ");
      wrap(check.remedy, kIndent + 2, &out);
    }
  }
  if (!report.raises.empty()) {
    out += "\nWhat would raise the grade\n";
    for (const std::string& raise : report.raises) {
      out += "  ";
      wrap(raise, 4, &out);
    }
  }
  return out;
}

}  // namespace apmt
