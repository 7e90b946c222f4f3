// The path of the running program, and the folders of its Lua files and libraries.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace th {

struct Location {
  std::filesystem::path program;  // the executable, links resolved
  std::string lua_folder;         // contains trepl/, torch/, nn/, ...
  std::string lua_patterns;       // of that folder, for package.path
  std::string library_patterns;   // for package.cpath: `.../lib/?.so`, one or several
};

/// Finds the folders of a program that was installed (bin/../share/moontorch/lua), installed by luarocks (bin/../share/lua/5.1), or is in
/// its build tree (build/<preset>/bin/../../../lua). Returns nothing if none has the Lua files.
std::optional<Location> locate(const char* argv0);

}  // namespace th
