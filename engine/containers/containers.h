// Hash, Vec and AtomicCounter: containers outside Lua's heap that threads share. Every call is atomic.
#pragma once

#include <optional>
#include <vector>

#include "engine/containers/element.h"

namespace mt {

// A table in insertion order. Keys are numbers, booleans, strings and containers; containers compare by identity.
class Hash final : public Container {
 public:
  Hash() : Container(Kind::hash) {}

  int64_t size() const;
  Element get(const Element& key) const;
  void set(Element key, Element value);  // nil removes
  // Reads the first pair at or after `cursor` and moves it past the pair; returns false at the end. Pairs may be removed meanwhile.
  bool next(size_t& cursor, Element& key, Element& value) const;

 private:
  struct Entry {
    Element key, value;  // nil in removed entries
  };
  size_t find_slot(const Element& key) const;
  void rebuild();

  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;  // index of the entry + 1; 0: empty. The size is a power of two
  size_t live_ = 0;
};

// A vector; indices count from 0.
class Vec final : public Container {
 public:
  Vec() : Container(Kind::vec) {}

  int64_t size() const;
  Element get(int64_t i) const;        // nil if out of range
  void set(int64_t i, Element value);  // grows if i is beyond the end, with nils between
  void insert(int64_t i, Element value);
  Element remove(int64_t i);
  void resize(int64_t size);
  void sort();  // numbers or strings, ascending; nan last

 private:
  std::vector<Element> elements_;
};

class AtomicCounter final : public Container {
 public:
  explicit AtomicCounter(int64_t value) : Container(Kind::counter), value_(value) {}

  int64_t get() const { return value_.load(); }
  void set(int64_t value) { value_.store(value); }
  int64_t add(int64_t n) { return value_.fetch_add(n) + n; }  // returns the new value

 private:
  std::atomic<int64_t> value_;
};

}  // namespace mt
