#include "engine/text/records.h"

namespace mt::text {

void Records::start(const char* text, int64_t at, int64_t end, bool last) {
  text_ = text;
  at_ = at;
  end_ = end;
  last_ = last;
  special_.start(text, at, end);
}

// The text ends inside of a record.
Records::Result Records::stop_short(int64_t quote_at) {
  if (!last_) return Result::wants_more;
  damage_ = {.what = Damage::What::open_quote, .at = quote_at, .stop = end_};
  return Result::damaged;
}

// A field in quotes from `at`, the place of the opening one; afterwards that of the separator, line end or text's end behind it.
Records::Result Records::scan_quoted(int64_t& at) {
  Field field{at + 1, 0, true, false};
  int64_t place;
  while (true) {
    place = special_.next();
    if (place >= end_) return stop_short(at);
    if (text_[place] == '\n') ++next_line_;
    if (text_[place] != '"') continue;
    if (place + 1 >= end_ && !last_) return Result::wants_more;
    if (place + 1 >= end_ || text_[place + 1] != '"') break;
    special_.next();
    field.doubled = true;
  }
  field.stop = place;
  int64_t after = place + 1;
  if (after < end_ && text_[after] == '\r') ++after;
  if (after >= end_) {
    if (!last_) return Result::wants_more;
  } else if (special_.next() != after || text_[after] == '"') {
    damage_ = {.what = Damage::What::after_quote, .at = after, .stop = after + 1};
    return Result::damaged;
  }
  fields_.push_back(field);
  at = after;
  return Result::record;
}

// The fields of the line at at_; a field in quotes may hold line ends.
Records::Result Records::scan() {
  fields_.clear();
  int64_t at = at_;
  while (true) {
    if (at < end_ && text_[at] == '"') {
      special_.next();  // the quote itself
      const Result result = scan_quoted(at);
      if (result != Result::record) return result;
    } else {
      int64_t stop = special_.next();
      while (stop < end_ && text_[stop] == '"') stop = special_.next();
      if (stop >= end_ && !last_) return Result::wants_more;
      const bool ends_line = stop >= end_ || text_[stop] == '\n';
      add(at, ends_line && stop > at && text_[stop - 1] == '\r' ? stop - 1 : stop);
      at = stop;
    }
    if (at >= end_) {
      at_ = end_;
      return Result::record;
    }
    ++at;
    if (text_[at - 1] == '\n') {
      ++next_line_;
      at_ = at;
      return Result::record;
    }
  }
}

// Whether the line at at_ is a comment: then it is passed over, where its end is there.
bool Records::skip_comment() {
  if (format_.comment == '\0' || at_ >= end_ || text_[at_] != format_.comment) return false;
  int64_t stop = special_.next();
  while (stop < end_ && text_[stop] != '\n') stop = special_.next();
  if (stop >= end_ && !last_) return true;
  at_ = stop < end_ ? stop + 1 : end_;
  next_line_ += stop < end_ ? 1 : 0;
  return true;
}

// Leaves out empty fields, which runs of separators make.
static void drop_empty(std::vector<Field>& fields) {
  std::erase_if(fields, [](const Field& field) { return field.start == field.stop && !field.quoted; });
}

Records::Result Records::next() {
  while (true) {
    const int64_t begin = at_, line = next_line_;
    if (begin >= end_) return last_ ? Result::end : Result::wants_more;
    if (skip_comment()) {
      if (at_ == begin) return Result::wants_more;
      continue;
    }
    const Result result = scan();
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
    if (text[i] == '"') ++i;
  }
  return single;
}

}  // namespace mt::text
