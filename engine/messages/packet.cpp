// A packet consists of the parts of a message in sequence, followed by the copied elements.
#include "engine/messages/packet.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <unordered_map>

#include "engine/core/arguments.h"
#include "engine/core/generator.h"

namespace mt::messages {
namespace {

constexpr size_t most_by_socket = 16 << 10, most_descriptors = 250;  // safe limits of one socket message
constexpr uint32_t by_value = UINT32_MAX;

struct Head {
  uint64_t key, number, bytes;
  int32_t sender;
  uint32_t shared;
  bool failed, in_file, along;
};

struct MemoryHead {
  DType dtype;
  bool channels_last;
  uint32_t shared;  // index of its descriptor, or by_value
  uint64_t first;   // byte in the shared memory
  int64_t size, begin;
};

// Packets of this program begin with this random key, which a process shares with the children that it forks later. Other data on a socket
// doesn't.
uint64_t key_of_packets() {
  static const uint64_t key = Generator::random_seed();
  return key;
}

constexpr int message_seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;  // the sender can't change it while it is read

// A byte stream of values.
class Output {
 public:
  template <class T> void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(&value, sizeof value);
  }
  template <class T> void put_all(std::span<const T> values) {
    put(static_cast<uint64_t>(values.size()));
    append(values.data(), values.size_bytes());
  }
  void append(const void* data, size_t size) { text.append(static_cast<const char*>(data), size); }
  std::string text;
};

class Input {
 public:
  explicit Input(std::span<const char> bytes) : rest_(bytes) {}
  template <class T> T take() {
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  std::span<const char> take_text() {
    const auto size = take<uint64_t>();
    return {take(size), size};
  }
  template <class T> std::vector<T> take_all() {
    const auto count = take<uint64_t>();
    if (count > rest_.size() / sizeof(T)) damaged();
    std::vector<T> values(count);
    const size_t size = count * sizeof(T);
    if (size > 0) std::memcpy(static_cast<void*>(values.data()), take(size), size);
    return values;
  }
  const char* take(size_t size) {
    if (size > rest_.size()) damaged();
    const char* const data = rest_.data();
    rest_ = rest_.subspan(size);
    return data;
  }

 private:
  [[noreturn]] static void damaged() {
    fail("torch.processes", "message", "a damaged message, expected one of another process of the pool");
  }
  std::span<const char> rest_;
};

enum class ElementTag : uint8_t { nil, boolean, number, integer, text, tensor, storage, container };

// Packs a message and the content of its containers. Storages are collected first, so that values that share memory still share it.
class Packer {
 public:
  explicit Packer(const Message& message) : m_(message) {
    for (const Message::Memory& memory : m_.memories) {
      places_.emplace(memory.storage.get(), static_cast<uint32_t>(memories_.size()));
      memories_.push_back({memory.storage, memory.begin, memory.end});
    }
  }

  std::string pack() {
    out_.put(m_.count);
    out_.put_all(std::span(m_.objects));
    out_.put_all(std::span<const char>(m_.bytes));
    out_.put_all(std::span<const char>(m_.texts));
    out_.put(static_cast<uint64_t>(m_.codes.size()));
    for (const CodePtr& code : m_.codes) out_.put_all(std::span<const char>(code->bytes));
    out_.put(static_cast<uint64_t>(m_.generators.size()));
    for (const Generator& generator : m_.generators) put(generator);
    out_.put(static_cast<uint64_t>(m_.tensors.size()));
    for (const Message::Window& window : m_.tensors) put(window.tensor, window.memory);
    put_containers();
    put_memories();
    return std::move(out_.text);
  }

  std::vector<std::shared_ptr<SharedMemory>> shared;
  std::vector<std::span<const std::byte>> elements;

 private:
  struct Memory {
    StoragePtr storage;
    int64_t begin, end;
  };

  void put(const Generator& generator) {
    std::vector<uint8_t> state(static_cast<size_t>(generator.state_bytes()));
    generator.save(state.data());
    out_.put_all(std::span<const uint8_t>(state));
  }

  void put(const Tensor& t, uint32_t memory) {
    out_.put(t.dtype());
    out_.put(memory);
    out_.put(t.offset());
    out_.put_all(t.sizes());
    out_.put_all(t.strides());
  }

  uint32_t place_of(const StoragePtr& storage) {
    if (storage->device != cpu_device)
      fail("torch.processes", "container", "a tensor on ", device_name(storage->device),
           ", expected one on the CPU: others can't go to another process");
    const auto [found, is_new] = places_.emplace(storage.get(), static_cast<uint32_t>(memories_.size()));
    if (is_new) memories_.push_back({storage, 0, storage->size});
    Memory& memory = memories_[found->second];
    memory.begin = 0;
    memory.end = storage->size;
    return found->second;
  }

  // Containers may hold each other in rings.
  uint32_t place_of(const ContainerPtr& container) {
    const auto [found, is_new] = container_places_.emplace(container.get(), static_cast<uint32_t>(containers_.size()));
    if (is_new) containers_.push_back(container);
    return found->second;
  }

  void put_containers() {
    std::vector<uint32_t> roots;
    for (const ContainerPtr& container : m_.containers) roots.push_back(place_of(container));
    out_.put_all(std::span<const uint32_t>(roots));
    Output contents;
    std::swap(contents, out_);
    for (size_t i = 0; i < containers_.size(); ++i) put_content(*ContainerPtr(containers_[i]).get());
    std::swap(contents, out_);
    std::vector<Container::Kind> kinds;
    for (const ContainerPtr& container : containers_) kinds.push_back(container->kind());
    out_.put_all(std::span<const Container::Kind>(kinds));
    out_.text += contents.text;
  }

  void put_content(Container& container) {
    switch (container.kind()) {
      case Container::Kind::hash: {
        std::vector<Element> entries;
        Element key, value;
        for (size_t cursor = 0; static_cast<Hash&>(container).next(cursor, key, value);) {
          entries.push_back(std::move(key));
          entries.push_back(std::move(value));
        }
        return put_elements(entries);
      }
      case Container::Kind::vec: {
        auto& vec = static_cast<Vec&>(container);
        std::vector<Element> entries(static_cast<size_t>(vec.size()));
        for (size_t i = 0; i < entries.size(); ++i) entries[i] = vec.get(static_cast<int64_t>(i));
        return put_elements(entries);
      }
      case Container::Kind::counter:
        return out_.put(static_cast<AtomicCounter&>(container).get());
    }
  }

  void put_elements(const std::vector<Element>& entries) {
    out_.put(static_cast<uint64_t>(entries.size()));
    for (const Element& entry : entries) put(entry);
  }

  void put(const Element& element) {
    if (const auto* boolean = std::get_if<bool>(&element)) {
      out_.put(ElementTag::boolean);
      out_.put(*boolean);
    } else if (const auto* number = std::get_if<double>(&element)) {
      out_.put(ElementTag::number);
      out_.put(*number);
    } else if (const auto* integer = std::get_if<int64_t>(&element)) {
      out_.put(ElementTag::integer);
      out_.put(*integer);
    } else if (const auto* text = std::get_if<std::string>(&element)) {
      out_.put(ElementTag::text);
      out_.put_all(std::span<const char>(*text));
    } else if (const auto* tensor = std::get_if<TensorHandle>(&element)) {
      const Tensor& t = **tensor;
      out_.put(ElementTag::tensor);
      put(t, t.storage() != nullptr ? place_of(t.storage_ptr()) : Message::none);
    } else if (const auto* storage = std::get_if<StoragePtr>(&element)) {
      out_.put(ElementTag::storage);
      out_.put(place_of(*storage));
    } else if (const auto* container = std::get_if<ContainerPtr>(&element)) {
      out_.put(ElementTag::container);
      out_.put(place_of(*container));
    } else {
      out_.put(ElementTag::nil);
    }
  }

  void put_memories() {
    std::vector<MemoryHead> heads;
    for (Memory& memory : memories_) {
      const Storage& storage = *memory.storage.get();
      MemoryHead head{};
      head.dtype = storage.dtype;
      head.channels_last = storage.channels_last;
      if (const auto place = storage.size > 0 ? SharedMemory::at(storage.data) : nullptr) {
        head.shared = descriptor_of(place);
        head.first = static_cast<uint64_t>(storage.data - place->data());
        head.size = storage.size;
      } else {
        if (memory.end > storage.size || memory.begin >= memory.end) memory.begin = memory.end = 0;
        head.shared = by_value;
        head.begin = memory.begin;
        head.size = memory.end - memory.begin;
        const int64_t element = size_of(storage.dtype);
        elements.emplace_back(storage.data + memory.begin * element, static_cast<size_t>(head.size * element));
      }
      heads.push_back(head);
    }
    out_.put_all(std::span<const MemoryHead>(heads));
  }

  uint32_t descriptor_of(const std::shared_ptr<SharedMemory>& memory) {
    const auto place = static_cast<uint32_t>(std::find(shared.begin(), shared.end(), memory) - shared.begin());
    if (place == shared.size()) shared.push_back(memory);
    return place;
  }

  const Message& m_;
  Output out_;
  std::vector<Memory> memories_;
  std::unordered_map<const Storage*, uint32_t> places_;
  std::vector<ContainerPtr> containers_;
  std::unordered_map<const Container*, uint32_t> container_places_;
};

class Unpacker {
 public:
  Unpacker(std::span<const char> bytes, std::span<const Descriptor> shared, Codes& codes, Message& message)
      : in_(bytes), shared_(shared), codes_(codes), m_(message) {}

  void unpack() {
    m_.to_process = true;
    m_.count = in_.take<uint32_t>();
    m_.objects = in_.take_all<Message::Object>();
    const auto bytes = in_.take_text(), texts = in_.take_text();
    m_.bytes.assign(bytes.data(), bytes.size());
    m_.texts.assign(texts.data(), texts.size());
    for (auto count = in_.take<uint64_t>(); count > 0; --count) {
      const auto code = in_.take_text();
      m_.codes.push_back(codes_.of({code.data(), code.size()}));
    }
    for (auto count = in_.take<uint64_t>(); count > 0; --count) {
      const auto state = in_.take_all<uint8_t>();
      m_.generators.emplace_back(0);
      m_.generators.back().load(state);
    }
    std::vector<Geometry> windows(in_.take<uint64_t>());
    for (Geometry& window : windows) window = take_geometry();
    take_containers();
    take_memories();
    for (const Geometry& window : windows) m_.tensors.push_back({tensor(window), window.memory});
    fill_containers();
    for (StoragePtr& storage : storages_) m_.memories.push_back({std::move(storage), 0, 0, false, true});
  }

 private:
  struct Geometry {
    DType dtype;
    uint32_t memory;
    int64_t offset;
    std::vector<int64_t> sizes, strides;
  };
  struct Pending {  // an element whose storage or container is not known yet
    ElementTag tag;
    Element plain;
    Geometry geometry;
    uint32_t place;
  };

  Geometry take_geometry() {
    Geometry g;
    g.dtype = in_.take<DType>();
    g.memory = in_.take<uint32_t>();
    g.offset = in_.take<int64_t>();
    g.sizes = in_.take_all<int64_t>();
    g.strides = in_.take_all<int64_t>();
    return g;
  }

  Tensor tensor(const Geometry& g) {
    Tensor t;
    t.set_type(g.dtype, cpu_device);
    if (g.memory == Message::none) return t;
    const int64_t begin = begins_.at(g.memory);
    t.set_storage(storages_.at(g.memory), storages_[g.memory]->size == 0 ? 0 : g.offset - begin, g.sizes, g.strides);
    t.interpret_as(g.dtype);
    return t;
  }

  void take_containers() {
    roots_ = in_.take_all<uint32_t>();
    for (const Container::Kind kind : in_.take_all<Container::Kind>()) {
      std::vector<Pending>& content = contents_.emplace_back();
      if (kind == Container::Kind::counter) {
        containers_.push_back(ContainerPtr::adopt(new AtomicCounter(in_.take<int64_t>())));
        continue;
      }
      containers_.push_back(kind == Container::Kind::hash ? ContainerPtr::adopt(new Hash) : ContainerPtr::adopt(new Vec));
      for (auto count = in_.take<uint64_t>(); count > 0; --count) content.push_back(take_element());
    }
    for (const uint32_t root : roots_) m_.containers.push_back(containers_.at(root));
  }

  Pending take_element() {
    Pending element{in_.take<ElementTag>(), {}, {}, 0};
    switch (element.tag) {
      case ElementTag::nil:
        break;
      case ElementTag::boolean:
        element.plain = in_.take<bool>();
        break;
      case ElementTag::number:
        element.plain = in_.take<double>();
        break;
      case ElementTag::integer:
        element.plain = in_.take<int64_t>();
        break;
      case ElementTag::text: {
        const auto text = in_.take_text();
        element.plain = std::string(text.data(), text.size());
        break;
      }
      case ElementTag::tensor:
        element.geometry = take_geometry();
        break;
      case ElementTag::storage:
      case ElementTag::container:
        element.place = in_.take<uint32_t>();
        break;
    }
    return element;
  }

  Element finished(Pending& element) {
    switch (element.tag) {
      case ElementTag::tensor:
        return TensorHandle(std::make_shared<Tensor>(tensor(element.geometry)));
      case ElementTag::storage:
        return storages_.at(element.place);
      case ElementTag::container:
        return containers_.at(element.place);
      default:
        return std::move(element.plain);
    }
  }

  void fill_containers() {
    for (size_t i = 0; i < containers_.size(); ++i) {
      std::vector<Pending>& content = contents_[i];
      if (containers_[i]->kind() == Container::Kind::hash) {
        auto& hash = static_cast<Hash&>(*containers_[i].get());
        for (size_t k = 0; k + 1 < content.size(); k += 2) {
          Element key = finished(content[k]);
          hash.set(std::move(key), finished(content[k + 1]));
        }
      } else if (containers_[i]->kind() == Container::Kind::vec) {
        auto& vec = static_cast<Vec&>(*containers_[i].get());
        vec.resize(static_cast<int64_t>(content.size()));
        for (size_t k = 0; k < content.size(); ++k) vec.set(static_cast<int64_t>(k), finished(content[k]));
      }
    }
  }

  void take_memories() {
    std::vector<std::shared_ptr<SharedMemory>> known(shared_.size());
    for (const MemoryHead& head : in_.take_all<MemoryHead>()) {
      StoragePtr storage;
      if (head.shared != by_value) {
        auto& memory = known.at(head.shared);
        if (!memory) memory = SharedMemory::open(shared_[head.shared].get());
        storage = StoragePtr::adopt(storage_in(memory, head.first, head.dtype, head.size));
      } else {
        storage = StoragePtr::adopt(Storage::create(head.dtype, head.size));
        const auto bytes = static_cast<size_t>(head.size) * static_cast<size_t>(size_of(head.dtype));
        if (bytes > 0) std::memcpy(storage->data, in_.take(bytes), bytes);
      }
      storage->channels_last = head.channels_last;
      begins_.push_back(head.begin);
      storages_.push_back(std::move(storage));
    }
  }

  Input in_;
  const std::span<const Descriptor> shared_;
  Codes& codes_;
  Message& m_;
  std::vector<StoragePtr> storages_;
  std::vector<int64_t> begins_;
  std::vector<uint32_t> roots_;
  std::vector<ContainerPtr> containers_;
  std::vector<std::vector<Pending>> contents_;
};

[[noreturn]] void refuse(const char* what) { fail("torch.processes", what, std::strerror(errno)); }

void write_all(int file, const void* data, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t written = write(file, static_cast<const char*>(data) + done, size - done);
    if (written < 0 && errno != EINTR) refuse("memory for a message");
    if (written > 0) done += static_cast<size_t>(written);
  }
}

}  // namespace

void Packet::prepare() { key_of_packets(); }

Packet::Packet(const Message& message) {
  Packer packer(message);
  bytes_ = packer.pack();
  shared_ = std::move(packer.shared);
  if (shared_.size() > most_descriptors) {
    fail<Status::range>("torch.processes", "message", shared_.size(), " shared memories, expected at most ", most_descriptors,
                        " (torch.shared puts all tensors of a table into one)");
  }
  size_t total = bytes_.size();
  for (const auto& piece : packer.elements) total += piece.size();
  if (total <= most_by_socket) {
    for (const auto& piece : packer.elements) bytes_.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    return;
  }
  file_ = Descriptor(memfd_create("moontorch message", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file_) refuse("memory for a message");
  write_all(file_.get(), bytes_.data(), bytes_.size());
  for (const auto& piece : packer.elements) write_all(file_.get(), piece.data(), piece.size());
  if (fcntl(file_.get(), F_ADD_SEALS, message_seals) != 0) refuse("memory for a message");
  bytes_.clear();
}

Packet::Packet(std::string error) : failed_(true), bytes_(std::move(error)) {
  if (bytes_.size() > most_by_socket) bytes_.resize(most_by_socket);
}

bool Packet::send(int socket, uint64_t number, int sender, const int* along) const {
  Head head{};
  head.key = key_of_packets();
  head.number = number;
  head.sender = sender;
  head.bytes = bytes_.size();
  head.shared = static_cast<uint32_t>(shared_.size());
  head.failed = failed_;
  head.in_file = static_cast<bool>(file_);
  head.along = along != nullptr;
  std::vector<int> descriptors;
  if (file_) descriptors.push_back(file_.get());
  if (along != nullptr) descriptors.push_back(*along);
  for (const auto& memory : shared_) descriptors.push_back(memory->descriptor());
  iovec parts[2] = {{&head, sizeof head}, {const_cast<char*>(bytes_.data()), bytes_.size()}};
  alignas(cmsghdr) char control[CMSG_SPACE((most_descriptors + 2) * sizeof(int))];
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  if (!descriptors.empty()) {
    const size_t size = descriptors.size() * sizeof(int);
    std::memset(control, 0, CMSG_SPACE(size));
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(size);
    cmsghdr* const rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(rights), descriptors.data(), size);
  }
  for (;;) {
    if (sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return true;
    if (errno != EINTR) return false;
  }
}

Parcel::Received Parcel::receive(int socket, bool wait) {
  *this = Parcel();
  Head head{};
  bytes_.resize(most_by_socket);
  iovec parts[2] = {{&head, sizeof head}, {bytes_.data(), bytes_.size()}};
  alignas(cmsghdr) char control[CMSG_SPACE((most_descriptors + 2) * sizeof(int))];
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t size;
  do size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
  while (size < 0 && errno == EINTR);
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Received::nothing;
  if (size <= 0) return Received::end;
  const auto whole = static_cast<size_t>(size);
  if (whole < sizeof head || head.key != key_of_packets() || head.bytes != whole - sizeof head) {
    failed_ = true;
    bytes_ = "torch.processes: message: foreign data on the pipe between processes, which is for torch.processes alone";
    return Received::yes;
  }
  bytes_.resize(static_cast<size_t>(head.bytes));
  std::vector<Descriptor> descriptors;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    for (size_t at = 0; CMSG_LEN(at + sizeof(int)) <= part->cmsg_len; at += sizeof(int)) {
      int number;
      std::memcpy(&number, CMSG_DATA(part) + at, sizeof number);
      descriptors.emplace_back(number);
    }
  }
  const size_t wanted = head.shared + (head.in_file ? 1 : 0) + (head.along ? 1 : 0);
  number_ = head.number;
  sender_ = head.sender;
  failed_ = head.failed;
  if (descriptors.size() != wanted) {  // this process may open no more files
    failed_ = true;
    bytes_ = "torch.processes: message: its descriptors could not be opened: `ulimit -n` limits their number in a process";
    if (head.along && !descriptors.empty()) along_ = std::move(descriptors[head.in_file && descriptors.size() > 1 ? 1 : 0]);
    return Received::yes;
  }
  size_t at = 0;
  if (head.in_file) file_ = std::move(descriptors[at++]);
  if (head.along) along_ = std::move(descriptors[at++]);
  for (; at < descriptors.size(); ++at) shared_.push_back(std::move(descriptors[at]));
  return Received::yes;
}

void Parcel::unpack(Codes& codes, Message& message) {
  if (!file_) {
    Unpacker(bytes_, shared_, codes, message).unpack();
  } else {
    struct stat file;
    if (fstat(file_.get(), &file) != 0) refuse("message");
    if ((fcntl(file_.get(), F_GET_SEALS) & message_seals) != message_seals || file.st_size == 0)
      fail("torch.processes", "message", "a file, expected a message");
    const auto size = static_cast<size_t>(file.st_size);
    void* const data = mmap(nullptr, size, PROT_READ, MAP_SHARED, file_.get(), 0);
    if (data == MAP_FAILED) refuse("memory for a message");
    struct Unmap {
      void* data;
      size_t size;
      ~Unmap() { munmap(data, size); }
    };
    const Unmap unmap{data, size};
    Unpacker({static_cast<const char*>(data), size}, shared_, codes, message).unpack();
  }
  *this = Parcel();
}

}  // namespace mt::messages
