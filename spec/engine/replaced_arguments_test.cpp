// Arguments of a call with other tensors, also in lists; the call's own arguments stay.
#include "engine/core/replaced_arguments.h"

#include <doctest/doctest.h>

#include <vector>

using namespace mt;

TEST_CASE("every tensor of the arguments is replaced, in their order") {
  Tensor originals[5], others[5];
  Tensor* first[] = {&originals[1], &originals[2]};
  Tensor* second[] = {&originals[4]};
  const auto list_of = [](Tensor** tensors, int32_t count) {
    Value v;
    v.type = Value::Type::tensors;
    v.tensors = tensors;
    v.count = count;
    return v;
  };
  const Value values[] = {Value(originals[0]), list_of(first, 2), Value(2.5), Value(originals[3]), list_of(second, 1), list_of(nullptr, 0)};
  std::vector<const Tensor*> seen;
  ReplacedArguments replaced(values, [&](const Tensor* t) {
    seen.push_back(t);
    return &others[t - originals];
  });

  CHECK(seen == std::vector<const Tensor*>{&originals[0], &originals[1], &originals[2], &originals[3], &originals[4]});
  const std::span<Value> now = replaced.values();
  REQUIRE(now.size() == 6);
  CHECK(now[0].tensor == &others[0]);
  REQUIRE(now[1].count == 2);
  CHECK(now[1].tensors[0] == &others[1]);
  CHECK(now[1].tensors[1] == &others[2]);
  CHECK(now[2].as_double() == 2.5);
  CHECK(now[3].tensor == &others[3]);
  REQUIRE(now[4].count == 1);
  CHECK(now[4].tensors[0] == &others[4]);
  CHECK(now[5].count == 0);
  // The call has its own lists.
  CHECK(values[1].tensors == first);
  CHECK(first[0] == &originals[1]);
  CHECK(second[0] == &originals[4]);
}
