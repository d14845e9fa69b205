// ISO 8601, with the liberties that spreadsheets take.
#include "grading/book/moment.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <regex>

#include "core/text.h"

namespace cudalab::grading {
namespace {

constexpr int kSecondsOfDay = 86'400, kSecondsOfHour = 3'600, kSecondsOfMinute = 60;

struct Written {
  int year, month, day, hour, minute, second;
  std::string zone;  // empty: none was written
};

int number_in(const std::csub_match& part) { return part.matched ? std::atoi(part.str().c_str()) : 0; }

bool is_possible(const Written& time) {
  const std::chrono::year_month_day day{std::chrono::year(time.year),
                                        std::chrono::month(static_cast<unsigned>(time.month)),
                                        std::chrono::day(static_cast<unsigned>(time.day))};
  return day.ok() && time.hour < 24 && time.minute < 60 && time.second <= 60;
}

std::int64_t seconds_in_utc(const Written& time) {
  const std::chrono::sys_days day = std::chrono::year(time.year) /
                                    std::chrono::month(static_cast<unsigned>(time.month)) /
                                    std::chrono::day(static_cast<unsigned>(time.day));
  return std::int64_t{day.time_since_epoch().count()} * kSecondsOfDay + time.hour * kSecondsOfHour +
         time.minute * kSecondsOfMinute + time.second;
}

std::int64_t seconds_by_the_clock_here(const Written& time) {
  std::tm here{};
  here.tm_year = time.year - 1900;
  here.tm_mon = time.month - 1;
  here.tm_mday = time.day;
  here.tm_hour = time.hour;
  here.tm_min = time.minute;
  here.tm_sec = time.second;
  here.tm_isdst = -1;
  return std::mktime(&here);
}

// "+05:30", "-0800", "+01"
int seconds_of_offset(const std::string& zone) {
  const int hours = std::atoi(zone.substr(1, 2).c_str());
  const int minutes = zone.size() > 3 ? std::atoi(zone.substr(zone.size() - 2).c_str()) : 0;
  return (zone[0] == '-' ? -1 : 1) * (hours * kSecondsOfHour + minutes * kSecondsOfMinute);
}

std::int64_t seconds_of(const Written& time) {
  if (time.zone.empty()) return seconds_by_the_clock_here(time);
  const bool is_utc = time.zone == "Z" || time.zone == "UTC";
  return seconds_in_utc(time) - (is_utc ? 0 : seconds_of_offset(time.zone));
}

}  // namespace

std::optional<std::int64_t> moment_from(std::string_view text, DayMeans day) {
  static const std::regex form(
      R"((\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?)? ?(Z|UTC|[+-]\d\d(?::?\d\d)?)?)");
  const std::string trimmed_text(trimmed(text));
  std::cmatch part;
  if (!std::regex_match(trimmed_text.c_str(), part, form)) return std::nullopt;
  const Written time{number_in(part[1]), number_in(part[2]), number_in(part[3]), number_in(part[4]),
                     number_in(part[5]), number_in(part[6]), part[7].str()};
  if (!is_possible(time)) return std::nullopt;
  const bool is_end_of_day = !part[4].matched && day == DayMeans::kItsEnd;
  return seconds_of(time) + (is_end_of_day ? kSecondsOfDay - 1 : 0);
}

std::string span_in_words(std::int64_t seconds) {
  struct Unit {
    int seconds;
    std::string_view name;
  };
  static constexpr std::array<Unit, 3> kUnits{
      {{kSecondsOfDay, "day"}, {kSecondsOfHour, "hour"}, {kSecondsOfMinute, "minute"}}};
  for (const Unit& unit : kUnits)
    if (seconds >= 2 * unit.seconds) return counted(static_cast<double>(seconds / unit.seconds), unit.name);
  return counted(static_cast<double>(seconds), "second");
}

}  // namespace cudalab::grading
