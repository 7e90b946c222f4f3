// Compares every op with the CPU, called with arguments derived from its signature. On meta, whose tensors have no elements, sizes and
// errors are equal; on the test device, whose elements only kernels access, elements are equal, too.
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "engine/core/generator.h"
#include "spec/engine/every_op.h"
#include "spec/engine/test_device.h"

using namespace mt;
using namespace mt::test;

namespace {

// The outcome of a call as text: the results' dtypes and sizes, or an error.
struct Outcome {
  bool done = false;
  std::string text;
  std::vector<Tensor> results;
};

// `given`: pass existing tensors of other sizes as results.
Outcome run_on(DeviceId device, const Op& op, const Recipe& recipe, bool given = false) {
  Generators generators(1);
  generators.own = Generator(Philox(1));  // like the test device's generator
  Arguments arguments(op.decl->signature, recipe, device);
  std::vector<Tensor> made(static_cast<size_t>(op.decl->signature.result_count));
  std::vector<Tensor*> results;
  for (Tensor& t : made) {
    if (given) t = Tensor::empty(recipe.dtype, {2}, device);
    results.push_back(&t);
  }
  Call call{op, arguments.values(), results, given ? ~0u : 0u};
  call.generators = &generators;
  call.default_device = device;
  Outcome outcome;
  try {
    run_op(call);
    outcome.done = true;
    for (const Tensor& t : made) {
      append(outcome.text, t.dtype());
      append(outcome.text, t.sizes());
      if (t.dim() > 0) CHECK(t.device() == device);
    }
    outcome.results = std::move(made);
  } catch (const Error& e) {
    outcome.text = e.what();
  }
  return outcome;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  const Tensor x = contiguous(a), y = contiguous(b);
  return x.numel() == 0 || std::memcmp(x.bytes(), y.bytes(), static_cast<size_t>(x.numel() * size_of(x.dtype()))) == 0;
}

}  // namespace

TEST_CASE("sizes, dtypes and errors are the same without elements") {
  size_t done = 0, whole = 0;
  std::string never;
  const std::vector<Recipe> all = recipes();
  for (const Op& op : Registry::instance().ops()) {
    // The arguments of sparse ops have to be a matrix, which meta can't see; those of complex ones are not made here.
    const bool made_here = op.family != "sparse" && (op.decl->dtypes & ordered_dtypes) != DTypeSet();
    if (op.decl->data_dependent || !made_here) continue;
    bool once = false;
    for (const Recipe& recipe : all) {
      for (const bool given : {false, true}) {
        CAPTURE(op.decl->name);
        const Outcome cpu = run_on(cpu_device, op, recipe, given), meta = run_on(meta_device, op, recipe, given);
        CHECK(meta.text == cpu.text);
        once = once || cpu.done;
      }
    }
    ++whole;
    done += once ? 1 : 0;
    if (!once) never.append(" ").append(op.decl->name);
  }
  MESSAGE("not called, as arguments made of the signature alone do not fit:" << never);
  CHECK(done * 10 >= whole * 9);
}

TEST_CASE("elements are the same where only kernels may touch them") {
  const DeviceId device = test_device("test");
  for (const Op& op : Registry::instance().ops()) {
    if (op.decl->name == "empty") continue;  // its elements are unspecified
    for (const Recipe& recipe : recipes()) {
      CAPTURE(op.decl->name);
      const Outcome cpu = run_on(cpu_device, op, recipe), there = run_on(device, op, recipe);
      CHECK(there.text == cpu.text);
      for (size_t i = 0; there.text == cpu.text && i < cpu.results.size(); ++i) CHECK(same_bits(on_host(there.results[i]), cpu.results[i]));
    }
  }
}

TEST_CASE("an op whose sizes depend on elements says so") {
  const Recipe recipe = {{3, 4}, {3, 4}, DType::float64, DType::uint8};
  int count = 0;
  for (const Op& op : Registry::instance().ops()) {
    if (!op.decl->data_dependent) continue;
    CAPTURE(op.decl->name);
    CHECK(run_on(meta_device, op, recipe).text ==
          std::string(op.decl->name) + ": sizes: they depend on elements, of which a tensor on meta has none");
    ++count;
  }
  CHECK(count >= 2);  // at least maskedSelect and nonzero
}
