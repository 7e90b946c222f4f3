// Plans are values. A hook records every op; after the call its launches are replayed with other tensors of the same sizes and strides.
// Before that the stack of the plan function and the elements that it saw are overwritten.
#include "engine/core/recording.h"

#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "spec/engine/one_call.h"
#include "spec/engine/test_device.h"

using namespace mt;
using namespace mt::test;

namespace {

struct Nested {
  int64_t count = 0;
  std::array<Operand, 2> pair;
};
struct Good {
  Operand x, y;
  Nested nested;
  Answer<double> answer{};
};
struct WithReference {
  const Tensor& x;
};
struct WithPointer {
  Operand x;
  const Tensor* y;
};
struct WithSpan {
  std::span<const int64_t> sizes;
};
struct Within {
  Operand x;
  WithPointer inner;
};
struct WithFunction {
  std::function<void()> f;
};
static_assert(is_plan<Good>);
static_assert(!is_plan<WithReference> && !is_plan<WithPointer> && !is_plan<WithSpan> && !is_plan<Within> && !is_plan<WithFunction>);

struct RecordingHook final : OpHook {
  std::optional<Recording> recording;

  void run(Call& call) override { recording.emplace(call); }
};

void overwrite(const Tensor& t) {
  if (t.storage() == nullptr || t.storage()->size == 0) return;
  const Storage& s = *t.storage();
  const std::vector<std::byte> garbage(static_cast<size_t>(s.size * size_of(s.dtype)), std::byte{0x2a});
  device(s.device).write(s.data, garbage.data(), garbage.size());
}

[[gnu::noinline]] void overwrite_stack() {
  volatile uint64_t memory[1 << 12];
  for (volatile uint64_t& word : memory) word = 0xa5a5a5a5a5a5a5a5;
}

// Creates a tensor for a replay's result: new memory with the geometry of `like`, or, if `like` is a view of an argument, the same view.
Tensor place_for(const Tensor& like, std::deque<Tensor>& recorded, std::deque<Tensor>& now) {
  if (like.storage() == nullptr) return like;
  Tensor t;
  for (size_t i = 0; i < recorded.size(); ++i) {
    if (recorded[i].storage() == like.storage()) t = now[i];
  }
  if (t.storage() == nullptr) {
    t = Tensor::empty(like.dtype(), {std::max<int64_t>(like.storage()->size, 1)}, like.device());
    overwrite(t);
  }
  t.set_geometry(like.offset(), like.sizes(), like.strides());
  return t;
}

struct Outcome {
  std::map<std::string, std::string> obstacles;  // by op
  std::map<std::string, int> replayed;
};

void replay_all(DeviceId device, Outcome& outcome) {
  for (const Op& op : Registry::instance().ops()) {
    if (op.decl->name == "empty") continue;  // its elements are unspecified
    for (const Recipe& recipe : recipes()) {
      CAPTURE(op.decl->name);
      OneCall first(op, recipe, device), expected(op, recipe, device), second(op, recipe, device);
      RecordingHook hook;
      first.call.hook = &hook;
      try {
        run_op(first.call);
      } catch (const Error&) {
        continue;  // the arguments don't fit
      }
      const std::string name(op.decl->name);
      if (!hook.recording->obstacle().empty()) {
        outcome.obstacles[name] = hook.recording->obstacle();
        continue;
      }
      for (OneCall* const one : {&expected, &second}) {
        for (const Tensor& t : one->arguments.tensors()) change(t);
      }
      try {
        run_op(expected.call);
      } catch (const Error&) {
        continue;
      }
      std::vector<Tensor> placed;
      for (const Tensor& r : first.made) placed.push_back(place_for(r, first.arguments.tensors(), second.arguments.tensors()));
      std::vector<Tensor*> tensors;
      for (const Value& v : second.call.args) {
        if (v.is_tensor()) tensors.push_back(v.tensor);
        for (int i = 0; v.type == Value::Type::tensors && i < v.count; ++i) tensors.push_back(v.tensors[i]);
      }
      for (Tensor& t : placed) tensors.push_back(&t);
      for (const Tensor& t : first.arguments.tensors()) overwrite(t);
      for (const Tensor& t : first.made) overwrite(t);
      overwrite_stack();
      hook.recording->replay(tensors);
      for (size_t i = 0; i < placed.size(); ++i) CHECK(same_bits(placed[i], expected.made[i]));
      for (size_t i = 0; i < second.arguments.tensors().size(); ++i)
        CHECK(same_bits(second.arguments.tensors()[i], expected.arguments.tensors()[i]));
      ++outcome.replayed[name];
    }
  }
}

}  // namespace

TEST_CASE("what an op launched is launched again with other tensors") {
  for (const DeviceId device : {cpu_device, test_device("test")}) {
    Outcome outcome;
    replay_all(device, outcome);
    std::map<std::string, std::string> ops;  // by obstacle
    for (const auto& [op, why] : outcome.obstacles) {
      if (outcome.replayed.count(op) == 0) ops[why].append(" ").append(op);
    }
    for (const auto& [why, list] : ops) MESSAGE(why << ":" << list);
    CHECK(outcome.replayed.size() * 10 >= Registry::instance().ops().size() * 7);
    for (const char* const op : {"add", "cmul", "exp", "mm", "sum", "max", "softmax", "index", "gather", "conv2d", "maxPool2d", "batchNorm",
                                 "cumsum", "sort", "copy", "cat", "nllLoss"}) {
      CAPTURE(op);
      if (Registry::instance().find(op) != nullptr) CHECK(outcome.replayed.count(op) == 1);
    }
  }
}
