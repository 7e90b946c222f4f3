// Files and libraries of a program that has none: functions that would open one raise an error. Models and graphs come from memory.
#include "engine/capi/handle.h"
#include "engine/core/error.h"
#include "engine/core/mapped_file.h"
#include "engine/extension/load.h"
#include "engine/graph/file.h"
#include "engine/onnx/external_file.h"

namespace mt {
namespace {

[[noreturn]] void refuse(std::string_view function, std::string_view what) {
  fail<Status::unsupported>(function, what, "not in this build (MT_FREESTANDING)");
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(std::string_view function, const std::string&) { refuse(function, "files"); }
MappedFile::~MappedFile() {}
void MappedFile::release_pages() const {}

StoragePtr MappedFile::storage(const std::shared_ptr<const MappedFile>&, size_t, DType, int64_t) { refuse("storage", "files"); }

std::shared_ptr<const MappedFile> onnx::open_beside(const std::string&, std::string_view, std::string_view) { return nullptr; }

void save_graph(const Graph&, const std::string&, std::string_view function) { refuse(function, "files"); }
Graph load_graph(const std::string&, std::string_view function) { refuse(function, "files"); }
void load_ops(const char*) { refuse("mt_ops_load", "libraries"); }

}  // namespace mt

mt_status mt_device_load(const char*) {
  return mt::capi::guard([] { mt::refuse("mt_device_load", "libraries"); });
}
