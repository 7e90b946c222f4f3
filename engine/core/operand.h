// References of a plan to tensors: a copy of their geometry, and their position in the call. An operand counts no reference to its storage.
// During a launch the call holds the storage; afterwards the owner of the plan does (engine/core/recording.h).
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

// Visits everything that a plan refers to. A visitor may change a place; the plan then refers to the new storage and offset.
class OperandVisitor {
 public:
  virtual void place(OperandPlace& place) = 0;
  virtual void answer() {}     // a field that the kernel writes, and for which the planning function waits
  virtual void generator() {}  // a generator of the caller

 protected:
  ~OperandVisitor() = default;
};

// Calls a function with each place.
template <class F> class PlaceVisitor : public OperandVisitor {
 public:
  explicit PlaceVisitor(F visit) : visit_(std::move(visit)) {}
  void place(OperandPlace& place) override { visit_(place); }

 private:
  F visit_;
};

// Visits the place of an address in a storage; does nothing for an address without storage.
inline void visit_address(OperandVisitor& visitor, std::byte*& data, Storage*& storage, uint16_t position) {
  if (storage == nullptr) return;
  OperandPlace place{storage, data - storage->data, position};
  visitor.place(place);
  storage = place.storage;
  data = storage->data + place.offset;
}

// A tensor of a plan, with all functions of a tensor. A Tensor that is copied from an operand counts a reference to the storage. The
// operand counts none: unless its owner holds the storage, it must not outlive the tensor from which it was made.
class Operand : public Tensor {
 public:
  Operand() {}                                          // NOLINT: absent; `= default` would clear all bytes
  Operand(const Tensor& t) : Tensor(t, Uncounted()) {}  // NOLINT: implicit
  Operand(const Operand& other) : Tensor(other, Uncounted()) {}
  Operand& operator=(const Operand& other) {
    assign_uncounted(other);
    return *this;
  }
  Operand& operator=(const Tensor& t) {
    assign_uncounted(t);
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

// The address of a tensor whose geometry the plan stores in another form.
class Address {
 public:
  Address() = default;
  explicit Address(const Tensor& t) : data_(t.bytes()), storage_(t.storage()), position_(t.position()) {}

  // constexpr for kernels of other devices.
  constexpr operator std::byte*() const { return data_; }  // NOLINT: implicit
  constexpr std::byte* data() const { return data_; }
  Address& operator=(std::byte* data) {  // without a storage
    data_ = data;
    storage_ = nullptr;
    return *this;
  }
  Address& operator+=(int64_t bytes) {
    data_ += bytes;
    return *this;
  }
  void visit(OperandVisitor& visitor) { visit_address(visitor, data_, storage_, position_); }

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
  void set(int i, std::byte* data) {  // without a storage
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
    for (int i = 0; i < count; ++i) visit_address(visitor, data_[i], storages_[i], positions_[i]);
  }

 private:
  std::byte* data_[most];
  Storage* storages_[most];
  uint16_t positions_[most];
};

// A list of operands, or of structs of operands, whose length the call decides.
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

// A field that the kernel writes and the planning function reads after the launch. The launch of a plan with a wanted answer waits for the
// kernel.
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
