#include "engine/extension/load.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>

#include "engine/core/added_ops.h"
#include "engine/extension/op.h"

namespace mt {
namespace {

constexpr const char* function = "mt_ops_load";
constexpr int64_t most_ops = 10000;

struct CloseLibrary {
  void operator()(void* library) const { dlclose(library); }
};
using Library = std::unique_ptr<void, CloseLibrary>;

// The first version of declarations ended here; later ones have more fields.
constexpr size_t least_decl_size = offsetof(mt_op_decl, precision);

Library open_library(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return Library(library);
  const char* reason = dlerror();
  fail(function, "path", reason != nullptr ? reason : path);
}

const mt_extension& table_of(const Library& library, const char* path) {
  const auto* table = static_cast<const mt_extension*>(dlsym(library.get(), "mt_extension_ops"));
  if (table == nullptr) fail(function, "path", path, " without mt_extension_ops, expected a library of ops");
  if (table->version != MT_EXTENSION_VERSION) {
    fail(function, "path", path, ", built for version ", static_cast<int64_t>(table->version),
         " of moontorch/extension.h, expected version ", MT_EXTENSION_VERSION, ": build it again");
  }
  if (table->decl_size < least_decl_size || table->decl_size > sizeof(mt_op_decl)) {
    fail(function, "path", path, ", whose declarations have ", static_cast<int64_t>(table->decl_size), " bytes, expected ", least_decl_size,
         "..", sizeof(mt_op_decl), ": build it again with the moontorch/extension.h of this Moontorch");
  }
  const bool listed = table->count > 0 && table->count <= most_ops && table->ops != nullptr;
  if (!listed) fail(function, "path", path, ", expected a library that declares ops");
  return *table;
}

// The tables loaded so far, which identify the ops of each library.
std::vector<const mt_extension*>& loaded_tables() {
  static std::vector<const mt_extension*> tables;
  return tables;
}

std::mutex& one_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

std::vector<std::unique_ptr<ExtensionOp>> make_ops(const mt_extension& table, const char* path) {
  std::vector<std::unique_ptr<ExtensionOp>> made;
  for (int64_t i = 0; i < table.count; ++i) {
    if (table.ops[i] == nullptr) fail(function, "path", path, ": NULL as op ", i + 1, ", expected a declaration");
    mt_op_decl declared{};
    std::memcpy(&declared, table.ops[i], table.decl_size);
    auto op = make_op(declared, function);
    const auto same = [&](const auto& other) { return other->own.name == op->own.name; };
    if (std::ranges::any_of(made, same)) fail(function, op->own.name, "name: it comes twice in ", path);
    op->library = path;
    made.push_back(std::move(op));
  }
  return made;
}

}  // namespace

std::vector<DeclaredOp> read_ops(const char* path) {
  const std::lock_guard guard(one_at_a_time());
  const Library library = open_library(path);
  const mt_extension& table = table_of(library, path);
  std::vector<DeclaredOp> list;
  if (std::ranges::find(loaded_tables(), &table) != loaded_tables().end()) {
    for (int64_t i = 0; i < table.count; ++i) list.push_back({table.ops[i]->name, false, true, {}, {}});
    return list;
  }
  for (const auto& op : make_ops(table, path)) {
    std::vector<std::string> gradients;
    for (size_t i = 0; i < op->arguments.size(); ++i) {
      const char* gradient = op->declared.gradients[i];
      gradients.emplace_back(gradient != nullptr ? gradient : "");
    }
    list.push_back({std::string(op->own.name), op->own.method != Method::none, false, op->arguments, gradients});
  }
  return list;
}

void load_ops(const char* path) {
  const std::lock_guard guard(one_at_a_time());
  Library library = open_library(path);
  const mt_extension& table = table_of(library, path);
  auto& tables = loaded_tables();
  if (std::ranges::find(tables, &table) != tables.end()) return;
  auto ops = make_ops(table, path);
  tables.reserve(tables.size() + 1);
  for (auto& op : ops) add_op(*op.release());  // never freed, like the library
  tables.push_back(&table);
  (void)library.release();
}

}  // namespace mt
