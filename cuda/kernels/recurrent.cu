// Recurrent cells: an element of the state is computed from the elements of its gates, which have the distance of a row; nothing is read
// twice. A thread computes `width` consecutive elements: four floats, or one. With two doubles it would need more than 64 registers, and a
// multiprocessor would be less than half full.
#include "engine/ops/recurrent.h"

#include "cuda/functions.h"
#include "cuda/kernels/register.h"
#include "cuda/launch.h"

namespace mt::cuda {
namespace {

#include "engine/ops/recurrent-inl.h"

// Loads and stores the elements of a thread, from element j of row `row` on.
template <class T, int width> struct Place {
  int64_t row, j, size;
  using Elements = Pack<T, width>;
  MT_DEVICE Elements load(const T* p) const { return load_pack<width>(p + row * size + j); }
  MT_DEVICE Elements load_or_0(const T* p) const { return p == nullptr ? Elements{} : load(p); }
  MT_DEVICE void store(T* p, const Elements& elements) const { store_pack(p + row * size + j, elements); }
  MT_DEVICE Elements load_gate(const T* p, int parts, int part) const { return load_pack<width>(p + (row * parts + part) * size + j); }
  template <int parts> MT_DEVICE void load(const T* p, Elements (&gates)[parts]) const {
    for (int k = 0; k < parts; ++k) gates[k] = load_gate(p, parts, k);
  }
  template <int parts> MT_DEVICE void store(T* p, const Elements (&gates)[parts]) const {
    for (int k = 0; k < parts; ++k) store_pack(p + (row * parts + k) * size + j, gates[k]);
  }
};

// Element i of each gate.
template <class T, int width> MT_DEVICE LstmGates<Value<T>> take(const Pack<T, width> (&from)[4], int i) {
  return {Value<T>(from[0].at[i]), Value<T>(from[1].at[i]), Value<T>(from[2].at[i]), Value<T>(from[3].at[i])};
}
template <class T, int width> MT_DEVICE GruGates<Value<T>> take(const Pack<T, width> (&from)[3], int i) {
  return {Value<T>(from[0].at[i]), Value<T>(from[1].at[i]), Value<T>(from[2].at[i])};
}
template <class T, int width> MT_DEVICE void put(Pack<T, width> (&to)[4], const LstmGates<Value<T>>& gates, int i) {
  to[0].at[i] = gates.i.v;
  to[1].at[i] = gates.f.v;
  to[2].at[i] = gates.g.v;
  to[3].at[i] = gates.out.v;
}
template <class T, int width> MT_DEVICE void put(Pack<T, width> (&to)[3], const GruGates<Value<T>>& gates, int i) {
  to[0].at[i] = gates.r.v;
  to[1].at[i] = gates.z.v;
  to[2].at[i] = gates.n.v;
}

template <class T, int width> struct Lstm {
  const T *x, *c0;
  T *h, *c, *gates;
  MT_DEVICE void at(const Place<T, width>& place) const {
    Pack<T, width> from[4], to[4], new_c, new_h;
    place.load(x, from);
    const auto old_c = place.load(c0);
    for (int i = 0; i < width; ++i) {
      LstmGates<Value<T>> out;
      Value<T> next_c, next_h;
      LstmCell()(take(from, i), Value<T>(old_c.at[i]), out, next_c, next_h);
      put(to, out, i);
      new_c.at[i] = next_c.v;
      new_h.at[i] = next_h.v;
    }
    place.store(gates, to);
    place.store(c, new_c);
    place.store(h, new_h);
  }
};

template <class T, int width> struct LstmGrad {
  const T *gh, *gc, *gates, *c0, *c;
  T *gx, *gc0;
  MT_DEVICE void at(const Place<T, width>& place) const {
    Pack<T, width> had[4], to[4], to_c0;
    place.load(gates, had);
    const auto of_h = place.load_or_0(gh), of_c = place.load_or_0(gc), old_c = place.load(c0), new_c = place.load(c);
    for (int i = 0; i < width; ++i) {
      LstmGates<Value<T>> out;
      Value<T> next;
      LstmCellGrad()(Value<T>(of_h.at[i]), Value<T>(of_c.at[i]), take(had, i), Value<T>(old_c.at[i]), Value<T>(new_c.at[i]), out, next);
      put(to, out, i);
      to_c0.at[i] = next.v;
    }
    place.store(gx, to);
    place.store(gc0, to_c0);
  }
};

template <class T, int width> struct Gru {
  const T *x, *y, *h0;
  T *h, *gates;
  MT_DEVICE void at(const Place<T, width>& place) const {
    Pack<T, width> from_x[3], from_y[3], to[3], new_h;
    place.load(x, from_x);
    place.load(y, from_y);
    const auto old_h = place.load(h0);
    for (int i = 0; i < width; ++i) {
      GruGates<Value<T>> out;
      Value<T> next_h;
      GruCell()(take(from_x, i), take(from_y, i), Value<T>(old_h.at[i]), out, next_h);
      put(to, out, i);
      new_h.at[i] = next_h.v;
    }
    place.store(gates, to);
    place.store(h, new_h);
  }
};

template <class T, int width> struct GruGrad {
  const T *g, *gates, *y, *h0;
  T *gx, *gy, *gh0;
  MT_DEVICE void at(const Place<T, width>& place) const {
    Pack<T, width> had[3], to_x[3], to_y[3], to_h0;
    place.load(gates, had);
    const auto of_h = place.load(g), to_n = place.load_gate(y, 3, 2), old_h = place.load(h0);
    for (int i = 0; i < width; ++i) {
      GruGates<Value<T>> out_x, out_y;
      Value<T> next;
      GruCellGrad()(Value<T>(of_h.at[i]), take(had, i), Value<T>(to_n.at[i]), Value<T>(old_h.at[i]), out_x, out_y, next);
      put(to_x, out_x, i);
      put(to_y, out_y, i);
      to_h0.at[i] = next.v;
    }
    place.store(gx, to_x);
    place.store(gy, to_y);
    place.store(gh0, to_h0);
  }
};

template <template <class, int> class Cell, class T, int width> struct CellKernel {
  Cell<T, width> cell;
  int64_t batch, size;
  MT_DEVICE void operator()(Thread& t) const {
    const int64_t in_row = size / width;
    for (int64_t i = t.global_index(); i < batch * in_row; i += t.global_threads())
      cell.at(Place<T, width>{i / in_row, i % in_row * width, size});
  }
};

// The tensors of Cell, in its order.
template <template <class, int> class Cell, class T, int width, class... Tensors>
void launch_cell(int64_t batch, int64_t size, const Tensors&... tensors) {
  launch_each(op_stream(), batch * size / width, CellKernel<Cell, T, width>{{elements<T>(tensors)...}, batch, size});
}

template <template <class, int> class Cell, class... Tensors> void launch_floats(int64_t batch, int64_t size, const Tensors&... tensors) {
  constexpr int width = pack_size<float>;
  if (size % width == 0 && (is_pack_aligned<width>(elements<float>(tensors)) && ...))
    launch_cell<Cell, float, width>(batch, size, tensors...);
  else
    launch_cell<Cell, float, 1>(batch, size, tensors...);
}

template <template <class, int> class Cell, class... Tensors>
void run_cell(DType dtype, int64_t batch, int64_t size, const Tensors&... tensors) {
  if (dtype == DType::float32)
    launch_floats<Cell>(batch, size, tensors...);
  else
    launch_cell<Cell, double, 1>(batch, size, tensors...);
}

void run_lstm(const LstmPlan& p) { run_cell<Lstm>(p.x.dtype(), p.batch, p.size, p.x, p.c0, p.h, p.c, p.gates); }
void run_lstm_grad(const LstmGradPlan& p) {
  run_cell<LstmGrad>(p.gates.dtype(), p.batch, p.size, p.gh, p.gc, p.gates, p.c0, p.c, p.gx, p.gc0);
}
void run_gru(const GruPlan& p) { run_cell<Gru>(p.x.dtype(), p.batch, p.size, p.x, p.y, p.h0, p.h, p.gates); }
void run_gru_grad(const GruGradPlan& p) { run_cell<GruGrad>(p.gates.dtype(), p.batch, p.size, p.g, p.gates, p.y, p.h0, p.gx, p.gy, p.gh0); }

}  // namespace

KernelRows recurrent_rows() {
  static constexpr KernelRow rows[] = {{LstmCell::decl.name, kernel<&run_lstm>()},
                                       {LstmCellGrad::decl.name, kernel<&run_lstm_grad>()},
                                       {GruCell::decl.name, kernel<&run_gru>()},
                                       {GruCellGrad::decl.name, kernel<&run_gru_grad>()}};
  return rows;
}

}  // namespace mt::cuda
