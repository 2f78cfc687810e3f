#include <algorithm>
#include <cctype>

#include "reports/html_pieces.h"
#include "reports/numbers.h"
#include "reports/render.h"
#include "reports/vocabulary.h"
#include "reports/words.h"

namespace apmt {
namespace {

/// The headings that render_csv(table) writes.
std::vector<std::string> csv_heads(const ReportTable& table) {
  std::vector<std::string> heads;
  const std::string text = render_csv(ReportTable{.id = table.id, .columns = table.columns});
  std::string head;
  for (const char c : text) {
    if (c != ',' && c != '\n') {
      head += c;
      continue;
    }
    heads.push_back(head);
    head.clear();
  }
  return heads;
}

class Page {
 public:
  std::string render(const Report& report) {
    head(report);
    top(report);
    add("<main>\n");
    for (std::size_t i = 0; i < report.sections.size(); ++i) {
      section(report.sections[i]);
      if (i == 0 && report.evaluation) add(html_what_if(*report.evaluation));
    }
    add("</main>\n<footer><p>Made by apmt. This page is complete in itself and loads nothing from "
        "the "
        "network.</p></footer>\n<script>",
        html_script(), "</script>\n</body>\n</html>\n");
    return std::move(out_);
  }

 private:
  /// HTML of a sentence in which a figure and its unit stay on one line.
  static std::string sentence_text(const std::string& sentence) {
    const std::string text = html_text(sentence);
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool after_digit = i > 0 && text[i - 1] >= '0' && text[i - 1] <= '9';
      bool unit = false;
      for (const std::string_view name :
           {"%", "s", "ms", "us", "ns", "h", "B", "KiB", "MiB", "GiB"}) {
        const std::string_view rest = std::string_view(text).substr(i + 1);
        const bool ends = name.size() >= rest.size() ||
                          !std::isalnum(static_cast<unsigned char>(rest[name.size()]));
        unit = unit || (rest.starts_with(name) && ends);
      }
      out += text[i] == ' ' && after_digit && unit ? "&nbsp;" : std::string(1, text[i]);
    }
    return out;
  }

  template <typename... Pieces>
  void add(const Pieces&... pieces) {
    (out_.append(pieces), ...);
  }

  void head(const Report& report) {
    add("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; "
        "form-action 'none'\">\n<title>",
        html_text(report.title), "</title>\n<style>", html_style(), "</style>\n</head>\n<body>\n");
  }

  void list(const char* tag, const std::vector<std::string>& sentences) {
    for (const std::string& sentence : sentences) {
      add("<", tag, ">", sentence_text(sentence), "</", tag, ">\n");
    }
  }

  void top(const Report& report) {
    add("<header>\n<h1>", html_text(report.title), "</h1>\n<p class=\"headline\">",
        sentence_text(report.headline), "</p>\n");
    if (!report.reasons.empty()) {
      add("<ul class=\"reasons\">\n");
      list("li", report.reasons);
      add("</ul>\n");
    }
    if (!report.facts.empty()) {
      add("<dl class=\"facts\">\n");
      for (const ReportFact& fact : report.facts) {
        add("<div><dt>", html_text(fact.name), "</dt><dd>", html_text(fact.value), "</dd></div>\n");
      }
      add("</dl>\n");
    }
    if (!report.warnings.empty()) {
      add("<aside class=\"warnings\"><h2>", report.warnings.size() == 1 ? "Warning" : "Warnings",
          "</h2>\n<ul>\n");
      list("li", report.warnings);
      add("</ul></aside>\n");
    }
    if (report.sections.size() > 2) {
      add("<nav aria-label=\"Sections\"><ul>\n");
      for (const ReportSection& part : report.sections) {
        add("<li><a href=\"#", html_text(part.id), "\">", html_text(part.title), "</a></li>\n");
      }
      add("</ul></nav>\n");
    }
    add("</header>\n");
  }

  void section(const ReportSection& part) {
    const std::string id = html_text(part.id);
    add("<section id=\"", id, "\" aria-labelledby=\"", id, "-title\">\n<h2 id=\"", id, "-title\">",
        html_text(part.title), "</h2>\n");
    list("p", part.sentences);
    if (part.time_chart) add(html_time_chart(*part.time_chart), "\n");
    if (part.parts_chart) add(html_parts_chart(*part.parts_chart), "\n");
    for (const CurveChart& chart : part.curve_charts) add(html_curve_chart(chart), "\n");
    for (const HistoryChart& chart : part.history_charts) add(html_history_chart(chart), "\n");
    if (part.efficiency_tree) add(html_efficiency_tree(*part.efficiency_tree), "\n");
    if (part.roofline_chart) add(html_roofline(*part.roofline_chart), "\n");
    if (part.matrix_chart) add(html_matrix_chart(*part.matrix_chart), "\n");
    if (part.kiviat_chart) add(html_kiviat(*part.kiviat_chart), "\n");
    if (part.levels_chart) add(html_levels(*part.levels_chart), "\n");
    if (part.distance_chart) add(html_distances(*part.distance_chart), "\n");
    for (const ReportTable& item : part.tables) {
      if (item.repeats_chart) add("<details>\n<summary>The same figures as a table</summary>\n");
      table(item, part.title);
      if (item.repeats_chart) add("</details>\n");
    }
    add("</section>\n");
  }

  void header_row(const ReportTable& item, bool sparks, const PlotRange& range) {
    add("<thead><tr>");
    const std::vector<std::string> heads = csv_heads(item);
    std::size_t next = 0;
    for (std::size_t c = 0; c < item.columns.size(); ++c) {
      const ReportColumn& column = item.columns[c];
      if (sparks && c == 1) {
        add("<th scope=\"col\">", format_number(range.first), " to ", format_number(range.last),
            " processes</th>");
      }
      std::string name = heads.at(next++);
      if (is_range(column.quantity)) name += "," + heads.at(next++);
      const std::string source = to_string(column.source);
      // Some columns have no title, because a terminal shows none for them. The HTML page shows
      // their id instead.
      const std::string title = column.title.empty() ? column.id : column.title;
      add("<th scope=\"col\"", column.quantity == Quantity::kText ? " class=\"t\"" : "",
          column.is_below ? " hidden" : "", " data-csv=\"", html_text(name), "\"",
          source.empty() ? std::string() : " title=\"" + source + "\"", ">", html_text(title),
          "</th>");
    }
    add("</tr></thead>\n");
  }

  /// The cells that are shown under the name of their row. The page also has them as hidden cells
  /// in their own columns, so that a copied table contains them in these columns.
  std::string below(const ReportTable& item, const ReportRow& row) {
    std::string text;
    for (std::size_t c = 0; c < item.columns.size(); ++c) {
      const std::string shown = format_cell(row.cells[c], item.columns[c].quantity);
      if (!item.columns[c].is_below || shown.empty()) continue;
      text += "<small>" + html_text(item.columns[c].title + " " + shown) + "</small>";
    }
    return text;
  }

  void cell(const ReportColumn& column, const ReportCell& value, bool is_first,
            const std::string& under = {}) {
    const char* tag = is_first ? "th" : "td";
    add("<", tag, is_first ? " scope=\"row\"" : "", column.is_below ? " hidden" : "");
    const std::string shown = format_cell(value, column.quantity);
    if (column.quantity == Quantity::kText) {
      add(column.is_code ? " class=\"t code\"" : " class=\"t\"",
          shown.empty() ? " data-n=\"1\"" : "");
    } else {
      if (column.is_bar && value.value)
        add(" class=\"gauge\" style=\"--share:", format_significant(100 * *value.value), "%\"");
      if (value.value) add(" data-v=\"", format_exact(*value.value), "\"");
      if (is_range(column.quantity)) {
        add(value.value ? " data-h=\"" + format_exact(value.high) + "\""
                        : std::string(" data-r=\"1\""));
      }
    }
    if (shown.empty()) {
      add("><span class=\"none\">&ndash;</span></", tag, ">");
    } else if (column.quantity == Quantity::kText) {
      add("><span>", html_text(shown), "</span>", under, "</", tag, ">");
    } else {
      add(">", html_text(shown), "</", tag, ">");
    }
  }

  void table(const ReportTable& item, const std::string& title) {
    const bool sparks = std::any_of(item.rows.begin(), item.rows.end(),
                                    [](const ReportRow& row) { return row.sparkline.has_value(); });
    const PlotRange range = sparks ? plot_range(item) : PlotRange{};
    const std::string name = title + (item.caption.empty() ? "" : ": " + item.caption);
    add("<div class=\"table\" data-title=\"", html_text(title),
        "\">\n<div class=\"bar\"><p class=\"caption\">", html_text(item.caption),
        "</p></div>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
        "aria-label=\"",
        html_text(name), "\">\n<table>\n");
    header_row(item, sparks, range);
    add("<tbody>\n");
    for (const ReportRow& row : item.rows) {
      add(row.emphasised ? "<tr class=\"on\">" : "<tr>");
      for (std::size_t c = 0; c < item.columns.size(); ++c) {
        cell(item.columns[c], row.cells[c], c == 0, c == 0 ? below(item, row) : std::string());
        if (!sparks || c > 0) continue;
        add("<td class=\"plot\">",
            row.sparkline ? html_sparkline(*row.sparkline, range) : std::string(), "</td>");
      }
      add("</tr>\n");
    }
    add("</tbody>\n</table>\n</div>\n</div>\n");
  }

  std::string out_;
};

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string render_html(const Report& report) { return Page().render(report); }

}  // namespace apmt
