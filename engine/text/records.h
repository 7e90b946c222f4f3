// Records of separated fields (RFC 4180 and relatives) in a text that arrives in parts. Lines end with LF, CR LF or CR.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/text/special_bytes.h"

namespace mt::text {

struct Format {
  char separator = ',';
  char comment = '\0';    // lines that begin with it are skipped; 0: none
  char decimal = '.';     // decimal separator
  char thousands = '\0';  // thousands separator; 0: none
  char quote = '"';       // around fields that contain separators or line ends; 0: none
  bool runs = false;      // adjacent separators count as one, and those at the ends of a line as none; tabs are blanks, too
  bool ragged = false;    // records may have fewer fields than the first one
  bool skip = false;      // skips malformed records: another number of fields, or text after a closing quote
};

// The range of a field in the text, without its quotes. `doubled`: it contains quotes, written twice.
struct Field {
  int64_t start, stop;
  bool quoted, doubled;
};

// An error in a text, and its place.
struct Damage {
  enum class What : uint8_t { nothing, open_quote, after_quote, field_count, value, missing, range };
  What what = What::nothing;
  int64_t at = 0, stop = 0;  // the range of wrong bytes
  int64_t found = 0;         // the number of fields, if it is wrong
  int column = 0;            // index among the columns that are read
  int64_t field = 0;         // index of the field in the record
};

class Records {
 public:
  enum class Result : uint8_t { record, end, wants_more, damaged };

  explicit Records(const Format& format)
      : format_(format),
        special_(format.separator, '\n', '\r', format.quote != '\0' ? format.quote : '\n',
                 format.runs && format.separator == ' ' ? '\t' : '\n') {}

  // Sets the text from `at` on; more follows unless it is the last part. SpecialBytes::padding bytes after it must be readable.
  void start(const char* text, int64_t at, int64_t end, bool last);
  // Finds the fields of the next record; skips empty lines and comments.
  Result next();

  const std::vector<Field>& fields() const { return fields_; }
  int64_t at() const { return at_; }  // after the record
  int64_t record_at() const { return record_at_; }
  int64_t line() const { return line_; }  // first line of the record, from 1
  void set_line(int64_t line) { next_line_ = line; }
  int64_t next_line() const { return next_line_; }
  const Damage& damage() const { return damage_; }
  const Format& format() const { return format_; }
  int64_t skipped() const { return skipped_; }  // number of skipped records since set_skipped
  void set_skipped(int64_t count) { skipped_ = count; }
  std::string content(const Field& field) const;  // doubled quotes become single ones

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
