#include "bindings/lua/text/delimited.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/state/outgoing_texts.h"
#include "bindings/lua/values/metatables.h"
#include "engine/text/columns.h"

namespace mt::lua {
namespace {

using text::Column;
using text::ColumnKind;
using text::Columns;
using text::Damage;
using text::Field;
using text::Records;

constexpr uint64_t delimited_magic = 0x6d74'4465'6c69'6d69;
constexpr const char* registered_name = "moontorch.delimited";
constexpr int64_t most_fields = 1 << 20;

// The object in the userdata. It stores values read from Lua tables, so that they are freed even if Lua raises an error.
struct Reader {
  Columns columns;
  std::vector<Column> wanted;
  std::vector<std::string> texts;
};
struct DelimitedBox {
  uint64_t magic = delimited_magic;
  std::unique_ptr<Reader> reader;
};

constexpr std::array<std::pair<std::string_view, ColumnKind>, 7> kinds{{{"guess", ColumnKind::guess},
                                                                        {"boolean", ColumnKind::boolean},
                                                                        {"integer", ColumnKind::integer},
                                                                        {"real", ColumnKind::real},
                                                                        {"date", ColumnKind::date},
                                                                        {"text", ColumnKind::text},
                                                                        {"category", ColumnKind::category}}};
constexpr std::array<const char*, 7> damages{"nothing", "quote", "afterQuote", "fields", "value", "missing", "range"};
constexpr std::array<const char*, 4> results{"record", "end", "more", "damaged"};

Reader& check_reader(lua_State* L) {
  DelimitedBox* box = test_box<DelimitedBox>(L, 1, delimited_magic);
  luaL_argcheck(L, box != nullptr && box->reader != nullptr, 1, "expected a reader of delimited text");
  return *box->reader;
}

// Pushes a field of the table on top of the stack by raw access.
void push_field(lua_State* L, const char* name) {
  luaL_checktype(L, -1, LUA_TTABLE);
  lua_pushstring(L, name);
  lua_rawget(L, -2);
}
bool flag(lua_State* L, const char* name) {
  push_field(L, name);
  const bool set = lua_toboolean(L, -1) != 0;
  lua_pop(L, 1);
  return set;
}
double number(lua_State* L, const char* name, double otherwise) {
  push_field(L, name);
  const double value = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : otherwise;
  lua_pop(L, 1);
  return value;
}
// The first byte of a string field, or a default.
char letter(lua_State* L, const char* name, char otherwise) {
  push_field(L, name);
  size_t length = 0;
  const char* text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : nullptr;
  const char found = length > 0 ? text[0] : otherwise;
  lua_pop(L, 1);
  return found;
}
// Reads the list of strings in a field of the table on top of the stack.
void read_texts(lua_State* L, State& state, const char* name, std::vector<std::string>& texts) {
  texts.clear();
  push_field(L, name);
  const int count = lua_istable(L, -1) ? static_cast<int>(lua_objlen(L, -1)) : 0;
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, -1, i);
    size_t length = 0;
    const char* text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : "";
    guarded(L, state, [&] { texts.emplace_back(text, length); });
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

int delimited_gc(lua_State* L) {
  if (DelimitedBox* box = test_box<DelimitedBox>(L, 1, delimited_magic)) {
    box->reader.reset();
    box->magic = 0;
  }
  return 0;
}

ColumnKind kind_on_top(lua_State* L) {
  push_field(L, "kind");
  const std::string_view name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
  ColumnKind kind = ColumnKind::guess;
  for (const auto& [known, value] : kinds) {
    if (name == known) kind = value;
  }
  lua_pop(L, 1);
  return kind;
}

// reader:columns({{place, kind, inferred, closed, gaps, low, high, missing, names}, ...}, width, together): sets the
// columns for `read`. `place` is the position of a field, from 0.
int set_columns(lua_State* L) {
  State& state = upvalue_state(L);
  Reader& reader = check_reader(L);
  luaL_checktype(L, 2, LUA_TTABLE);
  const double width = luaL_checknumber(L, 3);
  luaL_argcheck(L, width >= 0 && width <= most_fields, 3, "expected a number of fields");
  const bool together = lua_toboolean(L, 4) != 0;
  lua_settop(L, 2);
  reader.wanted.clear();
  const int count = static_cast<int>(std::min<size_t>(lua_objlen(L, 2), most_fields));
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, 2, i);
    const double place = number(L, "place", i - 1);
    luaL_argcheck(L, place >= 0 && place <= most_fields, 2, "expected places of fields");
    guarded(L, state, [&] { reader.wanted.emplace_back(); });
    Column& column = reader.wanted.back();
    column.place = static_cast<int64_t>(place);
    column.kind = kind_on_top(L);
    column.inferred = flag(L, "inferred");
    column.closed = flag(L, "closed");
    column.gaps = flag(L, "gaps");
    column.low = number(L, "low", column.low);
    column.high = number(L, "high", column.high);
    const double none = std::numeric_limits<double>::max(), missing = number(L, "missing", none);
    const bool fits = missing >= -0x1p63 && missing < 0x1p63;
    if (missing != none && (fits || column.kind == ColumnKind::real || column.kind == ColumnKind::date)) column.missing = missing;
    read_texts(L, state, "names", reader.texts);
    guarded(L, state, [&] { column.names = std::move(reader.texts); });
    lua_pop(L, 1);
  }
  guarded(L, state, [&] { reader.columns.set(std::move(reader.wanted), static_cast<int64_t>(width), together); });
  return 0;
}

// Sets the text: argument 2 holds the bytes, 3 and 4 their range, 5 whether they are the last ones, 6 the number of the first line.
void start(lua_State* L, Reader& reader) {
  const StoragePtr* bytes = test_storage(L, 2);
  luaL_argcheck(L, bytes != nullptr && (*bytes)->dtype == DType::uint8 && (*bytes)->device == cpu_device, 2, "expected a ByteStorage");
  const double from = luaL_checknumber(L, 3), to = luaL_checknumber(L, 4), line = luaL_checknumber(L, 6);
  const auto room = static_cast<double>((*bytes)->size - text::SpecialBytes::padding);
  luaL_argcheck(L, from >= 0 && from <= to && to <= room, 4, "expected a place in the storage, with room behind it");
  luaL_argcheck(L, line >= 0 && line < 0x1p53, 6, "expected a line");
  reader.columns.start((*bytes)->elements<char>(), static_cast<int64_t>(from), static_cast<int64_t>(to), lua_toboolean(L, 5) != 0);
  reader.columns.records().set_line(static_cast<int64_t>(line));
}

// reader:read(bytes, from, to, last, line, most) -> 'record' after `most` rows in all, 'end', 'more' or 'damaged'; the position and line
// after the last record; the number of rows
int read(lua_State* L) {
  State& state = upvalue_state(L);
  Reader& reader = check_reader(L);
  start(L, reader);
  const double most = luaL_checknumber(L, 7);
  Records::Result result = Records::Result::end;
  guarded(L, state, [&] { result = reader.columns.read(most < 0x1p62 ? static_cast<int64_t>(std::max(most, 0.0)) : INT64_MAX); });
  lua_pushstring(L, results[static_cast<size_t>(result)]);
  lua_pushnumber(L, static_cast<double>(reader.columns.records().at()));
  lua_pushnumber(L, static_cast<double>(reader.columns.records().next_line()));
  lua_pushnumber(L, static_cast<double>(reader.columns.rows()));
  return 4;
}

// reader:record(bytes, from, to, last, line, judge) -> result, position and line after the record, its line, a list of the texts of its
// fields, and, with `judge`, a list of the types that they allow
int record(lua_State* L) {
  State& state = upvalue_state(L);
  Reader& reader = check_reader(L);
  start(L, reader);
  const bool judge = lua_toboolean(L, 7) != 0;
  Records& records = reader.columns.records();
  Records::Result result = Records::Result::end;
  guarded(L, state, [&] { result = records.next(); });
  lua_pushstring(L, results[static_cast<size_t>(result)]);
  lua_pushnumber(L, static_cast<double>(records.at()));
  lua_pushnumber(L, static_cast<double>(records.next_line()));
  lua_pushnumber(L, static_cast<double>(records.line()));
  if (result != Records::Result::record) return 4;
  const std::vector<Field>& fields = records.fields();
  lua_createtable(L, static_cast<int>(std::min<size_t>(fields.size(), most_fields)), 0);
  for (size_t i = 0; i < fields.size(); ++i) {
    std::string content;
    guarded(L, state, [&] { content = records.content(fields[i]); });
    state.texts.push(L, std::move(content));
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
  if (!judge) return 5;
  lua_createtable(L, static_cast<int>(std::min<size_t>(fields.size(), most_fields)), 0);
  for (size_t i = 0; i < fields.size(); ++i) {
    lua_pushinteger(L, static_cast<lua_Integer>(reader.columns.classify(fields[i])));
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
  return 6;
}

void set_number(lua_State* L, const char* field, int64_t value) {
  lua_pushnumber(L, static_cast<double>(value));
  lua_setfield(L, -2, field);
}

// reader:damage() -> {what, at, stop, found, column, field, line}: positions, columns and fields count from 0
int damage(lua_State* L) {
  Reader& reader = check_reader(L);
  const Damage& own = reader.columns.damage();
  const Damage& found = own.what == Damage::What::nothing ? reader.columns.records().damage() : own;
  lua_createtable(L, 0, 7);
  set_text(L, "what", damages[static_cast<size_t>(found.what)]);
  set_number(L, "at", found.at);
  set_number(L, "stop", found.stop);
  set_number(L, "found", found.found);
  set_number(L, "column", found.column);
  set_number(L, "field", found.field);
  set_number(L, "line", reader.columns.records().line());
  return 1;
}

void push_texts(lua_State* L, const Column& column, int64_t rows) {
  lua_createtable(L, static_cast<int>(std::min<int64_t>(rows, INT32_MAX / 2)), 0);
  int64_t start = 0;
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t stop = column.ends[static_cast<size_t>(i)];
    lua_pushlstring(L, column.bytes.data() + start, static_cast<size_t>(stop - start));
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
    start = stop;
  }
}

void push_names(lua_State* L, const Column& column) {
  lua_createtable(L, static_cast<int>(column.names.size()), 0);
  for (size_t i = 0; i < column.names.size(); ++i) {
    lua_pushlstring(L, column.names[i].data(), column.names[i].size());
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
}

// Pushes a storage of booleans, true for missing rows, or false if there are none.
void push_mask(lua_State* L, State& state, const Column& column, int64_t rows) {
  if (column.missing_rows.empty()) {
    lua_pushboolean(L, false);
    return;
  }
  StoragePtr mask;
  guarded(L, state, [&] {
    mask = StoragePtr::adopt(Storage::create(DType::boolean, rows));
    bool* missing = mask->elements<bool>();
    std::fill_n(missing, rows, false);
    for (const int64_t row : column.missing_rows) {
      if (row < rows) missing[row] = true;
    }
  });
  push_storage(L, state, mask);
}

// reader:take() -> three lists with an entry per column: its storage or list of texts (after a guess, the possible types), its names of
// categories or false, and its mask of missing values or false. Resets the row count.
int take(lua_State* L) {
  State& state = upvalue_state(L);
  Reader& reader = check_reader(L);
  lua_settop(L, 1);
  const std::vector<Column>& columns = reader.columns.columns();
  const int64_t rows = reader.columns.rows();
  for (int list = 0; list < 3; ++list) lua_createtable(L, static_cast<int>(columns.size()), 0);
  for (size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    if (column.kind == ColumnKind::text) {
      push_texts(L, column, std::min(rows, static_cast<int64_t>(column.ends.size())));
    } else if (column.kind == ColumnKind::guess) {
      lua_pushinteger(L, static_cast<lua_Integer>(column.could_be));
    } else {
      guarded(L, state, [&] { column.values->resize(rows * column.step); });
      push_storage(L, state, column.values);
      state.collector.note_allocation(L, *column.values.get());
    }
    lua_rawseti(L, 2, static_cast<int>(i) + 1);
    if (column.kind == ColumnKind::category) {
      push_names(L, column);
    } else {
      lua_pushboolean(L, false);
    }
    lua_rawseti(L, 3, static_cast<int>(i) + 1);
    push_mask(L, state, column, rows);
    lua_rawseti(L, 4, static_cast<int>(i) + 1);
  }
  guarded(L, state, [&] { reader.columns.clear(); });
  return 3;
}

// reader:skipped() -> number of malformed records that were skipped since the last call
int skipped(lua_State* L) {
  Records& records = check_reader(L).columns.records();
  lua_pushnumber(L, static_cast<double>(records.skipped()));
  records.set_skipped(0);
  return 1;
}

// reader:clear(): drops all rows
int clear(lua_State* L) {
  State& state = upvalue_state(L);
  Reader& reader = check_reader(L);
  guarded(L, state, [&] { reader.columns.clear(); });
  return 0;
}

// The metatable of readers, created on first use.
void push_class(lua_State* L, State& state) {
  if (luaL_newmetatable(L, registered_name) == 0) return;
  lua_newtable(L);
  const luaL_Reg methods[] = {{"columns", set_columns}, {"read", read},   {"record", record},  {"damage", damage},
                              {"take", take},           {"clear", clear}, {"skipped", skipped}};
  for (const luaL_Reg& m : methods) add_function(L, state, m.name, m.func);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, delimited_gc);
  lua_setfield(L, -2, "__gc");
}

// delimited{separator, comment, decimal, thousands, quote, plain (no quotes), runs, ragged, skip, dayFirst, monthFirst, absent,
// onlyAbsent} -> a reader
int new_delimited(lua_State* L) {
  State& state = upvalue_state(L);
  lua_settop(L, 1);
  luaL_checktype(L, 1, LUA_TTABLE);
  text::Format format;
  format.separator = letter(L, "separator", ',');
  format.comment = letter(L, "comment", '\0');
  format.decimal = letter(L, "decimal", '.');
  format.thousands = letter(L, "thousands", '\0');
  format.quote = flag(L, "plain") ? '\0' : letter(L, "quote", '"');
  format.runs = flag(L, "runs");
  format.ragged = flag(L, "ragged");
  format.skip = flag(L, "skip");
  const auto order = flag(L, "dayFirst")     ? text::DateOrder::day_first
                     : flag(L, "monthFirst") ? text::DateOrder::month_first
                                             : text::DateOrder::unknown;
  auto* box = new (lua_newuserdata(L, sizeof(DelimitedBox))) DelimitedBox;
  push_class(L, state);
  lua_setmetatable(L, -2);
  guarded(L, state, [&] { box->reader = std::make_unique<Reader>(Reader{Columns(format, order, {}, false), {}, {}}); });
  lua_pushvalue(L, 1);
  read_texts(L, state, "absent", box->reader->texts);
  const bool only_absent = flag(L, "onlyAbsent");
  guarded(L, state, [&] { box->reader->columns = Columns(format, order, std::move(box->reader->texts), only_absent); });
  lua_pop(L, 1);
  return 1;
}

}  // namespace

void open_delimited(lua_State* L, State& state) { add_function(L, state, "delimited", new_delimited); }

}  // namespace mt::lua
