// Devices in separate libraries, by the test device: only kernels access its memory, and errors name the kernels that it lacks.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>

#include "engine/core/registry.h"
#include "spec/engine/test_device.h"

using namespace mt;

namespace {

Tensor numbers(std::initializer_list<double> values) {
  Tensor t = Tensor::empty(DType::float64, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.data<double>());
  return t;
}

Tensor result_of(std::string_view op, std::vector<Value> args) {
  Tensor made;
  Tensor* results[] = {&made};
  Call call{*Registry::instance().find(op), args, results};
  run_op(call);
  return made;
}

std::string error_of(std::string_view op, std::vector<Value> args) {
  try {
    result_of(op, std::move(args));
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("an op runs where its tensors are") {
  const DeviceId id = test_device("test");
  Tensor x = to_device(numbers({1, 2, 3}), id), y = to_device(numbers({10, 20, 30}), id);
  const Tensor sum = result_of("add", {Value(x), Value(y), Value(2.0)});
  CHECK(sum.device() == id);
  CHECK(read_element(sum, 2).as<double>() == 63);
  CHECK(on_host(sum).data<double>()[0] == 21);
}

TEST_CASE("its memory is for kernels alone") {
  const Tensor x = to_device(numbers({1}), test_device("test"));
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    _exit(*x.data<double>() == 1 ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
}

TEST_CASE("tensors of one call are on one device") {
  Tensor x = numbers({1, 2}), y = to_device(x, test_device("test"));
  CHECK(error_of("add", {Value(x), Value(y), Value(1.0)}) == "add: y: a tensor on test, expected cpu, where the others are");
}

TEST_CASE("an op that a device lacks is an error that names both") {
  Tensor x = to_device(numbers({4}), test_device("bare"));
  CHECK(error_of("sqrt", {Value(x)}) ==
        "sqrt: device: bare, expected a device with a kernel of this op: x:to('cpu') brings tensors to one");
  CHECK(result_of("clone", {Value(x)}).device() == x.device());  // clone has no kernel
}

TEST_CASE("tensors go from device to device, also by way of the host") {
  const DeviceId test = test_device("test"), bare = test_device("bare");
  const Tensor x = to_device(numbers({1, 2, 3}), test), y = to_device(x, bare);
  CHECK(y.device() == bare);
  CHECK(read_element(y, 1).as<double>() == 2);
}

TEST_CASE("a storage grows on its device") {
  Tensor x = to_device(numbers({1, 2, 3}), test_device("test"));
  x.resize("test", Shape{1000});
  CHECK(read_element(x, 2).as<double>() == 3);
  CHECK(x.storage()->size == 1000);
}

TEST_CASE("what an op asks of elements is asked where they are") {
  const DeviceId test = test_device("test");
  const auto error_there = [&](std::string_view op, const Tensor& x, std::vector<Value> others) {
    Tensor there = to_device(x, test);
    others.insert(others.begin(), Value(there));
    return error_of(op, others);
  };
  CHECK(error_there("histc", numbers({1, INFINITY}), {Value(5.0), Value(0.0), Value(0.0)}) ==
        "histc: x: elements from 1 to inf, expected finite ones or given bounds");
  CHECK(error_there("multinomial", numbers({1, -2}), {Value(1.0), Value(), Value()}) ==
        "multinomial: p: weight -2, expected numbers not below 0");
  CHECK(error_there("bincount", to_dtype(numbers({3, 1, 0, -1}), DType::int64), {Value(), Value()}) ==
        "bincount: x: element 0, expected whole numbers from 1");
  Tensor classes = to_device(numbers({3}), test);
  CHECK(error_there("nll_loss", numbers({-1, -2}), {Value(classes), Value(), Value(), Value(-100.0)}) ==
        "nll_loss: target: 3 at place 1, expected 1..2: classes count from 1");
}

TEST_CASE("a result is as large as elements on a device say") {
  Tensor x = to_device(to_dtype(numbers({3, 1, 3}), DType::int64), test_device("test"));
  const Tensor counts = result_of("bincount", {Value(x), Value(), Value()});
  CHECK(counts.device() == x.device());
  REQUIRE(counts.numel() == 3);
  for (const auto& [at, count] : {std::pair(0, 1), {1, 0}, {2, 2}}) CHECK(read_element(counts, at).as<int64_t>() == count);
}

TEST_CASE("positions and masks are checked where they are") {
  const DeviceId id = test_device("test");
  Tensor x = to_device(numbers({1, 2, 3}), id), far = to_device(to_dtype(numbers({3, 9}), DType::int64), id),
         mask = to_device(to_dtype(numbers({1, 0, 1}), DType::uint8), id),
         wrong = to_device(to_dtype(numbers({1, 0, 2}), DType::uint8), id);
  CHECK(error_of("index", {Value(x), Value(0.0), Value(far)}) == "index: index: index out of range: position 9, expected 1..3");
  CHECK(error_of("maskedFill", {Value(x), Value(wrong), Value(7.0)}) == "maskedFill: mask: Mask tensor can take 0 and 1 values only");
  Tensor few = to_device(numbers({5}), id);
  CHECK(error_of("maskedCopy", {Value(x), Value(mask), Value(few)}) ==
        "maskedCopy: source: 1 elements, the mask has 2 ones: Number of elements of src < number of ones in mask");
  const Tensor chosen = on_host(result_of("maskedSelect", {Value(x), Value(mask)}));
  REQUIRE(chosen.numel() == 2);
  CHECK(chosen.data<double>()[1] == 3);
}

TEST_CASE("copy takes its source from another device") {
  const DeviceId id = test_device("test");
  Tensor x = numbers({1, 2, 3}), y = to_device(numbers({4, 5, 6}), id), one = to_device(to_dtype(numbers({7}), DType::int32), id);
  const Tensor here = result_of("copy", {Value(x), Value(y)}), there = result_of("copy", {Value(y), Value(x)});
  CHECK(here.device() == cpu_device);
  CHECK(here.data<double>()[2] == 6);
  CHECK(there.device() == id);
  CHECK(read_element(there, 2).as<double>() == 3);
  CHECK(result_of("copy", {Value(x), Value(one)}).data<double>()[1] == 7);  // converted and broadcast
}
