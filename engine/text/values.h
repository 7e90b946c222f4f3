// Parses fields of a text table: numbers, booleans, times, missing values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mt::text {

// The text without leading and trailing blanks.
std::string_view trimmed(std::string_view text);

// The functions below take trimmed texts. They return false for other texts, and may have changed `value` then.

// A decimal integer of 64 bits.
bool read_integer(std::string_view text, int64_t& value);
// Removes the thousands separators of a number such as 1,234,567.5: one to three digits, then groups of three. Writes the result to
// `digits`. Returns false if there are none, or if they are misplaced.
bool join_thousands(std::string_view text, char thousands, char decimal, std::string& digits);
// A decimal number, inf or nan, in upper or lower case. Overflow gives an infinity and underflow zero, as in C.
bool read_real(std::string_view text, char decimal, double& value);
bool read_boolean(std::string_view text, bool& value);  // true and false, in upper or lower case

// The order of day and month in dates such as 03/04/2021.
enum class DateOrder : uint8_t { unknown, day_first, month_first };
// Seconds since 1970-01-01 in UTC, the default zone. ISO 8601 (2021-03-04, 2021-03-04T05:06:07.5+01:00, with a
// blank for the T or without its hyphens and colons), 2021/03/04, 4.3.2021, 4 March 2021, Mar 4, 2021, Thu, 04 Mar 2021 05:06:07 GMT,
// 04/Mar/2021:05:06:07 +0000, and by the order 03/04/2021; a time may have am or pm.
bool read_date(std::string_view text, DateOrder order, double& value);

// Empty, NA, N/A, #N/A, NaN, null, none or <NA>, in upper or lower case.
bool is_missing(std::string_view text);

}  // namespace mt::text
