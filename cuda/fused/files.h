// Compiled kernels as files: $MOONTORCH_KERNELS, else moontorch/kernels in the user's folder of caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mt::cuda {

class KernelFiles {
 public:
  static constexpr int64_t most_bytes = int64_t{256} << 20;  // of all files

  // The folder that the environment names; empty, for no files, if there is none, or if MOONTORCH_KERNELS is "off".
  static KernelFiles of_user();
  explicit KernelFiles(std::string folder, int64_t most = most_bytes) : folder_(std::move(folder)), most_(most) {}

  const std::string& folder() const { return folder_; }
  // The image that was saved for a key: the identity of the compiler, and the source. Nothing if there is none, or if the file is damaged
  // or another user's.
  std::optional<std::vector<std::byte>> read(std::string_view key) const;
  // Does nothing if it can't. Files that were not used for longest are removed while all of them are too large.
  void write(std::string_view key, std::span<const std::byte> image) const;
  std::string path_of(std::string_view key) const;

 private:
  void make_room(int64_t bytes) const;

  std::string folder_;
  int64_t most_;
};

}  // namespace mt::cuda
