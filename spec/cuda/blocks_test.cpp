// How segments of memory are cut into blocks and joined again: cuda/runtime/blocks.h.
#include "cuda/runtime/blocks.h"

#include <doctest/doctest.h>

using namespace mt::cuda;

namespace {

constexpr size_t mega = size_t{1} << 20;

std::byte* at(uintptr_t address) { return reinterpret_cast<std::byte*>(address); }

const Stream one{0, at(1)}, two{0, at(2)};

}  // namespace

TEST_CASE("sizes of blocks and segments") {
  CHECK(Blocks::rounded(0) == 512);
  CHECK(Blocks::rounded(512) == 512);
  CHECK(Blocks::rounded(513) == 1024);
  CHECK(Blocks::segment_for(512) == 2 * mega);
  CHECK(Blocks::segment_for(mega) == 2 * mega);
  CHECK(Blocks::segment_for(mega + 512) == 20 * mega);
  CHECK(Blocks::segment_for(11 * mega + 512) == 12 * mega);
}

TEST_CASE("a block is cut where the rest is worth it, and joined with free neighbours") {
  Blocks blocks;
  Block* const a = blocks.take_from(at(0x10000000), 2 * mega, shared_pool, one, 512);
  Block* const b = blocks.take(shared_pool, one, 1024);
  Block* const c = blocks.take(shared_pool, one, mega);
  CHECK(a->data == at(0x10000000));
  CHECK(b->data == a->data + 512);
  CHECK(c->data == b->data + 1024);
  CHECK(blocks.take(shared_pool, one, mega) == nullptr);
  blocks.put_back(*b);
  blocks.put_back(*a);
  Block* const again = blocks.take(shared_pool, one, 1536);
  CHECK(again->data == at(0x10000000));
  CHECK(again->bytes == 1536);
  blocks.put_back(*c);
  blocks.put_back(*again);
  size_t released = 0;
  blocks.release_free([&](void*, size_t bytes) { released += bytes; });
  CHECK(released == 2 * mega);
  CHECK(blocks.segments() == 0);
}

TEST_CASE("the rest of a large block stays with it where it is small") {
  Blocks blocks;
  CHECK(blocks.take_from(at(0x10000000), 20 * mega, shared_pool, one, 19 * mega)->bytes == 20 * mega);
  CHECK(blocks.take_from(at(0x20000000), 20 * mega, shared_pool, one, 18 * mega)->bytes == 18 * mega);
}

TEST_CASE("the smallest block that is large enough is taken, of the stream, the kind and the pool") {
  Blocks blocks;
  for (const size_t size : {8 * mega, 4 * mega, 6 * mega})
    blocks.put_back(*blocks.take_from(at(0x10000000 * (size / mega)), size, shared_pool, one, size));
  CHECK(blocks.take(shared_pool, two, 4 * mega) == nullptr);
  CHECK(blocks.take(1, one, 4 * mega) == nullptr);
  CHECK(blocks.take(shared_pool, one, 512) == nullptr);
  CHECK(blocks.take(shared_pool, one, 5 * mega)->bytes == 6 * mega);
  CHECK(blocks.take(shared_pool, one, 9 * mega) == nullptr);
}

TEST_CASE("a graph's pool keeps its segments until it is shared") {
  Blocks blocks;
  Block* const used = blocks.take_from(at(0x10000000), 2 * mega, 7, one, 512);
  size_t released = 0;
  const auto count = [&](void*, size_t bytes) { released += bytes; };
  blocks.release_free(count);
  CHECK(blocks.take(shared_pool, one, 512) == nullptr);
  blocks.share(7);
  Block* const other = blocks.take(shared_pool, one, 512);
  REQUIRE(other != nullptr);
  blocks.put_back(*other);
  blocks.put_back(*used);
  CHECK(released == 0);
  blocks.release_free(count);
  CHECK(released == 2 * mega);
}

TEST_CASE("an address inside a block in use finds it") {
  Blocks blocks;
  Block* const a = blocks.take_from(at(0x10000000), 2 * mega, shared_pool, one, 1024);
  CHECK(blocks.block_of(a->data) == a);
  CHECK(blocks.block_of(a->data + 1023) == a);
  CHECK(blocks.block_of(a->data + 1024) == nullptr);
  CHECK(blocks.block_of(a->data - 1) == nullptr);
  blocks.put_back(*a);
  CHECK(blocks.block_of(at(0x10000000)) == nullptr);
}
