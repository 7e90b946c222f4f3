// Messages: values on their way from one Lua state to another, as plain bytes and counted references to what the states share.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/containers/containers.h"
#include "engine/core/generator.h"
#include "engine/core/tensor.h"
#include "engine/messages/shared_objects.h"

namespace mt::messages {

// A Lua function without its upvalues, as bytecode of string.dump. A state dumps and loads each one once, for any number of messages.
struct Code {
  uint64_t id;  // unique in the process
  std::string bytes;
};
using CodePtr = std::shared_ptr<const Code>;

// The codes that a Lua state has met, by their bytes.
class Codes {
 public:
  CodePtr of(std::string_view bytes);
  static constexpr size_t most = 2000;  // then all are forgotten: a program may make functions without end

 private:
  std::unordered_map<std::string_view, CodePtr> known_;
};

// The content of a message: a list with the kind and size of each object, and as bytes the values at the top level and those inside each
// object, in the order of the list. Values refer to objects by index. So writing and reading don't recurse, and cycles need no special
// case.
struct Message {
  enum class Kind : uint8_t { table, function, tensor, storage, container, generator, shared, known };
  // The metatable of a table. `written`: that of a class whose objects serialise themselves; the result replaces the fields.
  enum class Meta : uint8_t { none, by_class, table, written };
  struct Object {
    Kind kind;
    Meta meta = Meta::none;
    bool by_reference;                   // tensors inside are shared
    uint32_t place = 0;                  // index in the list of its kind; number of a table's array elements; a name's offset in texts
    uint32_t fields = 0;                 // number of a table's other pairs; length of a name
    uint32_t parent = 0;                 // index of the object from which it was first reached; or at_top and its number
    uint32_t name = 0, name_length = 0;  // of the class
  };
  struct Memory {  // a storage, and the range of elements that a copy needs
    StoragePtr storage;
    int64_t begin, end;
    bool by_reference, is_new;  // is_new: no other thread has seen it yet
  };
  struct Window {  // a tensor over the memory with this index; none: no storage
    Tensor tensor;
    uint32_t memory;
  };
  enum Tag : char { nil, no, yes, number, text, object, pointer, signed_integer, unsigned_integer, complex, joined, end };
  static constexpr uint32_t none = UINT32_MAX, at_top = 0x8000'0000;

  std::vector<Object> objects;
  std::string bytes, texts;
  std::vector<Memory> memories;
  std::vector<Window> tensors;
  std::vector<ContainerPtr> containers;
  std::vector<CodePtr> codes;
  std::vector<SharedPtr> shared;
  std::vector<Generator> generators;
  uint32_t count = 0;         // values at the top level
  bool by_reference = false;  // tensors are shared, also those of the answer
  bool to_process = false;    // for another process: elements are copied, or lie in memory that processes share

  void clear() {
    objects.clear();
    bytes.clear();
    texts.clear();
    memories.clear();
    tensors.clear();
    containers.clear();
    codes.clear();
    shared.clear();
    generators.clear();
    count = 0;
    constexpr size_t kept = 1 << 20;  // of the capacity after a large message
    if (bytes.capacity() > kept) bytes.shrink_to_fit();
  }
  void put(Tag tag) { bytes.push_back(tag); }
  template <class T> void put(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes.append(raw, sizeof(T));
  }
  // Copies the elements of storages that are sent by value. Raises C++ errors.
  void copy_memory();
};

}  // namespace mt::messages
