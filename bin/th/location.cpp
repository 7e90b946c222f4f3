// Finding the program's own files from the path of the executable, so that the tree can be moved.
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
  place.library_pattern = (root / "lib" / "?.so").string();
  if (fs::path(MT_LIBDIR) != "lib") place.library_pattern += ";" + (root / MT_LIBDIR / "?.so").lexically_normal().string();
  for (const fs::path& folder : {root / "share" / "moontorch" / "lua", root.parent_path().parent_path() / "lua"}) {
    std::error_code failed;
    if (fs::exists(folder / "trepl" / "command.lua", failed)) {
      place.lua = folder;
      return place;
    }
  }
  return std::nullopt;
}

}  // namespace th
