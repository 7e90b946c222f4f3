// Devices from libraries of their own, by the test device: its memory is for kernels alone, and what it lacks is said.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "engine/core/registry.h"
#include "engine/include/moontorch/moontorch.h"

using namespace mt;

namespace {

DeviceId test_device(std::string_view name) {
  static const bool loaded = mt_device_load(MT_TEST_DEVICE) == MT_OK;
  REQUIRE(loaded);
  return find_device("test", "name", name);
}

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
  CHECK(error_of("add", {Value(x), Value(y), Value(1.0)}) == "add: y: a tensor on test came, cpu was expected, where the others are");
}

TEST_CASE("an op that a device lacks is an error that names both") {
  Tensor x = to_device(numbers({4}), test_device("bare"));
  CHECK(error_of("sqrt", {Value(x)}) ==
        "sqrt: device: bare came, which has no kernel of this op: x:to('cpu') brings tensors to one that has");
  CHECK(result_of("clone", {Value(x)}).device() == x.device());  // it has no kernel to lack
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
