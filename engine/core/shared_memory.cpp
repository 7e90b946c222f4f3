#include "engine/core/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "engine/core/descriptor.h"
#include "engine/core/device.h"
#include "engine/core/fork.h"
#include "engine/core/sanitizer.h"
#include "engine/core/system.h"

namespace mt {
namespace {

constexpr size_t piece_alignment = 64;
constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;  // no process can shrink what this one has mapped

// The mappings of the process, by first address and by inode.
struct Mapped {
  ForkSafeMutex mutex;
  std::map<const std::byte*, std::weak_ptr<SharedMemory>> by_address;
  std::map<ino_t, std::weak_ptr<SharedMemory>> by_file;
};

// Never destroyed: storages can outlive static objects.
Mapped& mapped() {
  static Mapped* const all = new Mapped;
  return *all;
}

[[noreturn]] void refuse(size_t bytes) {
  const char* const advice = errno == EMFILE ? ": each shared memory is an open file to the system, whose number `ulimit -n` limits" : "";
  raise(Status::memory, concat("shared memory: ", bytes, " bytes were asked for: ", std::strerror(errno), advice));
}

struct stat status_of(int descriptor) {
  struct stat file;
  if (fstat(descriptor, &file) != 0) file.st_size = 0;
  return file;
}

}  // namespace

// The caller must hold the lock.
std::shared_ptr<SharedMemory> SharedMemory::map(int descriptor, size_t bytes, ino_t file) {
  Descriptor own(descriptor);
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, own.get(), 0);
  if (data == MAP_FAILED) refuse(bytes);
  madvise(data, bytes, MADV_HUGEPAGE);  // effective if the system does it on request
  std::shared_ptr<SharedMemory> made(new SharedMemory(own.release(), static_cast<std::byte*>(data), bytes, file));
  mapped().by_address[made->data_] = made;
  mapped().by_file[file] = made;
  return made;
}

std::shared_ptr<SharedMemory> SharedMemory::create(size_t bytes) {
  if (bytes > physical_bytes()) {  // the system would overcommit and kill the process
    errno = ENOMEM;
    refuse(bytes);
  }
  Descriptor made(memfd_create("moontorch", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (made.get() < 0 || ftruncate(made.get(), static_cast<off_t>(bytes)) != 0 || fcntl(made.get(), F_ADD_SEALS, seals) != 0) refuse(bytes);
  const std::lock_guard lock(mapped().mutex);
  const ino_t file = status_of(made.get()).st_ino;
  return map(made.release(), bytes, file);
}

// A found mapping lives at least until the lock is released, because its destructor takes the lock.
std::shared_ptr<SharedMemory> SharedMemory::open(int descriptor) {
  const int sealed = fcntl(descriptor, F_GET_SEALS);
  const struct stat file = status_of(descriptor);
  if (sealed < 0 || (sealed & F_SEAL_SHRINK) == 0 || file.st_size <= 0)
    fail("shared memory", "descriptor", descriptor, ", expected one of shared memory");
  std::shared_ptr<SharedMemory> known;
  const std::lock_guard lock(mapped().mutex);
  if (const auto found = mapped().by_file.find(file.st_ino); found != mapped().by_file.end()) known = found->second.lock();
  if (known) return known;
  const int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (own < 0) refuse(static_cast<size_t>(file.st_size));
  return map(own, static_cast<size_t>(file.st_size), file.st_ino);
}

std::shared_ptr<SharedMemory> SharedMemory::at(const void* address) {
  const auto* const byte = static_cast<const std::byte*>(address);
  std::shared_ptr<SharedMemory> memory;
  const std::lock_guard lock(mapped().mutex);
  const auto after = mapped().by_address.upper_bound(byte);
  if (after != mapped().by_address.begin()) memory = std::prev(after)->second.lock();
  return memory && byte < memory->data_ + memory->bytes_ ? memory : nullptr;
}

SharedMemory::~SharedMemory() {
  {
    const std::lock_guard lock(mapped().mutex);
    mapped().by_address.erase(data_);
    const auto own = mapped().by_file.find(file_);
    if (own != mapped().by_file.end() && own->second.expired()) mapped().by_file.erase(own);  // otherwise it was mapped again
  }
  munmap(data_, bytes_);
  close(descriptor_);
}

Storage* storage_in(const std::shared_ptr<SharedMemory>& memory, size_t first_byte, DType dtype, int64_t size) {
  const auto element = static_cast<size_t>(size_of(dtype));
  if (first_byte > memory->bytes() || first_byte % element != 0 || size < 0 ||
      static_cast<size_t>(size) > (memory->bytes() - first_byte) / element)
    fail("shared memory", "elements", size, " of ", info(dtype).name, " from byte ", first_byte, ", expected a part of its ",
         memory->bytes(), " bytes");
  auto held = std::make_unique<std::shared_ptr<SharedMemory>>(memory);
  const auto release = [](void* context) { delete static_cast<std::shared_ptr<SharedMemory>*>(context); };
  Storage* const storage = Storage::borrow(dtype, memory->data() + first_byte, size, release, held.get());
  held.release();
  return storage;
}

bool is_shared(const Storage& storage) { return storage.device == cpu_device && SharedMemory::at(storage.data) != nullptr; }

namespace {

size_t bytes_of(const Storage& storage) { return static_cast<size_t>(storage.size) * static_cast<size_t>(size_of(storage.dtype)); }

void check_movable(const Storage& storage) {
  const auto refuse = [](auto... what) {
    fail<Status::range>("share", "storage", what..., ", expected one of torch's own memory on the CPU");
  };
  if (storage.device != cpu_device) refuse("one on ", device_name(storage.device));
  if (storage.between_threads()) refuse("one that other threads may have (share it before it is handed to them)");
  if (storage.loans != 0) refuse("one whose elements are being visited");
  if (!storage.resizable || storage.release_external != nullptr) refuse("one that is a view, has one, or holds memory that is not torch's");
}

// Frees the former memory: a separate block is returned; memory after the header stays, without its pages.
void leave_memory(Storage& storage) {
  if (storage.release_separate_data()) return;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)),
             first = reinterpret_cast<uintptr_t>(static_cast<std::byte*>(storage.data));
  const uintptr_t from = (first + page - 1) / page * page, to = (first + storage.capacity) / page * page;
  if (from < to) madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
  set_usable(storage.data, 0, storage.capacity);
}

void move_to(Storage& storage, const std::shared_ptr<SharedMemory>& memory, size_t first_byte) {
  auto held = std::make_unique<std::shared_ptr<SharedMemory>>(memory);
  std::byte* const place = memory->data() + first_byte;
  const size_t bytes = bytes_of(storage);
  std::memcpy(place, storage.data, bytes);
  if (storage.account != no_account) give_back(std::exchange(storage.account, no_account), static_cast<int64_t>(storage.capacity));
  leave_memory(storage);
  storage.data = place;
  storage.capacity = bytes;
  storage.resizable = false;
  storage.external_context = held.release();
  storage.release_external = [](void* context) { delete static_cast<std::shared_ptr<SharedMemory>*>(context); };
}

}  // namespace

void share(std::span<Storage* const> storages) {
  std::vector<Storage*> moving;
  size_t total = 0;
  for (Storage* storage : storages) {
    if (storage->size == 0 || is_shared(*storage) || std::find(moving.begin(), moving.end(), storage) != moving.end()) continue;
    check_movable(*storage);
    moving.push_back(storage);
    total += (bytes_of(*storage) + piece_alignment - 1) / piece_alignment * piece_alignment;
  }
  if (moving.empty()) return;
  const std::shared_ptr<SharedMemory> memory = SharedMemory::create(total);
  size_t first_byte = 0;
  for (Storage* storage : moving) {
    move_to(*storage, memory, first_byte);
    first_byte += (bytes_of(*storage) + piece_alignment - 1) / piece_alignment * piece_alignment;
  }
}

}  // namespace mt
