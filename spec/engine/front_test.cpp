// The thin C++ front end over the C interface.
#include <doctest/doctest.h>

#include "moontorch/moontorch.hpp"

using moontorch::call;
using moontorch::call_all;
using moontorch::call_into;
using moontorch::Tensor;

TEST_CASE("the C++ front end computes, shares and raises") {
  const Tensor x = Tensor::of<double>({1, 2, 3});
  CHECK(call("add", {x, x, 2}).read<double>() == std::vector<double>{3, 6, 9});
  const Tensor same = x;
  call_into(same, "mul", {x, 10.0});
  CHECK(x.read<double>() == std::vector<double>{10, 20, 30});
  CHECK(call("narrow", {x, 0, 1, 2}).sizes() == std::vector<std::int64_t>{2});
  CHECK_THROWS_WITH_AS(call("narrow", {x, 0, 1, 3}), "narrow: length: 3 slices from 2 are out of range, dimension 1 of [3]",
                       moontorch::Error);
  CHECK_THROWS_AS(x.read<float>(), std::invalid_argument);
}

TEST_CASE("the C++ front end gives several results of an op") {
  const Tensor x = Tensor::of<double>({3, 1, 2});
  const std::vector<Tensor> sorted = call_all("sort", 2, {x});
  CHECK(sorted[0].read<double>() == std::vector<double>{1, 2, 3});
  CHECK(sorted[1].read<std::int64_t>() == std::vector<std::int64_t>{2, 3, 1});
  CHECK(call_all("sort", 1, {x}).size() == 1);
  CHECK_THROWS_WITH_AS(call_all("sort", 3, {x}), "sort: results: 3 came, 0..2 were expected", moontorch::Error);
}
