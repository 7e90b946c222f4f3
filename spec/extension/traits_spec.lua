-- Traits in the declaration of a library's op: whether it is a view, adds to a sum, broadcasts or keeps sizes, and in which dtype
-- torch.autocast runs it.
local torch, autograd = require 'torch', require 'autograd'
local compile = require 'spec.support.ops_library'

local text = [==[
#define DOUBLES(t) ((double*)(t).data)

/* Windows of three elements of a vector, one at each position: elements lie in up to three windows. */
static const char* plan_windows(const mt_kernel_call* call, mt_op_plan* p) {
  const mt_op_tensor* x = call->args[0].tensors;
  if (x->ndim != 1 || x->sizes[0] < 3) return mt_op_refuse(call, "x: expected a vector of 3 elements or more");
  p->results[0].ndim = 2;
  p->results[0].sizes[0] = x->sizes[0] - 2;
  p->results[0].sizes[1] = 3;
  p->view_strides[0] = p->view_strides[1] = x->strides[0];
  return NULL;
}
static const mt_op_decl windows = {.name = "t_windows", .signature = "[res] x:tensor", .doc = "d", .samples = "{randn(5)}",
  .flags = MT_OP_VIEW, .plan = plan_windows};

/* A tail whose replay is another op's call. */
static const char* plan_tail(const mt_kernel_call* call, mt_op_plan* p) {
  const int64_t first = call->args[1].integer;
  p->results[0].sizes[0] -= first;
  p->view_first = first * call->args[0].tensors->strides[0];
  return NULL;
}
static const mt_op_decl tail = {.name = "t_tail", .signature = "[res] x:tensor first:index", .doc = "d", .samples = "{randn(5), 2}",
  .flags = MT_OP_VIEW, .plan = plan_tail};

/* Views that leave their storage. */
static const char* plan_before(const mt_kernel_call* call, mt_op_plan* p) { (void)call; p->view_first = -1; return NULL; }
static const char* plan_beyond(const mt_kernel_call* call, mt_op_plan* p) { (void)call; p->results[0].sizes[0] += 1; return NULL; }
static const char* plan_negative(const mt_kernel_call* call, mt_op_plan* p) { (void)call; p->view_strides[0] = -1; return NULL; }
static const char* plan_endless(const mt_kernel_call* call, mt_op_plan* p) {
  (void)call;
  p->view_strides[0] = INT64_MAX;
  return NULL;
}
static const mt_op_decl before = {.name = "t_before", .signature = "[res] x:tensor", .flags = MT_OP_VIEW, .plan = plan_before};
static const mt_op_decl beyond = {.name = "t_beyond", .signature = "[res] x:tensor", .flags = MT_OP_VIEW, .plan = plan_beyond};
static const mt_op_decl negative = {.name = "t_negative", .signature = "[res] x:tensor", .flags = MT_OP_VIEW, .plan = plan_negative};
static const mt_op_decl endless = {.name = "t_endless", .signature = "[res] x:tensor", .flags = MT_OP_VIEW, .plan = plan_endless};

/* 3 x, which counts how often it adds to a sum. */
static int64_t added;
static const char* plan_same(const mt_kernel_call* call, mt_op_plan* p) { (void)call; (void)p; return NULL; }
static const char* thrice(const mt_kernel_call* call) {
  for (int64_t i = 0; i < call->results[0].count; ++i) DOUBLES(call->results[0])[i] = 3 * DOUBLES(*call->args[0].tensors)[i];
  return NULL;
}
static const char* add_thrice(const mt_kernel_call* call) {
  ++added;
  double* sum = DOUBLES(call->results[0]);
  for (int64_t i = 0; i < call->results[0].count; ++i) sum[i] += call->scale * 3 * DOUBLES(*call->args[0].tensors)[i];
  return NULL;
}
static const char* count_added(const mt_kernel_call* call) {
  DOUBLES(call->results[0])[0] = (double)added;
  return NULL;
}
static const char* plan_count(const mt_kernel_call* call, mt_op_plan* p) {
  (void)call;
  p->results[0].ndim = 1;
  p->results[0].sizes[0] = 1;
  return NULL;
}
static const mt_op_decl three = {.name = "t_thrice", .signature = "[res] x:tensor", .doc = "d", .samples = "{randn(3)}", .result = "float",
  .flags = MT_OP_SAME_SIZES, .gradients = {"t_thrice(g)"}, .plan = plan_same, .kernels = {.float64 = thrice},
  .accumulate = {.float64 = add_thrice}, .precision = "float32"};
static const mt_op_decl counted = {.name = "t_added", .signature = "[res] like:tensor", .result = "float",
  .flags = MT_OP_NOT_DIFFERENTIABLE, .plan = plan_count, .kernels = {.float64 = count_added}};

/* A sum of two tensors, one of which may have one element. */
static const char* sum(const mt_kernel_call* call) {
  const mt_op_tensor *x = call->args[0].tensors, *y = call->args[1].tensors;
  for (int64_t i = 0; i < x->count; ++i) DOUBLES(call->results[0])[i] = DOUBLES(*x)[i] + DOUBLES(*y)[y->count == 1 ? 0 : i];
  return NULL;
}
static const mt_op_decl sums = {.name = "t_sum", .signature = "[res] x:tensor y:tensor", .doc = "d", .samples = "{randn(3), randn(1)}",
  .result = "float", .flags = MT_OP_BROADCASTS, .gradients = {"g", "g"}, .plan = plan_same, .kernels = {.float64 = sum}};

MT_EXTENSION_OPS(&windows, &tail, &before, &beyond, &negative, &endless, &three, &counted, &sums);
]==]

describe("the traits of a library's op", function()
  setup(function() torch.loadOps(compile(text)) end)

  it('are in what torch.ops says', function()
    assert.equal('view', torch.ops.t_windows.sharing)
    assert.equal('none', torch.ops.t_thrice.sharing)
    assert.equal('same', torch.ops.t_thrice.extent)
    assert.equal('float32', torch.ops.t_thrice.precision)
    assert.is_true(torch.ops.t_thrice.accumulates)
    assert.is_false(torch.ops.t_sum.accumulates)
    assert.is_true(torch.ops.t_sum.broadcasts)
    assert.is_false(torch.ops.t_thrice.broadcasts)
  end)

  it('a view shares memory, at any strides and of any dtype', function()
    local x = torch.range(1, 10):view(5, 2):select(2, 2)                       -- 2 4 6 8 10
    local y = torch.t_windows(x)
    assert.same({ 3, 3 }, y:size():totable())
    assert.same({ { 2, 4, 6 }, { 4, 6, 8 }, { 6, 8, 10 } }, y:totable())
    x[3] = -1
    assert.same({ { 2, 4, -1 }, { 4, -1, 8 }, { -1, 8, 10 } }, y:totable())
    for _, kind in ipairs { 'Byte', 'Long', 'Half', 'Bool' } do
      local z = torch[kind .. 'Tensor'](4):fill(1)
      assert.equal(z:storage(), torch.t_windows(z):storage())
    end
  end)

  it('the tape follows a write through a view, and one to its base', function()
    local x = torch.range(1, 5):requiresGrad()
    local base = torch.mul(x, 2)
    local view = torch.t_tail(base, 3)
    view:mul(10)                                                               -- base: 2 4 60 80 100
    base:mul(3)
    torch.sum(torch.cmul(torch.t_tail(base, 2), torch.Tensor { 1, 2, 3, 4 })):backward()
    assert.same({ 0, 6, 120, 180, 240 }, x.grad:totable())
    assert.same({ 180, 240, 300 }, view:totable())
  end)

  it('a view without gradients has that of a view, once and twice', function()
    local weights = torch.range(1, 9):view(3, 3)
    local x = torch.range(1, 5):requiresGrad()
    torch.sum(torch.cmul(torch.t_windows(x), weights)):backward()
    assert.same({ 1, 2 + 4, 3 + 5 + 7, 6 + 8, 9 }, x.grad:totable())
    local function cubes(v) return torch.sum(torch.cmul(torch.pow(torch.t_windows(v), 3), weights)) end
    assert.is_true(autograd.gradcheck(cubes, { torch.Tensor { 0.5, -1, 2, 0.25, 1 } }))
  end)

  it('a view outside of its storage is an error, and changes nothing', function()
    local x = torch.range(1, 4)
    for name, said in pairs { t_before = 'elements 0 to 3 of a storage of 4', t_beyond = 'elements 1 to 5 of a storage of 4',
      t_negative = 'stride %-1, expected 0 or more', t_endless = 'strides beyond all memory' } do
      assert.error_matches(function() torch[name](x) end, name .. ': res: its plan says ' .. said)
    end
    assert.same({ 1, 2, 3, 4 }, x:totable())
    assert.error_matches(function() torch.t_windows(torch.ones(2)) end, 't_windows: x: expected a vector of 3 elements or more')
  end)

  local function timesAdded() return torch.t_added(torch.ones(1))[1] end

  it('an op adds its gradient onto a sum that exists', function()
    local before = timesAdded()
    local x = torch.ones(4):requiresGrad()
    local h = torch.mul(x, 2)
    torch.sum(torch.add(torch.t_thrice(h), 1, torch.cmul(h, 5))):backward()
    assert.same({ 16, 16, 16, 16 }, x.grad:totable())
    assert.equal(1, timesAdded() - before)
    local y = torch.ones(4):float():requiresGrad()                             -- computed in float64: no kernel adds float32
    local k = torch.mul(y, 1)
    torch.sum(torch.add(torch.t_thrice(k), k)):backward()
    assert.same({ 4, 4, 4, 4 }, y.grad:totable())
    assert.equal(1, timesAdded() - before)
  end)

  it('gradients of an op that broadcasts have the sizes of its arguments', function()
    local x, y = torch.ones(4):requiresGrad(), torch.ones(1):requiresGrad()
    torch.sum(torch.t_sum(x, y)):backward()
    assert.same({ 1, 1, 1, 1 }, x.grad:totable())
    assert.same({ 4 }, y.grad:totable())
  end)

  it('torch.autocast runs it in its precision', function()
    local x = torch.ones(3):half()
    assert.equal('torch.HalfTensor', torch.t_thrice(x):type())
    torch.autocast('float16', function() assert.equal('torch.FloatTensor', torch.t_thrice(x):type()) end)
  end)

  it('declarations that can not be are refused', function()
    local plan = 'static const char* p(const mt_kernel_call* c, mt_op_plan* q) { (void)c; (void)q; return NULL; }\n'
      .. 'static const char* k(const mt_kernel_call* c) { (void)c; return NULL; }\n'
    local function refusal(fields)
      local declared = ('static const mt_op_decl bad = {.name = "t_bad", %s};\n'):format(fields)
      local path = compile(plan .. declared .. 'MT_EXTENSION_OPS(&bad);\nvoid* used[] = {(void*)p, (void*)k};')
      return select(2, pcall(torch.loadOps, path))
    end
    assert.matches('t_bad: kernels: kernels for a view', refusal
      '.signature = "[res] x:tensor", .flags = MT_OP_VIEW, .plan = p, .kernels = {.float64 = k}')
    assert.matches("t_bad: signature: a view's first argument is a tensor", refusal
      '.signature = "[res] n:int", .flags = MT_OP_VIEW, .plan = p')
    assert.matches('t_bad: signature: a view is one result', refusal '.signature = "[a b] x:tensor", .flags = MT_OP_VIEW, .plan = p')
    assert.matches('t_bad: accumulate: torch.FloatTensor, expected a dtype with a kernel', refusal
      '.signature = "[res] x:tensor", .plan = p, .kernels = {.float64 = k}, .accumulate = {.float32 = k}')
    assert.matches('t_bad: precision: lower, expected one of as given, low, float32, widest', refusal
      '.signature = "[res] x:tensor", .plan = p, .kernels = {.float64 = k}, .precision = "lower"')
  end)
end)
