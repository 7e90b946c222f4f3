// Times in the formats of people and programs.
#include <array>
#include <cmath>

#include "engine/text/values.h"

namespace mt::text {
namespace {

constexpr std::array<std::string_view, 12> months{"january", "february", "march",     "april",   "may",      "june",
                                                  "july",    "august",   "september", "october", "november", "december"};
constexpr std::array<std::string_view, 7> weekdays{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};

// A cursor over a text.
struct Reading {
  std::string_view rest;

  char peek() const { return rest.empty() ? '\0' : rest.front(); }
  bool take(char c) {
    if (peek() != c) return false;
    rest.remove_prefix(1);
    return true;
  }
  void skip_blanks() {
    while (take(' ')) {
    }
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  // Reads at most `most` digits; returns their number.
  int number(int most, int& value) {
    int count = 0;
    value = 0;
    while (count < most && !rest.empty() && is_digit(rest.front())) {
      value = 10 * value + (rest.front() - '0');
      rest.remove_prefix(1);
      ++count;
    }
    return count;
  }
  bool exactly(int digits, int& value) { return number(digits, value) == digits; }
  // The index of the next word in a list of names, of which three or more letters suffice; -1 if it is not there.
  template <size_t n> int word(const std::array<std::string_view, n>& names) {
    size_t length = 0;
    while (length < rest.size() && ((rest[length] | 32) >= 'a' && (rest[length] | 32) <= 'z')) ++length;
    if (length < 3) return -1;
    for (size_t i = 0; i < n; ++i) {
      bool same = length <= names[i].size();
      for (size_t j = 0; same && j < length; ++j) same = static_cast<char>(rest[j] | 32) == names[i][j];
      if (same) {
        rest.remove_prefix(length);
        return static_cast<int>(i);
      }
    }
    return -1;
  }
};

struct Day {
  int year = 0, month = 0, day = 0;
};

bool is_leap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

bool exists(const Day& d) {
  static constexpr int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (d.month < 1 || d.month > 12 || d.day < 1) return false;
  return d.day <= lengths[d.month - 1] + (d.month == 2 && is_leap(d.year) ? 1 : 0);
}

// Days since 1970-01-01 in the Gregorian calendar. Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil.
int64_t days_since_1970(const Day& d) {
  const int64_t y = d.year - (d.month <= 2 ? 1 : 0), era = (y >= 0 ? y : y - 399) / 400, year_of_era = y - era * 400;
  const int64_t day_of_year = (153 * (d.month + (d.month > 2 ? -3 : 9)) + 2) / 5 + d.day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

// 4 March 2021, 04-Mar-2021, 04/Mar/2021, after an optional weekday: the part after the day.
bool read_named_month(Reading& r, Day& d) {
  while (r.take(' ') || r.take('-') || r.take('/') || r.take('.')) {
  }
  d.month = r.word(months) + 1;
  if (d.month == 0) return false;
  while (r.take(' ') || r.take('-') || r.take('/') || r.take('.') || r.take(',')) {
  }
  return r.exactly(4, d.year);
}

// March 4, 2021
bool read_month_first(Reading& r, Day& d) {
  d.month = r.word(months) + 1;
  if (d.month == 0) return false;
  r.take('.');
  r.skip_blanks();
  if (r.number(2, d.day) == 0) return false;
  r.take(',');
  r.skip_blanks();
  return r.exactly(4, d.year);
}

// The part after a year with four digits.
bool read_year_first(Reading& r, Day& d, bool& compact) {
  const char separator = r.peek();
  if (separator == '-' || separator == '/' || separator == '.') {
    r.take(separator);
    if (r.number(2, d.month) == 0) return false;
    return r.take(separator) && r.number(2, d.day) != 0;
  }
  compact = true;
  return r.exactly(2, d.month) && r.exactly(2, d.day);
}

// The part after a first number of one or two digits, the day or the month.
bool read_year_last(Reading& r, Day& d, DateOrder order) {
  const char separator = r.peek();
  if (separator != '.' && separator != '/' && separator != '-') return read_named_month(r, d);
  Reading ahead = r;
  ahead.take(separator);
  if (!Reading::is_digit(ahead.peek())) return read_named_month(r, d);
  if (separator != '.' && order == DateOrder::unknown) return false;
  r = ahead;
  if (r.number(2, d.month) == 0 || !r.take(separator) || !r.exactly(4, d.year)) return false;
  if (separator != '.' && order == DateOrder::month_first) std::swap(d.day, d.month);
  return true;
}

bool read_day(Reading& r, DateOrder order, Day& d, bool& compact) {
  const Reading start = r;
  if (r.word(weekdays) >= 0) {
    r.take('.');
    r.take(',');
    r.skip_blanks();
  } else {
    r = start;
  }
  if (!Reading::is_digit(r.peek())) return read_month_first(r, d);
  int first = 0;
  const int digits = r.number(4, first);
  if (digits == 4) {
    d.year = first;
    return read_year_first(r, d, compact);
  }
  d.day = first;
  return digits <= 2 && read_year_last(r, d, order);
}

// hh:mm, hh:mm:ss, hh:mm:ss.fff; without colons if the date has no hyphens; optionally am or pm.
bool read_time(Reading& r, bool compact, double& seconds) {
  int hour = 0, minute = 0, second = 0;
  if (compact ? !r.exactly(2, hour) : r.number(2, hour) == 0) return false;
  const bool colons = r.take(':');
  if (!colons && !compact) return false;
  if (!r.exactly(2, minute)) return false;
  double fraction = 0;
  if (colons ? r.take(':') : Reading::is_digit(r.peek())) {
    if (!r.exactly(2, second)) return false;
    if (r.take('.') || r.take(',')) {
      double scale = 1;
      if (!Reading::is_digit(r.peek())) return false;
      for (; Reading::is_digit(r.peek()); r.rest.remove_prefix(1)) {
        scale *= 10;
        if (scale <= 1e15) fraction = 10 * fraction + (r.peek() - '0');
      }
      fraction /= std::min(scale, 1e15);
    }
  }
  const Reading before = r;
  r.skip_blanks();
  const char half = static_cast<char>(r.peek() | 32);
  if ((half == 'a' || half == 'p') && r.rest.size() >= 2 && (r.rest[1] | 32) == 'm') {
    if (hour < 1 || hour > 12) return false;
    hour = hour % 12 + (half == 'p' ? 12 : 0);
    r.rest.remove_prefix(2);
  } else {
    r = before;
  }
  if (hour > 23 || minute > 59 || second > 60) return false;  // 60: a leap second, equal to the start of the next minute
  seconds = 3600.0 * hour + 60 * minute + second + fraction;
  return true;
}

// Z, UTC, GMT, +hh, +hhmm or +hh:mm: seconds east.
bool read_zone(Reading& r, double& east) {
  east = 0;
  r.skip_blanks();
  if (r.rest.empty()) return true;
  if (r.take('Z') || r.take('z')) return r.rest.empty();
  for (const std::string_view name : {"UTC", "GMT"}) {
    if (r.rest.substr(0, 3) == name) r.rest.remove_prefix(3);
  }
  if (r.rest.empty()) return true;
  const bool negative = r.take('-');
  int hours = 0, minutes = 0;
  if (!negative && !r.take('+')) return false;
  if (!r.exactly(2, hours)) return false;
  if (!r.rest.empty()) {
    r.take(':');
    if (!r.exactly(2, minutes)) return false;
  }
  if (hours > 23 || minutes > 59) return false;
  east = (negative ? -1 : 1) * (3600.0 * hours + 60 * minutes);
  return r.rest.empty();
}

}  // namespace

bool read_date(std::string_view text, DateOrder order, double& value) {
  Reading r{text};
  Day day;
  bool compact = false;
  if (!read_day(r, order, day, compact) || !exists(day)) return false;
  value = static_cast<double>(days_since_1970(day)) * 86400;
  if (r.rest.empty()) return true;
  if (!r.take('T') && !r.take('t') && !r.take(':')) {
    r.take(',');
    if (r.peek() != ' ') return false;
    r.skip_blanks();
  }
  double seconds = 0, east = 0;
  if (!read_time(r, compact, seconds) || !read_zone(r, east)) return false;
  value += seconds - east;
  return true;
}

}  // namespace mt::text
