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

// A Lua function without its upvalues, as string.dump has it. Each is dumped and loaded once a state, whatever number of messages it is in.
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

// What a message holds: how each object is made, in a list, and then as bytes the values at the top and those inside each object, in the
// list's order, where objects stand by their place in the list. So neither writing nor reading recurses, and cycles need no care.
struct Message {
  enum class Kind : uint8_t { table, function, tensor, storage, container, generator, shared, known };
  // What a table's metatable is; `written`: a class's, and what the object writes of itself is there in place of its fields.
  enum class Meta : uint8_t { none, by_class, table, written };
  struct Object {
    Kind kind;
    Meta meta = Meta::none;
    bool by_reference;                   // tensors inside are not copied
    uint32_t place = 0;                  // in the list of its kind; a table's array elements, a name's place among the texts
    uint32_t fields = 0;                 // a table's other pairs; a name's length
    uint32_t parent = 0;                 // the place of what it was first met in; at_top and its number there
    uint32_t name = 0, name_length = 0;  // of the class
  };
  struct Memory {  // a storage, and which of its elements are wanted where it is copied
    StoragePtr storage;
    int64_t begin, end;
    bool by_reference, is_new;  // is_new: no thread but the sender's has seen it
  };
  struct Window {  // a tensor over the storage at a place of the list; none: no storage
    Tensor tensor;
    uint32_t memory;
  };
  enum Tag : char { nil, no, yes, number, text, object, pointer, signed_integer, unsigned_integer, joined, end };
  static constexpr uint32_t none = UINT32_MAX, at_top = 0x8000'0000;

  std::vector<Object> objects;
  std::string bytes, texts;
  std::vector<Memory> memories;
  std::vector<Window> tensors;
  std::vector<ContainerPtr> containers;
  std::vector<CodePtr> codes;
  std::vector<SharedPtr> shared;
  std::vector<Generator> generators;
  uint32_t count = 0;         // values at the top
  bool by_reference = false;  // whether tensors are shared, and those of an answer to be
  bool to_process = false;    // it leaves the process: elements are copied on the way, or in memory that processes share

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
    constexpr size_t kept = 1 << 20;  // of what one large message took
    if (bytes.capacity() > kept) bytes.shrink_to_fit();
  }
  void put(Tag tag) { bytes.push_back(tag); }
  template <class T> void put(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes.append(raw, sizeof(T));
  }
  // Gives the copied storages memory of their own. Raises C++ errors.
  void copy_memory();
};

}  // namespace mt::messages
