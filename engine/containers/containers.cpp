#include "engine/containers/containers.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>

#include "engine/core/error.h"

namespace mt {
namespace {

size_t hash_of(const Element& key) {
  uint64_t h = key.index();
  if (const auto* s = std::get_if<std::string>(&key)) h = std::hash<std::string>()(*s);
  if (const auto* d = std::get_if<double>(&key)) h = std::hash<double>()(*d);
  if (const auto* i = std::get_if<int64_t>(&key)) h = std::hash<int64_t>()(*i);
  if (const auto* b = std::get_if<bool>(&key)) h = *b ? 1 : 2;
  if (const auto* c = std::get_if<ContainerPtr>(&key)) h = std::hash<const void*>()(c->get());
  return static_cast<size_t>((h ^ h >> 32) * 0x9e37'79b9'7f4a'7c15 >> 16);  // similar numbers and pointers differ in few bits
}

bool equal(const Element& a, const Element& b) {
  if (a.index() != b.index()) return false;
  if (const auto* s = std::get_if<std::string>(&a)) return *s == std::get<std::string>(b);
  if (const auto* d = std::get_if<double>(&a)) return *d == std::get<double>(b);
  if (const auto* i = std::get_if<int64_t>(&a)) return *i == std::get<int64_t>(b);
  if (const auto* t = std::get_if<bool>(&a)) return *t == std::get<bool>(b);
  if (const auto* c = std::get_if<ContainerPtr>(&a)) return c->get() == std::get<ContainerPtr>(b).get();
  return false;  // a removed entry equals no key
}

// Elements become usable from all threads that reach the container.
void share_between_threads(const Element& e) {
  if (const auto* t = std::get_if<TensorHandle>(&e); t != nullptr && (*t)->storage() != nullptr) (*t)->storage()->share_between_threads();
  if (const auto* s = std::get_if<StoragePtr>(&e)) (*s)->share_between_threads();
}

}  // namespace

// Frees chains of containers that hold each other's last reference iteratively, not recursively.
void Container::drop() noexcept {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  thread_local Container* dead = nullptr;
  thread_local bool freeing = false;
  next_dead_ = dead;
  dead = this;
  if (freeing) return;
  freeing = true;
  while (dead != nullptr) delete std::exchange(dead, dead->next_dead_);
  freeing = false;
}

int64_t Hash::size() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(live_);
}

// The slot of the key, or the empty slot for its insertion.
size_t Hash::find_slot(const Element& key) const {
  const size_t mask = slots_.size() - 1;
  size_t at = hash_of(key) & mask;
  while (slots_[at] != 0 && !equal(entries_[slots_[at] - 1].key, key)) at = (at + 1) & mask;
  return at;
}

// Drops removed entries and doubles the capacity for the remaining ones.
void Hash::rebuild() {
  std::erase_if(entries_, [](const Entry& e) { return is_nil(e.key); });
  size_t count = 8;
  while (count < 4 * (entries_.size() + 1)) count *= 2;
  slots_.assign(count, 0);
  for (size_t i = 0; i < entries_.size(); ++i) slots_[find_slot(entries_[i].key)] = static_cast<uint32_t>(i + 1);
}

Element Hash::get(const Element& key) const {
  const std::lock_guard lock(mutex_);
  if (live_ == 0) return {};
  const uint32_t place = slots_[find_slot(key)];
  return place == 0 ? Element() : entries_[place - 1].value;
}

void Hash::set(Element key, Element value) {
  if (is_nil(key)) fail("tds.Hash", "key", "nil, expected a number, string, boolean or container");
  if (const auto* d = std::get_if<double>(&key); d != nullptr && std::isnan(*d))
    fail("tds.Hash", "key", "nan, expected a number that equals itself");
  if (std::holds_alternative<TensorHandle>(key) || std::holds_alternative<StoragePtr>(key)) {
    fail("tds.Hash", "key", "a tensor or storage, expected a number, string, boolean or container");
  }
  share_between_threads(value);
  Entry old;  // freed after the lock is released
  const std::lock_guard lock(mutex_);
  if (slots_.empty()) {
    if (is_nil(value)) return;
    rebuild();
  }
  size_t slot = find_slot(key);
  if (const uint32_t place = slots_[slot]; place != 0) {
    Entry& entry = entries_[place - 1];
    std::swap(old.value, entry.value);
    if (is_nil(value)) {
      std::swap(old.key, entry.key);
      --live_;
    } else {
      entry.value = std::move(value);
    }
    return;
  }
  if (is_nil(value)) return;
  if (4 * (entries_.size() + 1) > 3 * slots_.size()) {
    if (entries_.size() >= std::numeric_limits<uint32_t>::max() - 1) fail("tds.Hash", "key", "the table is full");
    rebuild();
    slot = find_slot(key);
  }
  entries_.push_back({std::move(key), std::move(value)});
  slots_[slot] = static_cast<uint32_t>(entries_.size());
  ++live_;
}

bool Hash::next(size_t& cursor, Element& key, Element& value) const {
  const std::lock_guard lock(mutex_);
  while (cursor < entries_.size() && is_nil(entries_[cursor].key)) ++cursor;
  if (cursor >= entries_.size()) return false;
  key = entries_[cursor].key;
  value = entries_[cursor].value;
  ++cursor;
  return true;
}

int64_t Vec::size() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(elements_.size());
}

Element Vec::get(int64_t i) const {
  const std::lock_guard lock(mutex_);
  if (i < 0 || i >= static_cast<int64_t>(elements_.size())) return {};
  return elements_[static_cast<size_t>(i)];
}

namespace {

// On 32 bits there are addresses for fewer.
constexpr int64_t most_elements =
    std::min(int64_t{1} << 40, static_cast<int64_t>(std::numeric_limits<std::ptrdiff_t>::max() / sizeof(Element)));

void check_index(const char* argument, int64_t i) {
  if (i < 0 || i >= most_elements) fail<Status::range>("tds.Vec", argument, i + 1, ", expected 1 to ", most_elements);
}

}  // namespace

void Vec::set(int64_t i, Element value) {
  check_index("index", i);
  share_between_threads(value);
  Element old;
  const std::lock_guard lock(mutex_);
  if (i >= static_cast<int64_t>(elements_.size())) elements_.resize(static_cast<size_t>(i + 1));
  std::swap(old, elements_[static_cast<size_t>(i)]);
  elements_[static_cast<size_t>(i)] = std::move(value);
}

void Vec::insert(int64_t i, Element value) {
  share_between_threads(value);
  const std::lock_guard lock(mutex_);
  const auto n = static_cast<int64_t>(elements_.size());
  check_index("insert: position", i);
  if (i > n) elements_.resize(static_cast<size_t>(i));
  elements_.insert(elements_.begin() + i, std::move(value));
}

Element Vec::remove(int64_t i) {
  const std::lock_guard lock(mutex_);
  if (i < 0 || i >= static_cast<int64_t>(elements_.size())) return {};
  Element old = std::move(elements_[static_cast<size_t>(i)]);
  elements_.erase(elements_.begin() + i);
  return old;
}

void Vec::resize(int64_t size) {
  if (size < 0 || size > most_elements) fail<Status::range>("tds.Vec", "size", size, ", expected 0 to ", most_elements);
  std::vector<Element> old;  // freed after the lock is released
  const std::lock_guard lock(mutex_);
  const auto n = static_cast<size_t>(size);
  if (n < elements_.size()) {
    old.reserve(elements_.size() - n);
    std::move(elements_.begin() + size, elements_.end(), std::back_inserter(old));
  }
  elements_.resize(n);
}

void Vec::sort() {
  const std::lock_guard lock(mutex_);
  const auto all = [this]<class T>(std::type_identity<T>) {
    return std::ranges::all_of(elements_, [](const Element& e) { return std::holds_alternative<T>(e); });
  };
  if (all(std::type_identity<double>())) {
    std::ranges::sort(elements_, [](const Element& a, const Element& b) {
      const double x = std::get<double>(a), y = std::get<double>(b);
      return x < y || (std::isnan(y) && !std::isnan(x));
    });
  } else if (all(std::type_identity<std::string>())) {
    std::ranges::sort(elements_, [](const Element& a, const Element& b) { return std::get<std::string>(a) < std::get<std::string>(b); });
  } else {
    fail("tds.Vec", "sort", "expected numbers alone or strings alone, or a function that compares");
  }
}

}  // namespace mt
