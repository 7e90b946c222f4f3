// Transfers between GPUs of cuda/api.h.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "cuda/runtime/collectives.h"
#include "cuda/runtime/context.h"
#include "cuda/runtime/handles.h"
#include "cuda/runtime/streams.h"

using namespace mt::cuda;
using mt::fail;

namespace {

using Member = std::shared_ptr<Membership>;
using Work = std::shared_ptr<CollectiveWork>;

Handles<Member>& members() {
  static auto& all = *new Handles<Member>(1);
  return all;
}
Handles<Work>& works() {
  static auto& all = *new Handles<Work>(1);
  return all;
}

Member member_called(const char* function, int32_t number) {
  Member found;
  if (!members().find(number, found)) fail(function, "communicator", number, ", expected a communicator that exists");
  return found;
}
Work work_called(const char* function, int32_t number) {
  Work found;
  if (!works().find(number, found)) fail(function, "work", number, ", expected work that exists");
  return found;
}

void need_library() {
  if (const std::string why = collectives::missing(); !why.empty()) raise(why);
}

Stream stream_for(const char* function, const Membership& member, int32_t number) {
  const Stream stream = stream_called(function, number);
  if (stream.device != member.device) fail(function, "stream", number, ", expected one of the communicator's device");
  return stream;
}

void check_ranks(const char* function, const char* argument, int32_t ranks) {
  if (ranks < 1) fail(function, argument, ranks, ", expected 1 or more");
}

}  // namespace

mt_cuda_status mt_cuda_nccl_version(int32_t* out) {
  return guard([&] {
    int32_t& number = checked_out("mt_cuda_nccl_version", "out", out);
    need_library();
    number = collectives::version();
  });
}

mt_cuda_status mt_cuda_nccl_reduces(int32_t dtype, int32_t* out) {
  return guard([&] {
    if (dtype < 0 || dtype >= mt::dtype_count) fail("mt_cuda_nccl_reduces", "dtype", dtype, ", expected 0..", mt::dtype_count - 1);
    checked_out("mt_cuda_nccl_reduces", "out", out) = collectives::reduces(static_cast<mt::DType>(dtype)) ? 1 : 0;
  });
}

mt_cuda_status mt_cuda_unique_id(void* id) {
  return guard([&] {
    checked_out("mt_cuda_unique_id", "id", static_cast<std::byte*>(id));
    need_library();
    const collectives::UniqueId made = collectives::unique_id();
    static_assert(made.size() == MT_CUDA_UNIQUE_ID_BYTES);
    std::memcpy(id, made.data(), made.size());
  });
}

mt_cuda_status mt_cuda_communicator_create(int32_t device, int32_t ranks, const void* id, int32_t rank, int32_t* out) {
  return guard([&] {
    const char* const function = "mt_cuda_communicator_create";
    const int number = checked_device(function, device);
    check_ranks(function, "ranks", ranks);
    if (rank < 0 || rank >= ranks) fail(function, "rank", rank, ", expected 0..", ranks - 1);
    if (id == nullptr) fail(function, "id", "NULL, expected an address");
    int32_t& made = checked_out(function, "out", out);
    need_library();
    collectives::UniqueId own;
    std::memcpy(own.data(), id, own.size());
    made = members().add(std::make_shared<Membership>(collectives::join(number, ranks, own, rank), number, rank, ranks));
  });
}

mt_cuda_status mt_cuda_communicators_create(const int32_t* devices, int32_t count, int32_t* out) {
  return guard([&] {
    const char* const function = "mt_cuda_communicators_create";
    check_ranks(function, "count", count);
    if (devices == nullptr) fail(function, "devices", "NULL, expected an address");
    checked_out(function, "out", out);
    std::vector<int> numbers;
    for (int i = 0; i < count; ++i) {
      const int number = checked_device(function, devices[i]);
      if (std::find(numbers.begin(), numbers.end(), number) != numbers.end())
        fail(function, "devices", "device ", number + 1, " twice, expected different ones");
      numbers.push_back(number);
    }
    need_library();
    const std::vector<collectives::Communicator> made = collectives::join_all(numbers);
    for (int rank = 0; rank < count; ++rank) {
      const size_t i = static_cast<size_t>(rank);
      out[rank] = members().add(std::make_shared<Membership>(made[i], numbers[i], rank, count));
    }
  });
}

mt_cuda_status mt_cuda_communicator_destroy(int32_t communicator) {
  return guard([&] {
    Member own;
    if (!members().take(communicator, own))
      fail("mt_cuda_communicator_destroy", "communicator", communicator, ", expected a communicator that exists");
  });
}

mt_cuda_status mt_cuda_communicator_abort(int32_t communicator) {
  return guard([&] { collectives::abort(member_called("mt_cuda_communicator_abort", communicator)->native); });
}

mt_cuda_status mt_cuda_communicator_check(int32_t communicator) {
  return guard([&] {
    const std::string problem = collectives::failure(member_called("mt_cuda_communicator_check", communicator)->native);
    if (!problem.empty()) raise("NCCL: " + problem);
  });
}

mt_cuda_status mt_cuda_collectives_run(int32_t count, const int32_t* communicators, const int32_t* streams,
                                       const mt_cuda_collective* calls) {
  return guard([&] {
    const char* const function = "mt_cuda_collectives_run";
    if (count < 0) fail(function, "count", count, ", expected 0 or more");
    if (communicators == nullptr) fail(function, "communicators", "NULL, expected an address");
    if (streams == nullptr) fail(function, "streams", "NULL, expected an address");
    if (calls == nullptr) fail(function, "calls", "NULL, expected an address");
    std::vector<Member> all;
    std::vector<Stream> on;
    for (int i = 0; i < count; ++i) {
      all.push_back(member_called(function, communicators[i]));
      on.push_back(stream_for(function, *all.back(), streams[i]));
      check_collective(function, *all.back(), calls[i]);
    }
    CollectiveGroup together;
    for (int i = 0; i < count; ++i) run_collective(*all[static_cast<size_t>(i)], on[static_cast<size_t>(i)], calls[i]);
    together.end();
  });
}

mt_cuda_status mt_cuda_work_create(int32_t communicator, int32_t stream, const mt_cuda_collective* call, int32_t* out) {
  return guard([&] {
    const char* const function = "mt_cuda_work_create";
    const Member member = member_called(function, communicator);
    const Stream on = stream_for(function, *member, stream);
    if (call == nullptr) fail(function, "call", "NULL, expected an address");
    check_collective(function, *member, *call);
    int32_t& number = checked_out(function, "out", out);
    number = works().add(std::make_shared<CollectiveWork>(member, on, *call));
  });
}

mt_cuda_status mt_cuda_work_begin(int32_t work) {
  return guard([&] { work_called("mt_cuda_work_begin", work)->begin(); });
}

mt_cuda_status mt_cuda_work_await(int32_t work) {
  return guard([&] { work_called("mt_cuda_work_await", work)->await(); });
}

mt_cuda_status mt_cuda_work_is_done(int32_t work, int32_t* out) {
  return guard([&] { checked_out("mt_cuda_work_is_done", "out", out) = work_called("mt_cuda_work_is_done", work)->is_done() ? 1 : 0; });
}

mt_cuda_status mt_cuda_work_destroy(int32_t work) {
  return guard([&] {
    Work own;
    if (!works().take(work, own)) fail("mt_cuda_work_destroy", "work", work, ", expected work that exists");
  });
}
