// Families of ops. Those that MT_MINIMAL leaves out list all their declarations: a minimal build knows the names from these lists.
#include <doctest/doctest.h>

#include <set>
#include <string_view>

#include "engine/core/absent.h"
#include "engine/core/registry.h"

#define MT_FN inline

namespace mt {
namespace {

#include "engine/ops/bits-inl.h"
#include "engine/ops/cross-inl.h"
#include "engine/ops/distance-inl.h"
#include "engine/ops/fft-inl.h"
#include "engine/ops/histogram-inl.h"
#include "engine/ops/linalg-inl.h"
#include "engine/ops/optim-inl.h"
#include "engine/ops/warp-inl.h"

using Names = std::set<std::string_view>;

template <class... Op> void append(Names& names, List<Op...>) { (names.insert(Op::decl.name), ...); }

template <class... Lists> Names listed() {
  Names names;
  (append(names, Lists()), ...);
  return names;
}

Names registered(std::string_view family) {
  Names names;
  for (const Op& op : Registry::instance().ops()) {
    if (op.family == family) names.insert(op.decl->name);
  }
  return names;
}

}  // namespace

TEST_CASE("the lists of families that MT_MINIMAL leaves out name all their ops") {
  CHECK(listed<BitOps>() == registered("bits"));
  CHECK(listed<CrossOps>() == registered("cross"));
  CHECK(listed<DistanceOps>() == registered("distance"));
  CHECK(listed<FftOps>() == registered("fft"));
  CHECK(listed<HistogramOps>() == registered("histogram"));
  CHECK(listed<LinalgOps, DecompositionOps>() == registered("linalg"));
  CHECK(listed<OptimOps>() == registered("optim"));
  CHECK(listed<WarpOps>() == registered("warp"));
}

TEST_CASE("families come in the order of their names, and none is missing that has a file of declarations") {
  Names families;
  std::string_view last;
  for (const Op& op : Registry::instance().ops()) {
    CHECK(last <= op.family);
    last = op.family;
    families.insert(op.family);
  }
  for (const std::string_view family :
       {"activation", "arithmetic", "bits", "convert", "create", "linalg", "reduce", "scan", "view", "where"}) {
    CHECK_MESSAGE(families.contains(family), family);
  }
}

TEST_CASE("a whole build lacks no op") { CHECK(absent_ops().empty()); }

}  // namespace mt
