// The thin C++ front end over the C interface.
#include <doctest/doctest.h>

#include "moontorch/moontorch.hpp"

using moontorch::call;
using moontorch::call_all;
using moontorch::call_into;
using moontorch::Tensor;
using moontorch::Value;

TEST_CASE("the C++ front end computes, shares and raises") {
  const Tensor x = Tensor::of<double>({1, 2, 3});
  CHECK(call("add", {x, x, 2}).read<double>() == std::vector<double>{3, 6, 9});
  const Tensor same = x;
  call_into(same, "mul", {x, 10.0});
  CHECK(x.read<double>() == std::vector<double>{10, 20, 30});
  CHECK(call("narrow", {x, 0, 1, 2}).sizes() == std::vector<std::int64_t>{2});
  CHECK_THROWS_WITH_AS(call("narrow", {x, 0, 1, 3}), "narrow: length: 3 slices from 2 are out of range, dimension 1 of [3]",
                       moontorch::Error);
  CHECK_THROWS_WITH_AS(x.read<float>(), "Tensor::read: T: float32, expected float64", moontorch::Error);
}

TEST_CASE("lists of dimensions and positions count from 0 in C++, and from the end") {
  const std::vector<std::int64_t> sizes = {4, 2, 3};
  const Tensor x(MT_FLOAT64, {2, 3, 4});
  CHECK(call("permute", {x, {2, 0, 1}}).sizes() == sizes);
  CHECK(call("permute", {x, {-1, 0, 1}}).sizes() == sizes);
  CHECK(call("permute", {x}, {{"dims", {2, -3, 1}}}).sizes() == sizes);
  const Tensor v = Tensor::of<double>({1, 2, 3});
  CHECK(call("flip", {v, {0}}).read<double>() == std::vector<double>{3, 2, 1});
  CHECK(call("flip", {v, {-1}}).read<double>() == std::vector<double>{3, 2, 1});
  CHECK(call("sub", {v, {0, 1}}).read<double>() == std::vector<double>{1, 2});
  CHECK(call("sub", {v, {1, -1}}).read<double>() == std::vector<double>{2, 3});
  CHECK_THROWS_WITH_AS(call("permute", {x, {1, 2, 3}}), "permute: dims: Invalid permutation: [2, 3, 4] for the 3 dimensions of [2, 3, 4]",
                       moontorch::Error);
  CHECK_THROWS_WITH_AS(call("flip", {v, {1}}), "flip: dims: dimension 2 out of range 1..1", moontorch::Error);
  CHECK_THROWS_WITH_AS(call("sub", {v, {0, 3}}), "sub: ranges: 1..4 is out of range, dimension 1 of [3]", moontorch::Error);
}

TEST_CASE("the C++ front end gives several results of an op") {
  const Tensor x = Tensor::of<double>({3, 1, 2});
  const std::vector<Tensor> sorted = call_all("sort", 2, {x});
  CHECK(sorted[0].read<double>() == std::vector<double>{1, 2, 3});
  CHECK(sorted[1].read<std::int64_t>() == std::vector<std::int64_t>{2, 3, 1});
  CHECK(call_all("sort", 1, {x}).size() == 1);
  CHECK_THROWS_WITH_AS(call_all("sort", 3, {x}), "sort: results: 3, expected 0..2", moontorch::Error);
}

TEST_CASE("the C++ front end takes lists and sizes in the orders that messages name") {
  const Tensor x = Tensor::of<double>({1, 2}), y = Tensor::of<double>({3});
  const std::vector<double> joined = {1, 2, 3};
  const std::vector<Tensor> list = {x, y};
  CHECK(call("cat", {list, 0}).read<double>() == joined);
  CHECK(call("cat", {{x, y}, 0}).read<double>() == joined);
  CHECK(call("cat", {{x, y}}).read<double>() == joined);
  CHECK(call("cat", {x, y, 0}).read<double>() == joined);
  CHECK(call("cat", {Value(), x, y, 0}).read<double>() == joined);  // in the signature's order
  const Value kept = Value(list);
  const Value copied = kept;
  CHECK(call("cat", {copied, 0}).read<double>() == joined);
  CHECK_THROWS_WITH_AS(call("cat", {std::vector<Tensor>{x, Tensor()}, 0}), "cat: tensors: NULL as element 2, expected a tensor",
                       moontorch::Error);

  const std::vector<std::int64_t> sizes = {2, 3};
  CHECK(call("randn", {sizes}).sizes() == sizes);
  CHECK(call("randn", {{2, 3}}).sizes() == sizes);
  CHECK(call("ones", {{2, 3}}).read<double>() == std::vector<double>(6, 1));
  CHECK(call("zeros", {sizes, mt_value_dtype(MT_INT32)}).dtype() == MT_INT32);
  CHECK(call("reshape", {Tensor::of<double>({1, 2, 3, 4, 5, 6}), {2, 3}}).sizes() == sizes);
  mt_generator* generator = nullptr;
  moontorch::check(mt_generator_create(5489, &generator));
  CHECK(call("rand", {generator, {1}}).read<double>()[0] == 3499211612.0 / 4294967296.0);  // MT19937's published first draw
  mt_generator_free(generator);
}
