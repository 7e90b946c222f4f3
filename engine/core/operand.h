// How a plan refers to tensors: by a copy of their geometry, and by their position in the call. An operand counts no reference to its
// storage: during a launch the call holds the storage, afterwards the owner of the plan does (engine/core/recording.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/core/tensor.h"

namespace mt {

// A place in memory to which a plan refers: a byte of a storage, and the position of the tensor in the call. Position 0 means a temporary,
// or a call that is not being recorded.
struct OperandPlace {
  Storage* storage;
  int64_t offset;  // in bytes
  uint16_t position;
};

// Visits all that a plan refers to. A visitor may change a place: the plan then refers to the new storage and offset.
class OperandVisitor {
 public:
  virtual void place(OperandPlace& place) = 0;
  virtual void answer() {}     // a field that the kernel writes for the plan function, which waits for it
  virtual void generator() {}  // a generator of the caller's

 protected:
  ~OperandVisitor() = default;
};

// A tensor of a plan, with all functions of a tensor. A Tensor that is copied from it counts a reference to the storage; the operand itself
// counts none, so that it must not outlive the tensor that it was made of, unless its owner holds the storage.
class Operand : public Tensor {
 public:
  Operand() {}                                          // NOLINT: absent; a default one would set all bytes to 0
  Operand(const Tensor& t) : Tensor(t, Uncounted()) {}  // NOLINT: implicit
  Operand(const Operand& other) : Tensor(other, Uncounted()) {}
  Operand& operator=(const Operand& other) {
    assign_uncounted(other);
    return *this;
  }
  ~Operand() { forget_storage(); }

  explicit operator bool() const { return storage() != nullptr; }
  void visit(OperandVisitor& visitor) {
    if (storage() == nullptr) return;
    const int size = size_of(dtype());
    OperandPlace place{storage(), offset() * size, position()};
    visitor.place(place);
    bind_uncounted(place.storage, place.offset / size);
  }
};

// The first byte of a tensor whose geometry a plan has in another form.
class Address {
 public:
  Address() = default;
  explicit Address(const Tensor& t) : data_(t.bytes()), storage_(t.storage()), position_(t.position()) {}

  // Kernels of other devices call these, too.
  constexpr operator std::byte*() const { return data_; }  // NOLINT: implicit
  constexpr std::byte* data() const { return data_; }
  Address& operator=(std::byte* data) {  // of no storage
    data_ = data;
    storage_ = nullptr;
    return *this;
  }
  Address& operator+=(int64_t bytes) {
    data_ += bytes;
    return *this;
  }
  void visit(OperandVisitor& visitor) {
    if (storage_ == nullptr) return;
    OperandPlace place{storage_, data_ - storage_->data, position_};
    visitor.place(place);
    storage_ = place.storage;
    data_ = storage_->data + place.offset;
  }

 private:
  std::byte* data_ = nullptr;
  Storage* storage_ = nullptr;
  uint16_t position_ = 0;
};

// Up to `most` addresses. The caller knows their number: an address that was not set is uninitialised.
template <int most> class Addresses {
 public:
  void set(int i, const Tensor& t) {
    data_[i] = t.bytes();
    storages_[i] = t.storage();
    positions_[i] = t.position();
  }
  void set(int i, std::byte* data) {  // of no storage
    data_[i] = data;
    storages_[i] = nullptr;
  }
  void assign(const Addresses& other, int count) {
    std::copy_n(other.data_, count, data_);
    std::copy_n(other.storages_, count, storages_);
    std::copy_n(other.positions_, count, positions_);
  }
  std::byte* operator[](int i) const { return data_[i]; }
  std::byte* const* data() const { return data_; }
  void visit(OperandVisitor& visitor, int count) {
    for (int i = 0; i < count; ++i) {
      if (storages_[i] == nullptr) continue;
      OperandPlace place{storages_[i], data_[i] - storages_[i]->data, positions_[i]};
      visitor.place(place);
      storages_[i] = place.storage;
      data_[i] = storages_[i]->data + place.offset;
    }
  }

 private:
  std::byte* data_[most];
  Storage* storages_[most];
  uint16_t positions_[most];
};

// Operands, or structs of operands, of which a call decides how many there are.
template <class T> class OperandList {
 public:
  void reserve(size_t count) { list_.reserve(count); }
  void push_back(const T& entry) { list_.push_back(entry); }
  bool empty() const { return list_.empty(); }
  size_t size() const { return list_.size(); }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }
  void visit(OperandVisitor& visitor);  // in plan.h

 private:
  std::vector<T> list_;
};

// A field of a plan that its kernel writes, for the plan function to read when the launch returns: a plan with an answer that is wanted is
// waited for.
template <class T> class Answer {
 public:
  explicit Answer(bool is_wanted = true) : is_wanted_(is_wanted) {}

  bool is_wanted() const { return is_wanted_; }

  T& operator*() const { return value_; }
  T* operator->() const { return &value_; }
  operator T&() const { return value_; }  // NOLINT: implicit
  void visit(OperandVisitor& visitor) {
    if (is_wanted_) visitor.answer();
  }

 private:
  mutable T value_{};
  bool is_wanted_;
};

}  // namespace mt
