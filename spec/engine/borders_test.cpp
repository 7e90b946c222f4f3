// Ops read and write the elements of their tensors and no byte beside them: not even to store there what they found, which would undo what
// another thread writes meanwhile. And where a tensor begins in memory changes no bit of a result.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "engine/core/generator.h"
#include "spec/engine/every_op.h"

using namespace mt;
using namespace mt::test;

namespace {

// Pages between two pages that can't be accessed.
struct Walled {
  std::byte* all;
  size_t size;

  static void release(void* walled) {
    auto* const w = static_cast<Walled*>(walled);
    ::munmap(w->all, w->size);
    delete w;
  }
};

enum class Side { first, last };  // of the pages, where a tensor is

// A dense copy of t whose first element follows a page that can't be accessed, or whose last one precedes one.
Tensor beside_wall(const Tensor& t, Side side) {
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE)), bytes = static_cast<size_t>(t.numel() * size_of(t.dtype()));
  if (bytes == 0) return t;
  const size_t inside = (bytes + page - 1) / page * page, size = inside + 2 * page;
  void* const memory = ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  auto* const all = static_cast<std::byte*>(memory);
  REQUIRE(::mprotect(all + page, inside, PROT_READ | PROT_WRITE) == 0);
  std::byte* const data = all + page + (side == Side::first ? 0 : inside - bytes);
  std::memcpy(data, contiguous(t).bytes(), bytes);
  Storage* const storage = Storage::borrow(t.dtype(), data, t.numel(), &Walled::release, new Walled{all, size});
  Shape strides(t.sizes());
  int64_t step = 1;
  for (int d = t.dim() - 1; d >= 0; step *= t.size(d--)) strides[d] = step;
  return Tensor::over(StoragePtr::adopt(storage), 0, t.sizes(), strides);
}

// Runs op; returns false where it refuses the arguments.
bool run(const Op& op, Arguments& arguments, std::vector<Tensor>& made, bool given) {
  Generators generators(1);
  generators.own = Generator(Philox(1));
  std::vector<Tensor*> results;
  for (Tensor& t : made) results.push_back(&t);
  Call call{op, arguments.values(), results, given ? ~0u : 0u};
  call.generators = &generators;
  try {
    run_op(call);
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool same_bits(const Tensor& a, const Tensor& b) {
  const Tensor x = contiguous(a), y = contiguous(b);
  if (x.dtype() != y.dtype() || x.numel() != y.numel()) return false;
  return x.numel() == 0 || std::memcmp(x.bytes(), y.bytes(), static_cast<size_t>(x.numel() * size_of(x.dtype()))) == 0;
}

// Sizes that no vector divides.
std::vector<Recipe> odd_recipes() {
  std::vector<Recipe> list = recipes();
  for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16, DType::int64, DType::int8, DType::boolean}) {
    const Recipe odd[] = {{{67}, {67}, dtype, dtype},
                          {{7, 41}, {7, 41}, dtype, dtype},
                          {{7, 41}, {41}, dtype, dtype},
                          {{41, 7}, {7, 23}, dtype, dtype},
                          {{2, 5, 13, 11}, {4, 5, 3, 3}, dtype, dtype},
                          {{2, 5, 13, 11}, {5}, dtype, dtype},
                          {{7, 41}, {7}, dtype, DType::int64}};
    list.insert(list.end(), std::begin(odd), std::end(odd));
  }
  return list;
}

double noise(int64_t i) { return static_cast<double>((i * 7919 + 13) % 10007) / 10007.0 + 0.25; }

}  // namespace

TEST_CASE("ops touch no memory beside their tensors, wherever these are") {
  int64_t compared = 0;
  for (const Op& op : Registry::instance().ops()) {
    if (op.decl->name == "empty") continue;  // its elements are unspecified
    const std::string name(op.decl->name);
    CAPTURE(name);
    for (const Recipe& recipe : odd_recipes()) {
      Arguments arguments(op.decl->signature, recipe, cpu_device);
      for (Tensor& t : arguments.tensors()) {
        if (!is_float(t.dtype()) || t.numel() <= 64) continue;
        for (int64_t i = 0; i < t.numel(); ++i) {
          Tensor element = t;
          element.set_geometry(t.offset() + i, {}, {});
          fill(element, element_as(Value(noise(i)), t.dtype()));
        }
      }
      std::vector<Tensor> originals;
      for (const Tensor& t : arguments.tensors()) originals.push_back(clone(t));
      std::vector<Tensor> expected(static_cast<size_t>(op.decl->signature.result_count));
      if (!run(op, arguments, expected, false)) continue;
      for (const Side side : {Side::last, Side::first}) {
        for (size_t i = 0; i < originals.size(); ++i) arguments.tensors()[i] = beside_wall(originals[i], side);
        std::vector<Tensor> made;
        for (const Tensor& t : expected) made.push_back(beside_wall(t, side));
        if (!run(op, arguments, made, true)) continue;
        for (size_t i = 0; i < made.size(); ++i) CHECK(same_bits(made[i], expected[i]));
        ++compared;
      }
    }
  }
  CHECK(compared > 5000);
}
