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
};

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
};

[[noreturn]] void fail_with_errno(const char* path) {
  fail<Status::file>("mapFile", path, std::strerror(errno), ", expected a file that can be mapped");
}

// Maps the bytes of a file. Private: writes stay in memory. Shared: writes go to the file, which is created and extended to `bytes` if
// needed. Temporary: the file is removed with the storage; other processes that have mapped it keep the memory.
Storage* map_file(const char* path, bool shared, int64_t bytes, bool temporary) {
  const Descriptor file{open(path, (shared ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC, 0666)};
  struct stat found;
  if (file.fd < 0 || fstat(file.fd, &found) != 0) fail_with_errno(path);
  if (!S_ISREG(found.st_mode)) fail<Status::file>("mapFile", path, "something else, expected a regular file");
  if (bytes == 0) bytes = found.st_size;
  if (bytes > found.st_size) {
    if (!shared) fail<Status::file>("mapFile", path, found.st_size, " bytes, expected ", bytes);
    if (ftruncate(file.fd, bytes) != 0) fail_with_errno(path);
  }
  if (bytes == 0) {
    if (temporary) unlink(path);
    return Storage::create(DType::uint8, 0);
  }
  void* data = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, shared ? MAP_SHARED : MAP_PRIVATE, file.fd, 0);
  if (data == MAP_FAILED) fail_with_errno(path);
  std::unique_ptr<Mapping> mapping(new Mapping{data, static_cast<size_t>(bytes), temporary ? path : ""});
  const auto release = [](void* context) { delete static_cast<Mapping*>(context); };
  Storage* storage = Storage::borrow(DType::uint8, data, bytes, release, mapping.get());
  mapping.release();
  if (temporary) remove_at_end(path);
  return storage;
}

// mapFile(path [, shared=false [, bytes=0 [, temporary=false]]]) -> ByteStorage over the file; 0 bytes mean all
int map_file(lua_State* L) {
  State& state = upvalue_state(L);
  size_t length = 0;
  const char* path = luaL_checklstring(L, 1, &length);
  luaL_argcheck(L, std::strlen(path) == length, 1, "a zero byte is in the name");
  const bool shared = lua_toboolean(L, 2) != 0, temporary = lua_toboolean(L, 4) != 0;
  const lua_Number bytes = luaL_optnumber(L, 3, 0);
  luaL_argcheck(L, bytes >= 0 && bytes < 0x1p62, 3, "expected a number of bytes");
  Storage* made = nullptr;
  guarded(L, state, [&] { made = map_file(path, shared, static_cast<int64_t>(bytes), temporary); });
  push_storage(L, state, StoragePtr::adopt(made));
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
    const auto release = [](void* context) { delete static_cast<StoragePtr*>(context); };
    view = Storage::borrow(dtype, data, static_cast<int64_t>(n), release, keep.get(), (*whole)->device);
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
  add_function(L, state, "viewStorage", view_storage);
  add_function(L, state, "borrowStorage", borrow_storage);
}

}  // namespace mt::lua
