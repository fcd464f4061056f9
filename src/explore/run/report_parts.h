// The parts of a report's page: the files of src/explore/report, as they are.
#pragma once

#include <string_view>

namespace sf::explore {

std::string_view report_html();
std::string_view report_css();
std::string_view report_js();

}  // namespace sf::explore
