// A file that is written under a temporary name, and renamed when it is complete: at any moment either the old or the new one exists.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "engine/core/descriptor.h"

namespace mt {

// Errors have the status `file` and the name of a function. Symbolic links are followed, and permissions are kept. What is no regular file,
// such as a pipe, is written directly.
class ReplacedFile {
 public:
  ReplacedFile(std::string_view function, const std::string& path);
  ReplacedFile(const ReplacedFile&) = delete;
  ~ReplacedFile();  // unless it was committed, the target is unchanged

  void write(std::span<const std::byte> bytes);
  void commit();

 private:
  [[noreturn]] void refuse() const;  // by errno
  void open_temporary();

  std::string_view function_;
  std::string path_, target_, temporary_;
  Descriptor file_;
};

}  // namespace mt
