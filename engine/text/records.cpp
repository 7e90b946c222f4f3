#include "engine/text/records.h"

namespace mt::text {

void Records::start(const char* text, int64_t at, int64_t end, bool last) {
  text_ = text;
  at_ = at;
  end_ = end;
  last_ = last;
  special_.start(text, at, end);
}

// Handles a text that ends inside a record.
Records::Result Records::stop_short(int64_t quote_at) {
  if (!last_) return Result::wants_more;
  damage_ = {.what = Damage::What::open_quote, .at = quote_at, .stop = end_};
  return Result::damaged;
}

// Skips the line end at `at`, the current byte of `special_`. Returns false if CR and CR LF can't be told apart without more text.
bool Records::pass_line_end(int64_t& at) {
  const bool carriage_return = text_[at] == '\r';
  if (carriage_return && at + 1 >= end_ && !last_) return false;
  ++at;
  if (carriage_return && at < end_ && text_[at] == '\n') {
    special_.next();
    ++at;
  }
  ++next_line_;
  return true;
}

// Reads a quoted field from its opening quote at `at`; sets `at` to the separator, line end or end of text after it.
Records::Result Records::scan_quoted(int64_t& at) {
  Field field{at + 1, 0, true, false};
  int64_t place;
  while (true) {
    place = special_.next();
    if (place >= end_) return stop_short(at);
    if (text_[place] == '\n' || (text_[place] == '\r' && text_[place + 1] != '\n')) ++next_line_;
    if (!is_quote(place)) continue;
    if (place + 1 >= end_ && !last_) return Result::wants_more;
    if (place + 1 >= end_ || !is_quote(place + 1)) break;
    special_.next();
    field.doubled = true;
  }
  field.stop = place;
  const int64_t after = place + 1;
  if (after >= end_) {
    if (!last_) return Result::wants_more;
  } else if (special_.next() != after || is_quote(after)) {
    damage_ = {.what = Damage::What::after_quote, .at = after, .stop = after + 1};
    return Result::damaged;
  }
  fields_.push_back(field);
  at = after;
  return Result::record;
}

// Reads the fields of the record at at_; quoted fields can contain line ends.
Records::Result Records::scan() {
  fields_.clear();
  int64_t at = at_;
  while (true) {
    if (at < end_ && is_quote(at)) {
      special_.next();  // the quote itself
      const Result result = scan_quoted(at);
      if (result != Result::record) return result;
    } else {
      int64_t stop = special_.next();
      while (stop < end_ && is_quote(stop)) stop = special_.next();
      if (stop >= end_ && !last_) return Result::wants_more;
      add(at, stop);
      at = stop;
    }
    if (at >= end_) {
      at_ = end_;
      return Result::record;
    }
    if (ends_line(at)) {
      if (!pass_line_end(at)) return Result::wants_more;
      at_ = at;
      return Result::record;
    }
    ++at;
  }
}

// Skips the rest of a line. Returns false if the text ends first.
bool Records::skip_line(int64_t from) {
  special_.start(text_, from, end_);
  int64_t stop = special_.next();
  while (stop < end_ && !ends_line(stop)) stop = special_.next();
  if (stop >= end_) {
    if (!last_) return false;
  } else if (!pass_line_end(stop)) {
    return false;
  }
  at_ = stop;
  return true;
}

// Removes empty fields, which adjacent separators produce.
static void drop_empty(std::vector<Field>& fields) {
  std::erase_if(fields, [](const Field& field) { return field.start == field.stop && !field.quoted; });
}

Records::Result Records::next() {
  while (true) {
    const int64_t begin = at_, line = next_line_;
    if (begin >= end_) return last_ ? Result::end : Result::wants_more;
    if (format_.comment != '\0' && text_[begin] == format_.comment) {
      if (!skip_line(begin)) return Result::wants_more;
      continue;
    }
    const Result result = scan();
    if (result == Result::damaged && format_.skip && damage_.what == Damage::What::after_quote) {
      if (!skip_line(damage_.at)) {
        next_line_ = line;
        return Result::wants_more;
      }
      damage_ = {};
      ++skipped_;
      continue;
    }
    if (result == Result::wants_more) {
      next_line_ = line;
      return result;
    }
    record_at_ = begin;
    line_ = line;
    if (result == Result::damaged) return result;
    if (format_.runs) drop_empty(fields_);
    if (fields_.size() > 1 || (!fields_.empty() && (fields_[0].stop > fields_[0].start || fields_[0].quoted))) return Result::record;
  }
}

std::string Records::content(const Field& field) const {
  const std::string_view text(text_ + field.start, static_cast<size_t>(field.stop - field.start));
  if (!field.doubled) return std::string(text);
  std::string single;
  single.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    single += text[i];
    if (text[i] == format_.quote) ++i;
  }
  return single;
}

}  // namespace mt::text
