// Columns of a table of text, each read as numbers, times, categories or texts, and what their fields could be read as.
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

// What a column is read as. `guess`: nothing is kept but what all its fields could be read as.
enum class ColumnKind : uint8_t { guess, boolean, integer, real, date, text, category };

// What a field can be read as: bits. A missing one can be read as a real, a date, a text or a category. `quoted` and `absent` are not for
// reading: they say how the field was written.
namespace readable {
inline constexpr uint32_t boolean = 1, integer = 2, real = 4, date = 8, text = 16, all = 31, quoted = 32, absent = 64;
}

struct Column {
  int64_t place = 0;  // of its field in a record
  ColumnKind kind = ColumnKind::real;
  bool inferred = false;                // a field that is none of the kind makes it a `guess`
  bool closed = false;                  // a category that is not known yet is an error
  double low = -0x1p63, high = 0x1p63;  // of integers, both included where they are exact
  std::optional<double> missing;        // stands for what is missing, in numbers

  uint32_t could_be = readable::all;  // of a guess: what all fields have in common
  StoragePtr values;                  // int64 or double
  int64_t first = 0, step = 1;        // the place of row r's element is first + r * step
  std::string bytes;                  // of texts
  std::vector<int64_t> ends;          // of texts
  std::vector<std::string> names;     // of categories, from 1
  std::unordered_map<std::string, int64_t> codes;
};

class Columns {
 public:
  Columns(const Format& format, DateOrder order, std::vector<std::string> absent)
      : records_(format), order_(order), absent_(std::move(absent)) {}

  Records& records() { return records_; }
  std::vector<Column>& columns() { return columns_; }
  // `width`: fields of a record; 0 takes any number. `together`: all elements lie in one storage, row by row.
  void set(std::vector<Column> columns, int64_t width, bool together);
  // Gives the text, as Records::start.
  void start(const char* text, int64_t at, int64_t end, bool last) {
    text_ = text;
    records_.start(text, at, end, last);
  }
  // Reads records, `most` rows at most, which come after those read before.
  Records::Result read(int64_t most);
  int64_t rows() const { return rows_; }
  const Damage& damage() const { return damage_; }
  // Forgets the rows: the next come first. Categories stay. What storages there are belong to the caller now.
  void clear();
  // What a field can be read as.
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
  std::vector<Column> columns_;
  int64_t width_ = 0, rows_ = 0, room_ = 0;
  bool together_ = false;
  const char* text_ = nullptr;
  Damage damage_;
};

}  // namespace mt::text
