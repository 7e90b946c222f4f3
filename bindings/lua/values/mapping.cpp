#include "bindings/lua/values/mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "bindings/lua/state/guarded.h"
#include "bindings/lua/values/metatables.h"
#include "engine/core/temporary_names.h"
#include "engine/ops/calls.h"

namespace mt::lua {
namespace {

struct Mapping {
  void* data;
  size_t bytes;
  std::string unlinked;          // a file to remove together with the mapping, or ""
  const pid_t owner = getpid();  // the process that removes it: a child of fork() has the mapping, too, but must not remove the file
  ~Mapping() {
    munmap(data, bytes);
    if (unlinked.empty() || owner != getpid()) return;
    unlink(unlinked.c_str());
    forget_at_end(unlinked);
  }
  static void release(void* self) { delete static_cast<Mapping*>(self); }
};

// The release of a storage over a part of another one.
void release_whole(void* whole) { delete static_cast<StoragePtr*>(whole); }

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
};

[[noreturn]] void fail_with_errno(const char* path) {
  fail<Status::file>("mapFile", path, std::strerror(errno), ", expected a file that can be mapped");
}

// How a file is mapped. Private: writes stay in memory. Shared: writes go to the file. A shared file may be created, replaced by a
// new one, or extended. Temporary: the file is removed with the storage; other processes that have mapped it keep the memory.
struct MappingMode {
  bool shared = false, create = false, replace = false, extend = false, temporary = false;
  int flags() const { return (shared ? O_RDWR : O_RDONLY) | (create ? O_CREAT : 0) | (replace ? O_TRUNC : 0); }
};

// Removes a regular file that a new one replaces, so that its present mappings keep their bytes: those of a file that is truncated can't be
// read any more. Returns the permissions of the new one.
mode_t remove_former(const char* path) {
  struct stat former;
  if (lstat(path, &former) != 0 || !S_ISREG(former.st_mode)) return 0666;
  if (access(path, W_OK) != 0 || unlink(path) != 0) fail_with_errno(path);
  return former.st_mode & 0777;
}

// Maps the first `bytes` of a file; 0 means all of them.
Storage* map_file(const char* path, const MappingMode& mode, int64_t bytes) {
  const mode_t permissions = mode.replace ? remove_former(path) : 0666;
  const Descriptor file{open(path, mode.flags() | O_CLOEXEC | O_NONBLOCK, permissions)};  // a pipe is refused, and not waited for
  struct stat found;
  if (file.fd < 0 || fstat(file.fd, &found) != 0) fail_with_errno(path);
  if (!S_ISREG(found.st_mode)) fail<Status::file>("mapFile", path, "something else, expected a regular file");
  if (bytes == 0) bytes = found.st_size;
  if (bytes > found.st_size) {
    if (!mode.extend) fail<Status::file>("mapFile", path, found.st_size, " bytes, expected ", bytes);
    if (ftruncate(file.fd, bytes) != 0) fail_with_errno(path);
  }
  if (bytes == 0) {
    if (mode.temporary) unlink(path);
    return Storage::create(DType::uint8, 0);
  }
  const int sharing = mode.shared ? MAP_SHARED : MAP_PRIVATE | MAP_NORESERVE;  // a private mapping may be larger than the memory
  void* data = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, sharing, file.fd, 0);
  if (data == MAP_FAILED) fail_with_errno(path);
  std::unique_ptr<Mapping> mapping(new Mapping{data, static_cast<size_t>(bytes), mode.temporary ? path : ""});
  Storage* storage = Storage::borrow(DType::uint8, data, bytes, &Mapping::release, mapping.get());
  mapping.release();
  if (mode.temporary) remove_at_end(path);
  return storage;
}

int push_mapped_file(lua_State* L, const MappingMode& mode) {
  State& state = upvalue_state(L);
  size_t length = 0;
  const char* path = luaL_checklstring(L, 1, &length);
  luaL_argcheck(L, std::strlen(path) == length, 1, "a zero byte is in the name");
  const lua_Number bytes = luaL_optnumber(L, 3, 0);
  luaL_argcheck(L, bytes >= 0 && bytes < 0x1p62, 3, "expected a number of bytes");
  Storage* made = nullptr;
  guarded(L, state, [&] { made = map_file(path, mode, static_cast<int64_t>(bytes)); });
  push_storage(L, state, StoragePtr::adopt(made));
  return 1;
}

// mapFile(path [, shared=false [, bytes=0 [, temporary=false]]]) -> ByteStorage over the file; 0 bytes mean all. A shared file is created
// and extended to `bytes` if needed.
int map_file(lua_State* L) {
  const bool shared = lua_toboolean(L, 2) != 0, temporary = lua_toboolean(L, 4) != 0;
  return push_mapped_file(L, {.shared = shared, .create = shared, .extend = shared, .temporary = temporary});
}

// memmapFile(path, mode, bytes) -> the same by NumPy's modes: 'r' and 'c', private; 'r+', shared; 'w+', shared, a new file
int memmap_file(lua_State* L) {
  constexpr const char* modes[] = {"r", "c", "r+", "w+", nullptr};
  const int mode = luaL_checkoption(L, 2, nullptr, modes);
  const bool shared = mode >= 2, fresh = mode == 3;
  return push_mapped_file(L, {.shared = shared, .create = fresh, .replace = fresh, .extend = fresh});
}

// The mapping below a storage, or null.
const Mapping* mapping_of(const Storage* storage) {
  while (storage->release_external == &release_whole) storage = static_cast<const StoragePtr*>(storage->external_context)->get();
  return storage->release_external == &Mapping::release ? static_cast<const Mapping*>(storage->external_context) : nullptr;
}

// flushMapped(storage) writes the changed pages of a mapping to its file -> whether the storage is over a file
int flush_mapped(lua_State* L) {
  State& state = upvalue_state(L);
  const StoragePtr* storage = test_storage(L, 1);
  luaL_argcheck(L, storage != nullptr, 1, "expected a storage");
  const Mapping* const mapping = mapping_of(storage->get());
  if (mapping != nullptr) {
    guarded(L, state, [&] {
      if (msync(mapping->data, mapping->bytes, MS_SYNC) != 0) fail<Status::file>("flush", "self", std::strerror(errno));
    });
  }
  lua_pushboolean(L, mapping != nullptr);
  return 1;
}

// viewStorage(storage, dtype, first, n) -> storage of n elements over its bytes from `first`; dtype and first count from 0
int view_storage(lua_State* L) {
  State& state = upvalue_state(L);
  const StoragePtr* whole = test_storage(L, 1);
  luaL_argcheck(L, whole != nullptr, 1, "expected a storage");
  const lua_Integer d = luaL_checkinteger(L, 2);
  luaL_argcheck(L, d >= 0 && d < dtype_count, 2, "expected a dtype");
  const auto dtype = static_cast<DType>(d);
  const lua_Number first = luaL_checknumber(L, 3), n = luaL_checknumber(L, 4);
  const auto size = static_cast<lua_Number>(size_of(dtype)), bytes = static_cast<lua_Number>((*whole)->size * size_of((*whole)->dtype));
  luaL_argcheck(L, first >= 0 && first <= bytes, 3, "expected an offset within the storage");
  luaL_argcheck(L, n >= 0 && n <= (bytes - first) / size, 4, "expected a number of elements within the storage");
  Storage* view = nullptr;
  guarded(L, state, [&] {
    std::byte* data = (*whole)->data + static_cast<int64_t>(first);
    if (reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(size_of(dtype)) != 0) {
      fail("viewStorage", "first", first, ", expected a place where elements of ", info(dtype).name, " can be");
    }
    Tensor shown = whole_of(*whole);
    call_expose(state.hook, shown);
    auto keep = std::make_unique<StoragePtr>(*whole);
    view = Storage::borrow(dtype, data, static_cast<int64_t>(n), &release_whole, keep.get(), (*whole)->device);
    keep.release();
    (*whole)->resizable = false;  // the memory of a view must not move
  });
  push_storage(L, state, StoragePtr::adopt(view));
  return 1;
}

// borrowStorage(dtype, n, address [, release]) -> storage over memory of the caller; dtype counts from 0. `release` is the address of a C
// function, which is called with the address of the memory when the storage is freed.
int borrow_storage(lua_State* L) {
  State& state = upvalue_state(L);
  const lua_Integer d = luaL_checkinteger(L, 1);
  luaL_argcheck(L, d >= 0 && d < dtype_count, 1, "expected a dtype");
  const auto dtype = static_cast<DType>(d);
  const lua_Number n = luaL_checknumber(L, 2), address = luaL_checknumber(L, 3);
  luaL_argcheck(L, n >= 0 && n < 0x1p62, 2, "expected a number of elements");
  luaL_argcheck(L, address > 0 && address < 0x1p63, 3, "expected an address");
  const auto data = static_cast<uintptr_t>(address);
  luaL_argcheck(L, data % static_cast<uintptr_t>(size_of(dtype)) == 0, 3, "expected the address of an element");
  const lua_Number release = luaL_optnumber(L, 4, 0);
  luaL_argcheck(L, release >= 0 && release < 0x1p63, 4, "expected the address of a function");
  const auto free = reinterpret_cast<ReleaseFn>(static_cast<uintptr_t>(release));
  Storage* made = nullptr;
  guarded(L, state, [&] {
    made = Storage::borrow(dtype, reinterpret_cast<void*>(data), static_cast<int64_t>(n), free,
                           free == nullptr ? nullptr : reinterpret_cast<void*>(data));
  });
  push_storage(L, state, StoragePtr::adopt(made));
  return 1;
}

}  // namespace

void open_mappings(lua_State* L, State& state) {
  add_function(L, state, "mapFile", map_file);
  add_function(L, state, "memmapFile", memmap_file);
  add_function(L, state, "flushMapped", flush_mapped);
  add_function(L, state, "viewStorage", view_storage);
  add_function(L, state, "borrowStorage", borrow_storage);
}

}  // namespace mt::lua
