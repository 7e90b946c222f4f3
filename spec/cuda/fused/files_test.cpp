// Files of compiled kernels: what they return, damage, and their total size.
#include "cuda/fused/files.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/core/environment.h"

using namespace mt::cuda;
namespace fs = std::filesystem;

namespace {

struct Folder {
  std::string path = (fs::temp_directory_path() / "moontorch-kernels-XXXXXX").string();
  Folder() { REQUIRE(mkdtemp(path.data()) != nullptr); }
  ~Folder() { fs::remove_all(path); }
};

std::vector<std::byte> image(int size, int first = 0) {
  std::vector<std::byte> bytes(static_cast<size_t>(size));
  for (int i = 0; i < size; ++i) bytes[static_cast<size_t>(i)] = static_cast<std::byte>(first + i);
  return bytes;
}

int64_t bytes_in(const std::string& folder) {
  int64_t sum = 0;
  for (const auto& file : fs::directory_iterator(folder)) sum += static_cast<int64_t>(file.file_size());
  return sum;
}

}  // namespace

TEST_CASE("a file holds the image of its key") {
  const Folder folder;
  const KernelFiles files(folder.path + "/a/b");
  CHECK(!files.read("key"));
  files.write("key", image(1000));
  files.write("other", image(10, 5));
  CHECK(files.read("key") == image(1000));
  CHECK(files.read("other") == image(10, 5));
  files.write("key", image(7));
  CHECK(files.read("key") == image(7));
  CHECK(!files.read("third"));
  fs::rename(files.path_of("key"), files.path_of("third"));  // as if the hashes of the keys were equal
  CHECK(!files.read("third"));
}

TEST_CASE("a damaged or truncated file, or another one, is no image") {
  const Folder folder;
  const KernelFiles files(folder.path);
  files.write("key", image(100));
  const std::string path = files.path_of("key");
  std::string good;
  {
    std::ifstream file(path, std::ios::binary);
    good.assign(std::istreambuf_iterator<char>(file), {});
  }
  const auto reads = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    return files.read("key").has_value();
  };
  CHECK(reads(good));
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    CHECK_MESSAGE(!reads(bad), i);
    CHECK(!reads(good.substr(0, i)));
  }
  CHECK(!reads(good + "x"));
  if (geteuid() == 0) {  // another user's file
    CHECK(reads(good));
    REQUIRE(chown(path.c_str(), 12345, 12345) == 0);
    CHECK(!files.read("key"));
  }
  fs::remove(path);
  std::ofstream(folder.path + "/elsewhere", std::ios::binary) << good;
  fs::create_symlink(folder.path + "/elsewhere", path);
  CHECK(!files.read("key"));
  fs::remove(path);
  fs::create_directory(path);
  CHECK(!files.read("key"));
}

TEST_CASE("all files together have a limit: those that were not used for longest are removed") {
  const Folder folder;
  const KernelFiles files(folder.path, 5000);
  const auto age = [&](const char* key, int hours) {
    fs::last_write_time(files.path_of(key), fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  std::ofstream(folder.path + "/other.txt") << "not a kernel";
  fs::last_write_time(folder.path + "/other.txt", fs::file_time_type::clock::now() - std::chrono::hours(9));
  files.write("a", image(1500));
  files.write("b", image(1500));
  files.write("c", image(1500));
  age("a", 3);
  age("b", 2);
  age("c", 1);
  CHECK(files.read("a"));  // it is the newest now
  files.write("d", image(1500));
  CHECK(files.read("a"));
  CHECK(!files.read("b"));
  CHECK(files.read("c"));
  CHECK(files.read("d"));
  CHECK(bytes_in(folder.path) <= 5012);
  CHECK(fs::exists(folder.path + "/other.txt"));
}

TEST_CASE("a folder that can't be written is no error, and there may be none") {
  KernelFiles("/proc/moontorch").write("key", image(3));
  const KernelFiles none("");
  none.write("key", image(3));
  CHECK(!none.read("key"));
}

TEST_CASE("the environment names the folder") {
  const auto folder = [](const char* name, const char* value) {
    const mt::WithVariable variable(name, value);
    return KernelFiles::of_user().folder();
  };
  unsetenv("MOONTORCH_KERNELS");
  unsetenv("XDG_CACHE_HOME");
  CHECK(folder("HOME", "/home/a") == "/home/a/.cache/moontorch/kernels");
  CHECK(folder("HOME", "relative").empty());
  CHECK(folder("XDG_CACHE_HOME", "/caches") == "/caches/moontorch/kernels");
  CHECK(folder("XDG_CACHE_HOME", "caches") == folder("XDG_CACHE_HOME", ""));  // relative ones don't count
  CHECK(folder("MOONTORCH_KERNELS", "/here") == "/here");
  CHECK(folder("MOONTORCH_KERNELS", "off").empty());
}
