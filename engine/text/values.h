// What a field of a table says: numbers, truth values, points in time, or that there is no value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mt::text {

// Without the blanks around it.
std::string_view trimmed(std::string_view text);

// The rest takes trimmed texts. Each gives false for what is none, and may have written to `value` then.

// A decimal integer of 64 bits.
bool read_integer(std::string_view text, int64_t& value);
// Takes the separators of thousands out of a number, such as 1,234,567.5: a first group of one to three digits, and then groups of three.
// The digits are written to `digits`. False where there are none, or at other places.
bool join_thousands(std::string_view text, char thousands, char decimal, std::string& digits);
// A decimal number, inf or nan, in any case. Beyond what a double can hold it is infinite or zero, as in C.
bool read_real(std::string_view text, char decimal, double& value);
bool read_boolean(std::string_view text, bool& value);  // true and false, in any case

// In which order day and month come where they and the year are numbers and the year is last: 03/04/2021.
enum class DateOrder : uint8_t { unknown, day_first, month_first };
// Seconds since 1970-01-01 in UTC, which a time without a zone is taken for. ISO 8601 (2021-03-04, 2021-03-04T05:06:07.5+01:00, with a
// blank for the T or without its hyphens and colons), 2021/03/04, 4.3.2021, 4 March 2021, Mar 4, 2021, Thu, 04 Mar 2021 05:06:07 GMT,
// 04/Mar/2021:05:06:07 +0000, and by the order 03/04/2021; a time may have am or pm.
bool read_date(std::string_view text, DateOrder order, double& value);

// Nothing, NA, N/A, #N/A, NaN, null, none or <NA>, in any case.
bool is_missing(std::string_view text);

}  // namespace mt::text
