// Where the running program lies, and the folders of Lua files and libraries that belong to it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace th {

struct Location {
  std::filesystem::path program;  // the executable, links resolved
  std::string lua_folder;         // holds trepl/, torch/, nn/, ...
  std::string lua_patterns;       // of that folder, for package.path
  std::string library_patterns;   // for package.cpath: `.../lib/?.so`, perhaps several
};

/// Finds the folders of an installed program (bin/../share/moontorch/lua), of one that luarocks installed (bin/../share/lua/5.1) or of one
/// in its build tree (build/<preset>/bin/../../../lua). Nothing when none has the Lua files.
std::optional<Location> locate(const char* argv0);

}  // namespace th
