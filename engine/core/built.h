// The ops of this build: those of all its families, or those that certain models need (bin/minimal). Tables of rows are filtered when they
// are compiled, so that kernels of other ops are not linked.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <type_traits>

#ifdef MT_BUILT_NAMES
#include MT_BUILT_NAMES  // built_ops and built_nodes: names, written by cmake/models.cmake
#endif

namespace mt {

#ifdef MT_BUILT_NAMES

constexpr bool is_built(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// The entries of a table whose names are built. `name_of`: of an entry.
template <const auto& table, const auto& names, auto name_of> std::span<const std::remove_cvref_t<decltype(table[0])>> built_entries() {
  using Entry = std::remove_cvref_t<decltype(table[0])>;
  constexpr auto is_kept = [](const Entry& entry) { return is_built(names, name_of(entry)); };
  constexpr auto count = static_cast<size_t>(std::ranges::count_if(table, is_kept));
  if constexpr (count > 0) {
    static constexpr std::array<Entry, count> kept = [] {
      std::array<Entry, count> entries{};
      std::ranges::copy_if(table, entries.begin(), is_kept);
      return entries;
    }();
    return kept;
  } else {
    return {};
  }
}

// The rows of a family, and the kinds of ONNX nodes, that this build has.
template <const auto& rows> auto built_rows() {
  return built_entries<rows, built_ops, [](const auto& row) { return row.decl->name; }>();
}
template <const auto& kinds> auto built_kinds() {
  return built_entries<kinds, built_nodes, [](const auto& kind) { return kind.op; }>();
}

#else

template <const auto& rows> std::span<const std::remove_cvref_t<decltype(rows[0])>> built_rows() { return rows; }
template <const auto& kinds> std::span<const std::remove_cvref_t<decltype(kinds[0])>> built_kinds() { return kinds; }

#endif

}  // namespace mt
