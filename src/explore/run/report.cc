#include "explore/run/report.h"

#include <nlohmann/json.hpp>

#include "explore/run/report_parts.h"

namespace sf::explore {

using wire::Json;

namespace {

void fill(std::string& page, std::string_view mark, std::string_view text) {
  const std::size_t at = page.find(mark);
  if (at != std::string::npos) page.replace(at, mark.size(), text);
}

}  // namespace

std::string report_page(const Json& document) {
  // Escape every `<`: command output must not end the script element that contains it.
  std::string data;
  for (char c : document.dump(-1, ' ', false, Json::error_handler_t::replace))
    data += c == '<' ? std::string("\\u003c") : std::string(1, c);
  std::string page(report_html());
  fill(page, "/*{{CSS}}*/", report_css());
  fill(page, "/*{{JS}}*/", report_js());
  fill(page, "{{RUN}}", data);  // last, because the data may contain the other markers
  return page;
}

}  // namespace sf::explore
