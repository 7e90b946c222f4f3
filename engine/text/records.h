// Records of separated fields (RFC 4180 and its relatives) in a text that comes piece by piece. Lines end with LF, CR LF or CR.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/text/special_bytes.h"

namespace mt::text {

struct Format {
  char separator = ',';
  char comment = '\0';    // lines that begin with it are left out; none for zero
  char decimal = '.';     // between the whole part of a number and its fraction
  char thousands = '\0';  // between groups of three digits of a number; none for zero
  char quote = '"';       // around fields that hold separators or line ends; none for zero
  bool runs = false;      // several separators together are one, and none at a line's ends; tabs are blanks, too
  bool ragged = false;    // records may be shorter than the first
  bool skip = false;      // malformed records are left out: of another number of fields, or with text behind a closing quote
};

// A field, as a place in the text: without its quotes. `doubled`: quotes inside of it are written twice.
struct Field {
  int64_t start, stop;
  bool quoted, doubled;
};

// What is wrong with a text, and where.
struct Damage {
  enum class What : uint8_t { nothing, open_quote, after_quote, field_count, value, missing, range };
  What what = What::nothing;
  int64_t at = 0, stop = 0;  // the bytes that are wrong
  int64_t found = 0;         // fields, where their number is wrong
  int column = 0;            // of the columns that are read, which of them
  int64_t field = 0;         // of the record's fields, which
};

class Records {
 public:
  enum class Result : uint8_t { record, end, wants_more, damaged };

  explicit Records(const Format& format)
      : format_(format),
        special_(format.separator, '\n', '\r', format.quote != '\0' ? format.quote : '\n',
                 format.runs && format.separator == ' ' ? '\t' : '\n') {}

  // Gives the text from `at` on, to be followed by more unless it is the last piece. Bytes behind it may be read: SpecialBytes::padding.
  void start(const char* text, int64_t at, int64_t end, bool last);
  // Finds the fields of the next record that is neither an empty line nor a comment.
  Result next();

  const std::vector<Field>& fields() const { return fields_; }
  int64_t at() const { return at_; }  // behind the record
  int64_t record_at() const { return record_at_; }
  int64_t line() const { return line_; }  // of the record's start, from 1
  void set_line(int64_t line) { next_line_ = line; }
  int64_t next_line() const { return next_line_; }
  const Damage& damage() const { return damage_; }
  const Format& format() const { return format_; }
  int64_t skipped() const { return skipped_; }  // records that were left out since the last time it was set
  void set_skipped(int64_t count) { skipped_ = count; }
  std::string content(const Field& field) const;  // with single quotes

 private:
  Result scan();
  Result scan_quoted(int64_t& at);
  Result stop_short(int64_t quote_at);
  bool skip_line(int64_t from);
  bool ends_line(int64_t at) const { return text_[at] == '\n' || text_[at] == '\r'; }
  bool is_quote(int64_t at) const { return text_[at] == format_.quote && format_.quote != '\0'; }
  bool pass_line_end(int64_t& at);
  void add(int64_t start, int64_t stop) { fields_.push_back({start, stop, false, false}); }

  Format format_;
  SpecialBytes special_;
  const char* text_ = nullptr;
  int64_t at_ = 0, end_ = 0, record_at_ = 0, line_ = 0, next_line_ = 1, skipped_ = 0;
  bool last_ = false;
  std::vector<Field> fields_;
  Damage damage_;
};

}  // namespace mt::text
