#include "reports/html_pieces.h"
#include "service/pages.h"

namespace apmt::service {
namespace {

HttpResponse html_response(std::string page, int status, const char* script_source) {
  const std::string policy =
      std::string("default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src ") +
      script_source + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  return {status,
          "text/html; charset=utf-8",
          std::move(page),
          {{"Content-Security-Policy", policy}, {"Referrer-Policy", "no-referrer"}}};
}

std::string html_cell(const PageCell& cell, const PageTable::Head& head, bool is_first) {
  const std::string tag = is_first ? "th" : "td";
  std::string inside = cell.html.empty() ? html_text(cell.text) : cell.html;
  if (inside.empty()) inside = "<span class=\"none\">&ndash;</span>";
  if (!cell.link.empty()) inside = "<a href=\"" + html_text(cell.link) + "\">" + inside + "</a>";
  if (head.is_text && cell.html.empty()) inside = "<span>" + inside + "</span>";
  return "<" + tag + (is_first ? " scope=\"row\"" : "") + (head.is_text ? " class=\"t\"" : "") +
         ">" + inside + "</" + tag + ">";
}

}  // namespace

std::string html_table(const PageTable& table) {
  std::string text = "<div class=\"table\"><p class=\"caption\">" + html_text(table.caption) +
                     "</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" +
                     html_text(table.caption) + "\">\n<table>\n<thead><tr>";
  for (const PageTable::Head& head : table.heads)
    text += std::string("<th scope=\"col\"") + (head.is_text ? " class=\"t\"" : "") + ">" +
            html_text(head.title) + "</th>";
  text += "</tr></thead>\n<tbody>\n";
  for (const std::vector<PageCell>& row : table.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) text += html_cell(row[i], table.heads[i], i == 0);
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table>\n</div></div>\n";
}

std::string html_fact(const std::string& name, const std::string& value) {
  return "<div><dt>" + html_text(name) + "</dt><dd>" + html_text(value) + "</dd></div>\n";
}

HttpResponse page_response(const std::string& title, const std::string& body, int status) {
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>" +
      html_text(title) + " - apmt</title>\n<style>" + std::string(html_style()) +
      "</style>\n</head>\n<body>\n<header>\n<nav aria-label=\"Pages\"><ul>\n"
      "<li><a href=\"/\">Applications</a></li>\n"
      "<li><a href=\"/track-record\">Track record</a></li>\n"
      "<li><a href=\"/api/v1/openapi.json\">Interface for programs</a></li>\n</ul></nav>\n"
      "<h1 class=\"headline\">" +
      html_text(title) + "</h1>\n</header>\n<main>\n" + body + "</main>\n</body>\n</html>\n";
  return html_response(std::move(page), status, "'none'");
}

HttpResponse report_response(const std::string& page) {
  return html_response(page, 200, "'unsafe-inline'");
}

HttpResponse problem_page(int status, const std::string& message, const std::string& hint) {
  std::string body = "<p>" + html_text(message) + "</p>\n";
  if (!hint.empty()) body += "<p>" + html_text(hint) + "</p>\n";
  return page_response("Error " + std::to_string(status), body, status);
}

}  // namespace apmt::service
