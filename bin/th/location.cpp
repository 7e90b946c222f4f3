// Finds the program's files from the path of the executable, so that the tree can be moved.
#include "location.h"

#ifdef __APPLE__
#include <mach-o/dyld.h>

#include <cstdint>
#endif

namespace fs = std::filesystem;

namespace th {
namespace {

fs::path executable(const char* argv0) {
  std::error_code failed;
#ifdef __APPLE__
  char name[4096];
  uint32_t size = sizeof name;
  if (_NSGetExecutablePath(name, &size) == 0) return fs::canonical(name, failed);
#else
  fs::path self = fs::canonical("/proc/self/exe", failed);
  if (!failed) return self;
#endif
  return fs::weakly_canonical(argv0, failed);
}

}  // namespace

std::optional<Location> locate(const char* argv0) {
  Location place;
  place.program = executable(argv0);
  const fs::path root = place.program.parent_path().parent_path();
  const std::string library = (root / "lib" / "?.so").string();
  const std::string libraries =
      fs::path(MT_LIBDIR) == "lib" ? library : library + ";" + (root / MT_LIBDIR / "?.so").lexically_normal().string();
  const struct {
    fs::path lua;
    std::string libraries;
  } layouts[] = {
      {root / "share" / "moontorch" / "lua", libraries},                                   // cmake --install
      {root / "share" / "lua" / "5.1", (root / "lib" / "lua" / "5.1" / "?.so").string()},  // a tree of luarocks
      {root.parent_path().parent_path() / "lua", libraries},                               // build/<preset>
  };
  for (const auto& layout : layouts) {
    std::error_code failed;
    if (fs::exists(layout.lua / "trepl" / "command.lua", failed)) {
      place.lua_folder = layout.lua.string();
      place.lua_patterns = (layout.lua / "?.lua").string() + ";" + (layout.lua / "?" / "init.lua").string();
      place.library_patterns = layout.libraries;
      return place;
    }
  }
  return std::nullopt;
}

}  // namespace th
