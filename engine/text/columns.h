// Columns of a text table: reads each one as numbers, times, categories or texts, or determines which of these its fields allow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/core/storage.h"
#include "engine/text/records.h"
#include "engine/text/values.h"

namespace mt::text {

// The type of a column. `guess` stores no values, only the types that all its fields allow.
enum class ColumnKind : uint8_t { guess, boolean, integer, real, date, text, category };

// The types that a field allows, as bits. A missing field allows real, date, text and category. `quoted` and `absent` are no types: they
// say how the field was written.
namespace readable {
inline constexpr uint32_t boolean = 1, integer = 2, real = 4, date = 8, text = 16, all = 31, quoted = 32, absent = 64;
}

struct Column {
  int64_t place = 0;  // index of its field in a record
  ColumnKind kind = ColumnKind::real;
  bool inferred = false;                // a field of another type turns the column into a `guess`
  bool closed = false;                  // an unknown category is an error
  double low = -0x1p63, high = 0x1p63;  // range of integers, inclusive if exact
  std::optional<double> missing;        // value of missing numbers
  bool gaps = false;                    // integers, booleans and texts may be missing: their rows are in `missing_rows`

  uint32_t could_be = readable::all;  // of a guess: types that all fields allow
  StoragePtr values;                  // int64 or double
  int64_t first = 0, step = 1;        // row r is element first + r * step
  std::string bytes;                  // of texts
  std::vector<int64_t> ends;          // of texts
  std::vector<int64_t> missing_rows;  // with `gaps`
  bool seen = false;                  // of reals and dates: whether there was a value that is not missing
  std::vector<std::string> names;     // of categories, from 1
  std::unordered_map<std::string, int64_t> codes;
};

class Columns {
 public:
  // `absent`: texts of missing values, besides the usual ones unless `only_absent`.
  Columns(const Format& format, DateOrder order, std::vector<std::string> absent, bool only_absent)
      : records_(format), order_(order), absent_(std::move(absent)), only_absent_(only_absent) {}

  Records& records() { return records_; }
  std::vector<Column>& columns() { return columns_; }
  // `width`: number of fields in a record; 0: any. `together`: all elements lie in one storage, row by row.
  void set(std::vector<Column> columns, int64_t width, bool together);
  // Sets the text, as Records::start.
  void start(const char* text, int64_t at, int64_t end, bool last) {
    text_ = text;
    records_.start(text, at, end, last);
  }
  // Reads further records until there are `most` rows in all.
  Records::Result read(int64_t most);
  int64_t rows() const { return rows_; }
  const Damage& damage() const { return damage_; }
  // Drops the rows, but not the categories. The caller owns the storages from now on.
  void clear();
  // The types that a field allows.
  uint32_t classify(const Field& field) const;
  uint32_t classify(std::string_view text) const;

 private:
  bool read_row();
  bool read_field(Column& column, const Field& field);
  bool read_number(Column& column, const Field& field, std::string_view text);
  bool refuse(Column& column, const Field& field, Damage::What what);
  void grow();
  std::string_view content(const Field& field) const {
    return trimmed({text_ + field.start, static_cast<size_t>(field.stop - field.start)});
  }
  bool fits(int64_t fields) const { return width_ == 0 || fields == width_ || (records_.format().ragged && fields < width_); }
  bool is_absent(std::string_view text) const;
  int64_t code_of(Column& column, std::string text);

  Records records_;
  DateOrder order_;
  std::vector<std::string> absent_;
  bool only_absent_ = false;
  std::vector<Column> columns_;
  int64_t width_ = 0, rows_ = 0, room_ = 0;
  bool together_ = false;
  const char* text_ = nullptr;
  Damage damage_;
};

}  // namespace mt::text
