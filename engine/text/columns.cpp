#include "engine/text/columns.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mt::text {
namespace {

bool holds_integers(ColumnKind kind) { return kind == ColumnKind::boolean || kind == ColumnKind::integer || kind == ColumnKind::category; }
bool holds_reals(ColumnKind kind) { return kind == ColumnKind::real || kind == ColumnKind::date; }

constexpr size_t exact_digits = 15;  // doubles represent all integers with this number of digits

// An integer, also in the form 5.0 or 1e3.
bool read_whole(std::string_view text, char decimal, int64_t& value) {
  if (read_integer(text, value)) return true;
  double real;
  if (text.size() > exact_digits || !read_real(text, decimal, real) || real != std::floor(real)) return false;
  if (!(real > -0x1p63 && real < 0x1p63)) return false;
  value = static_cast<int64_t>(real);
  return true;
}

}  // namespace

void Columns::set(std::vector<Column> columns, int64_t width, bool together) {
  columns_ = std::move(columns);
  width_ = width;
  together_ = together;
  for (Column& column : columns_) {
    for (size_t i = 0; i < column.names.size(); ++i) column.codes.emplace(column.names[i], static_cast<int64_t>(i) + 1);
  }
  clear();
}

void Columns::clear() {
  rows_ = room_ = 0;
  damage_ = {};
  StoragePtr shared;
  const auto count = static_cast<int64_t>(columns_.size());
  for (int64_t i = 0; i < count; ++i) {
    Column& column = columns_[static_cast<size_t>(i)];
    column.bytes = {};  // frees the memory, too, which Lua's collector doesn't see
    column.ends = {};
    column.missing_rows = {};
    column.values = StoragePtr();
    const bool integers = holds_integers(column.kind);
    if (!integers && !holds_reals(column.kind)) continue;
    if (!together_) {
      column.values = StoragePtr::adopt(Storage::create(integers ? DType::int64 : DType::float64, 0));
      column.first = 0;
      column.step = 1;
      continue;
    }
    if (!shared) shared = StoragePtr::adopt(Storage::create(integers ? DType::int64 : DType::float64, 0));
    column.values = shared;
    column.first = i;
    column.step = count;
  }
}

void Columns::grow() {
  const int64_t room = std::max<int64_t>(2 * room_, 1024);
  for (Column& column : columns_) {
    if (column.values) column.values->grow_to(room * column.step);
  }
  room_ = room;
}

bool Columns::is_absent(std::string_view text) const {
  return text.empty() || (!only_absent_ && is_missing(text)) ||
         (!absent_.empty() && std::find(absent_.begin(), absent_.end(), text) != absent_.end());
}

uint32_t Columns::classify(std::string_view text) const {
  std::string joined;
  if (join_thousands(text, records_.format().thousands, records_.format().decimal, joined)) text = joined;
  if (is_absent(text)) {
    double value;
    const bool number = read_real(text, records_.format().decimal, value);
    return readable::text | readable::real | (number ? 0 : readable::date | readable::absent);
  }
  int64_t integer;
  double real;
  bool truth;
  if (read_integer(text, integer)) return readable::integer | readable::real | readable::text;
  if (read_real(text, records_.format().decimal, real)) return readable::real | readable::text;
  if (read_boolean(text, truth)) return readable::boolean | readable::text;
  if (read_date(text, order_, real)) return readable::date | readable::text;
  return readable::text;
}

uint32_t Columns::classify(const Field& field) const { return classify(content(field)) | (field.quoted ? readable::quoted : 0); }

bool Columns::refuse(Column& column, const Field& field, Damage::What what) {
  if (column.inferred) {
    column.could_be = !column.seen && holds_reals(column.kind) ? readable::all
                      : column.kind == ColumnKind::integer     ? readable::integer | readable::real | readable::text
                      : column.kind == ColumnKind::real        ? readable::real | readable::text
                      : column.kind == ColumnKind::date        ? readable::date | readable::text
                                                               : readable::boolean | readable::text;
    column.could_be &= classify(field);
    column.kind = ColumnKind::guess;
    return true;
  }
  damage_ = {
      .what = what, .at = field.start, .stop = field.stop, .column = static_cast<int>(&column - columns_.data()), .field = column.place};
  return false;
}

int64_t Columns::code_of(Column& column, std::string text) {
  if (const auto known = column.codes.find(text); known != column.codes.end()) return known->second;
  if (column.closed) return 0;
  column.names.push_back(text);
  const auto code = static_cast<int64_t>(column.names.size());
  column.codes.emplace(std::move(text), code);
  return code;
}

bool Columns::read_number(Column& column, const Field& field, std::string_view text) {
  const int64_t place = column.first + rows_ * column.step;
  std::string joined;
  if (join_thousands(text, records_.format().thousands, records_.format().decimal, joined)) text = joined;
  if (holds_reals(column.kind)) {
    double value;
    const bool good = column.kind == ColumnKind::date ? read_date(text, order_, value) : read_real(text, records_.format().decimal, value);
    if (!good) {
      if (!is_absent(text)) return refuse(column, field, Damage::What::value);
      value = column.missing.value_or(std::numeric_limits<double>::quiet_NaN());
    } else {
      column.seen = true;
    }
    column.values->elements<double>()[place] = value;
    return true;
  }
  int64_t value = 0;
  bool truth = false;
  const bool is_boolean = column.kind == ColumnKind::boolean;
  if (is_boolean && read_boolean(text, truth)) {
    value = truth ? 1 : 0;
  } else if (!read_whole(text, records_.format().decimal, value)) {
    if (!is_absent(text)) return refuse(column, field, Damage::What::value);
    if (!column.missing && !column.gaps) return refuse(column, field, Damage::What::missing);
    if (!column.missing) column.missing_rows.push_back(rows_);
    value = static_cast<int64_t>(column.missing.value_or(0));
  } else if (is_boolean && (column.inferred || (value != 0 && value != 1))) {
    return refuse(column, field, Damage::What::value);
  }
  const auto magnitude = static_cast<double>(value);
  if (magnitude < column.low || magnitude > column.high) return refuse(column, field, Damage::What::range);
  column.values->elements<int64_t>()[place] = value;
  return true;
}

bool Columns::read_field(Column& column, const Field& field) {
  switch (column.kind) {
    case ColumnKind::guess: {
      if (column.gaps && is_absent(content(field))) return true;
      column.could_be &= classify(field) | ~readable::all;
      return true;
    }
    case ColumnKind::text:
      if (column.gaps && is_absent(content(field))) {
        column.missing_rows.push_back(rows_);
      } else if (field.doubled) {
        column.bytes += records_.content(field);
      } else {
        column.bytes.append(text_ + field.start, static_cast<size_t>(field.stop - field.start));
      }
      column.ends.push_back(static_cast<int64_t>(column.bytes.size()));
      return true;
    case ColumnKind::category: {
      const bool none = is_absent(content(field));
      const int64_t code = none ? 0 : code_of(column, records_.content(field));
      if (code == 0 && !none) return refuse(column, field, Damage::What::value);
      column.values->elements<int64_t>()[column.first + rows_ * column.step] = code;
      return true;
    }
    default:
      return read_number(column, field, content(field));
  }
}

bool Columns::read_row() {
  static constexpr Field nothing{0, 0, false, false};
  const std::vector<Field>& fields = records_.fields();
  const auto found = static_cast<int64_t>(fields.size());
  if (!fits(found)) {
    damage_ = {.what = Damage::What::field_count, .at = records_.record_at(), .stop = records_.at(), .found = found};
    return false;
  }
  for (Column& column : columns_) {
    const Field* field = &nothing;
    if (column.place < found) field = &fields[static_cast<size_t>(column.place)];
    if (!read_field(column, *field)) return false;
  }
  return true;
}

Records::Result Columns::read(int64_t most) {
  while (rows_ < most) {
    const Records::Result result = records_.next();
    if (result == Records::Result::damaged) damage_ = records_.damage();
    if (result != Records::Result::record) return result;
    if (records_.format().skip && !fits(static_cast<int64_t>(records_.fields().size()))) {
      records_.set_skipped(records_.skipped() + 1);
      continue;
    }
    if (rows_ == room_) grow();
    if (!read_row()) return Records::Result::damaged;
    ++rows_;
  }
  return Records::Result::record;
}

}  // namespace mt::text
