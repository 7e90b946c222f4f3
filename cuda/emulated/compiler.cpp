// Implements cuda/fused/compiler.h on the host. By default emulated devices have no compiler, and interpret fused loops. If
// MOONTORCH_EMULATED_COMPILER is set, a command such as "g++ -std=c++20 -I<folder of the sources>", sources are compiled by it.
#include "cuda/fused/compiler.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cuda/emulated/launch.h"
#include "engine/core/environment.h"

namespace mt::cuda::compiler {
namespace {

namespace fs = std::filesystem;
using KernelFunction = void (*)(const void* kernel, Thread& thread);

// A folder that is removed at the end of its scope.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "moontorch-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) raise("no temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

const std::string& identity(int) {
  static const std::string command = [] {
    const char* const own = own_variable("MOONTORCH_EMULATED_COMPILER");
    return std::string(own == nullptr ? "" : own);
  }();
  return command;
}

std::optional<std::vector<std::byte>> compile(const std::string& source, int device, std::string& log) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("fused.cpp")) << source;
  const std::string library = folder.file("fused.so");
  const std::string command = identity(device) + " -shared -fPIC -w -DMT_CUDA_EMULATED -o " + library + " " + folder.file("fused.cpp") +
                              " >" + folder.file("log") + " 2>&1";
  const bool compiled = std::system(command.c_str()) == 0;
  log = text_of(folder.file("log"));
  if (!compiled) return std::nullopt;
  const std::string image = text_of(library);
  const auto* const first = reinterpret_cast<const std::byte*>(image.data());
  return std::vector<std::byte>(first, first + image.size());
}

void* load(std::span<const std::byte> image, int) {
  const TemporaryFolder folder;
  const std::string path = folder.file("fused.so");
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(image.data()), static_cast<std::streamsize>(image.size()));
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : dlsym(library, "fused");
}

void launch(Stream stream, void* kernel, int64_t blocks, int threads, std::span<const std::byte> arguments) {
  const auto function = reinterpret_cast<KernelFunction>(kernel);
  std::vector<std::byte> own(arguments.begin(), arguments.end());
  emulated::enqueue(stream, [=, own = std::move(own), op = current_op()](emulated::Block& block) {
    emulated::run(op, block, {"fused", function, own.data(), blocks, threads, 0});
  });
}

}  // namespace mt::cuda::compiler
