#include "engine/core/added_ops.h"

#include <atomic>

namespace mt {
namespace {

struct Node {
  const Op& op;
  std::atomic<Node*> next = nullptr;
};

constinit std::atomic<Node*> first = nullptr;

template <class Found> const Op* find_added(Found&& found) {
  for (const Node* node = first.load(std::memory_order_acquire); node != nullptr; node = node->next.load(std::memory_order_acquire)) {
    if (found(node->op)) return &node->op;
  }
  return nullptr;
}

}  // namespace

void add_op(const Op& op) {
  std::atomic<Node*>* end = &first;
  while (Node* node = end->load(std::memory_order_acquire)) end = &node->next;
  end->store(new Node{op}, std::memory_order_release);
}

const Op* added_op(std::string_view name) {
  return find_added([&](const Op& op) { return op.decl->name == name; });
}

bool is_added(const Op& op) {
  return find_added([&](const Op& each) { return &each == &op; }) != nullptr;
}

int op_count() {
  auto count = static_cast<int>(Registry::instance().ops().size());
  find_added([&](const Op&) {
    ++count;
    return false;
  });
  return count;
}

const Op* op_at(int number) {
  const auto own = Registry::instance().ops();
  if (number < 0) return nullptr;
  if (static_cast<size_t>(number) < own.size()) return &own[static_cast<size_t>(number)];
  auto left = static_cast<size_t>(number) - own.size();
  return find_added([&](const Op&) { return left-- == 0; });
}

}  // namespace mt
