#include "engine/onnx/external_file.h"

#include <algorithm>
#include <filesystem>

namespace mt::onnx {

std::shared_ptr<const MappedFile> open_beside(const std::string& model, std::string_view place, std::string_view function) {
  const std::filesystem::path relative{std::string(place)};
  if (place.empty() || relative.is_absolute() || std::ranges::find(relative, std::filesystem::path("..")) != relative.end()) return nullptr;
  const std::filesystem::path folder = std::filesystem::path(model).parent_path();
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(folder / relative, error);
  const auto home = std::filesystem::weakly_canonical(folder.empty() ? "." : folder, error);
  if (std::mismatch(home.begin(), home.end(), real.begin(), real.end()).first != home.end()) return nullptr;
  return MappedFile::open(function, (folder / relative).string());
}

}  // namespace mt::onnx
