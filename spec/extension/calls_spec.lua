-- Calls of ops from a library: the arguments of plans and kernels, their errors, and the parts of Moontorch that see the ops.
local torch, autograd = require 'torch', require 'autograd'
local ffi = require 'ffi'
local compile = require 'spec.support.ops_library'
local program = require 'spec.support.program'

-- Ops that show their arguments, and ops with invalid behaviour: `lie_*`.
local text = [==[
#define DOUBLES(t) ((double*)(t).data)
static void twice(int64_t n, void* const* o) { for (int64_t i = 0; i < n; ++i) ((double*)o[0])[i] = 2 * ((double*)o[1])[i]; }
static void twice_long(int64_t n, void* const* o) { for (int64_t i = 0; i < n; ++i) ((int64_t*)o[0])[i] = 2 * ((int64_t*)o[1])[i]; }
static void above(int64_t n, void* const* o) {
  for (int64_t i = 0; i < n; ++i) ((uint8_t*)o[0])[i] = ((double*)o[1])[i] > ((double*)o[2])[i];
}

static const mt_op_decl op_twice = {.name = "x_twice", .signature = "[res] x:tensor", .method = "inPlace", .samples = "{randn(3, 4)}",
  .doc = "2 x.", .gradients = {"mul(g, 2)"}, .loops = {.float64 = twice, .int64 = twice_long}};
static const mt_op_decl op_above = {.name = "x_above", .signature = "[res] x:tensor y:tensor|number", .result = "mask",
  .flags = MT_OP_NOT_DIFFERENTIABLE, .loops = {.float64 = above}};

static const char* same(const mt_kernel_call* call, mt_op_plan* p) { (void)call; (void)p; return NULL; }

/* The first argument's values, then what each argument is, as numbers. */
static const char* plan_show(const mt_kernel_call* call, mt_op_plan* p) {
  if (call->args[0].tensors[0].data != NULL) return "a plan sees elements";
  if (call->results != NULL) return "a plan sees results";
  p->results[0].ndim = 1;
  p->results[0].sizes[0] = 20;
  return NULL;
}
static const char* show(const mt_kernel_call* call) {
  double* y = DOUBLES(call->results[0]);
  const mt_op_arg *n = &call->args[1], *d = &call->args[2], *b = &call->args[3], *s = &call->args[4], *z = &call->args[5],
                  *l = &call->args[6];
  const double seen[20] = {DOUBLES(call->args[0].tensors[0])[0], n->kind, n->number, d->integer, mt_op_dim(call, 2, 3), b->kind, b->integer,
    s->kind, s->count, s->count > 0 ? s->string[0] : 0, z->kind, z->count, z->count > 1 ? z->sizes[1] : 0, l->kind, l->count,
    l->count > 1 ? DOUBLES(l->tensors[1])[0] : 0};
  memcpy(y, seen, sizeof seen);
  return NULL;
}
static const mt_op_decl op_show = {.name = "x_show", .doc = "d", .signature =
  "[res] x:tensor n:number=1.5 d:dim=last b:boolean=true s:string=word z:sizes? l:tensors?", .result = "float",
  .plan = plan_show, .kernels = {.float64 = show}};

/* Sums along both dimensions of a matrix of any strides: two results, scratch memory, threads. */
struct sums { const mt_op_tensor* x; double* by_row; };
static void sum_rows(void* context, int64_t begin, int64_t end) {
  const struct sums* s = context;
  for (int64_t i = begin; i < end; ++i) {
    s->by_row[i] = 0;
    for (int64_t k = 0; k < s->x->sizes[1]; ++k) s->by_row[i] += DOUBLES(*s->x)[i * s->x->strides[0] + k * s->x->strides[1]];
  }
}
static const char* plan_sums(const mt_kernel_call* call, mt_op_plan* p) {
  const mt_op_tensor* x = call->args[0].tensors;
  if (x->ndim != 2) return mt_op_refuse(call, "x: %d dimensions, expected 2", x->ndim);
  for (int r = 0; r < 2; ++r) {
    p->results[r].ndim = 1;
    p->results[r].sizes[0] = x->sizes[r];
  }
  p->scratch_bytes = x->sizes[0] * (int64_t)sizeof(double);
  return NULL;
}
static const char* sums(const mt_kernel_call* call) {
  const mt_op_tensor *x = call->args[0].tensors, *rows = &call->results[0], *columns = &call->results[1];
  struct sums s = {x, call->scratch};
  if (call->parallel_for(call, x->sizes[0], 8, sum_rows, &s)) return NULL;
  for (int64_t i = 0; i < x->sizes[0]; ++i) DOUBLES(*rows)[i * rows->strides[0]] = s.by_row[i];
  for (int64_t k = 0; k < x->sizes[1]; ++k) {
    double sum = 0;
    for (int64_t i = 0; i < x->sizes[0]; ++i) sum += DOUBLES(*x)[i * x->strides[0] + k * x->strides[1]];
    DOUBLES(*columns)[k * columns->strides[0]] = sum;
  }
  return NULL;
}
static const mt_op_decl op_sums = {.name = "x_sums", .signature = "[rows columns] x:tensor", .result = "float", .flags = MT_OP_STRIDED,
  .doc = "d", .samples = "{randn(3, 4)}", .plan = plan_sums, .kernels = {.float64 = sums}};

/* Rows of a table by positions: types as they come, results of the table's. */
static const char* plan_pick(const mt_kernel_call* call, mt_op_plan* p) {
  const mt_op_tensor *x = call->args[0].tensors, *at = call->args[1].tensors;
  if (at->dtype != MT_INT64) return "at: positions must be a LongTensor";
  p->results[0].ndim = 1;
  p->results[0].sizes[0] = at->count;
  p->results[0].dtype = x->dtype;
  return NULL;
}
static const char* pick(const mt_kernel_call* call) {
  const mt_op_tensor *x = call->args[0].tensors, *at = call->args[1].tensors;
  for (int64_t i = 0; i < at->count; ++i) {
    const int64_t p = ((const int64_t*)at->data)[i] - 1;
    if (p < 0 || p >= x->count) return mt_op_refuse(call, "at: %lld, expected 1..%lld", (long long)p + 1, (long long)x->count);
    ((float*)call->results[0].data)[i] = ((const float*)x->data)[p];
  }
  return NULL;
}
static const char* pick_none(const mt_kernel_call* call) { (void)call; return NULL; }
static const mt_op_decl op_pick = {.name = "x_pick", .signature = "[res] x:tensor at:tensor", .forms = "x at | at x", .result = "custom",
  .plan = plan_pick, .kernels = {.float32 = pick, .float64 = pick_none}};

static const char* lie(const mt_kernel_call* call, mt_op_plan* p) {
  switch ((int)call->args[1].number) {
    case 1: p->results[0].ndim = 65; break;
    case 2: p->results[0].ndim = -1; break;
    case 3: p->results[0].ndim = 1; p->results[0].sizes[0] = -5; break;
    case 4: p->results[0].ndim = 2; p->results[0].sizes[0] = p->results[0].sizes[1] = (int64_t)1 << 40; break;
    case 5: p->results[0].dtype = 99; break;
    case 6: p->results[0].dtype = MT_INT32; break;
    case 7: p->scratch_bytes = -1; break;
    case 8: p->scratch_bytes = INT64_MAX; break;
    case 9: p->results[0].ndim = 1; p->results[0].sizes[0] = (int64_t)1 << 50; break;
    default: break;
  }
  return NULL;
}
static const char* nothing(const mt_kernel_call* call) {
  if (call->args[1].number == 10) call->parallel_for(call, 100, 1, NULL, NULL);
  if (call->args[1].number == 11) return "";
  return NULL;
}
static const mt_op_decl op_lie = {.name = "x_lie", .signature = "[res] x:tensor way:number", .plan = lie, .kernels = {.float64 = nothing}};

static const char* zeros(const mt_kernel_call* call) { memset(call->results[0].data, 0, (size_t)call->results[0].count * 8); return NULL; }
static const char* plan_zeros(const mt_kernel_call* call, mt_op_plan* p) {
  p->results[0].ndim = 1;
  p->results[0].sizes[0] = call->args[0].integer;
  return NULL;
}
static const mt_op_decl op_zeros = {.name = "x_zeros", .signature = "[res] n:int", .method = "none", .plan = plan_zeros,
  .kernels = {.float64 = zeros}};

static const mt_op_decl op_bare = {.name = "x_bare", .signature = "[res] x:tensor y:tensor", .plan = same, .kernels = {.float64 = nothing}};

MT_EXTENSION_OPS(&op_twice, &op_above, &op_show, &op_sums, &op_pick, &op_lie, &op_zeros, &op_bare);
]==]

local path = compile(text)
local before = torch.ops.x_twice
local names = torch.loadOps(path)

local function values(x) return x:totable() end
local function message(...)
  local done, told = pcall(...)
  assert.is_false(done)
  return told
end

describe("a library's ops", function()
  it('are there once it is loaded, and a second load changes nothing', function()
    assert.is_nil(before)
    assert.same({ 'x_twice', 'x_above', 'x_show', 'x_sums', 'x_pick', 'x_lie', 'x_zeros', 'x_bare' }, names)
    local count = #torch.ops()
    assert.same(names, torch.loadOps(path))
    assert.equal(count, #torch.ops())
    assert.equal('2 x.', torch.ops.x_twice.doc)
    assert.equal(path, torch.ops.x_twice.library)
  end)

  it('are refused from another library', function()
    local copy = path:gsub('%.so$', '-copy.so')
    os.execute(('cp %s %s'):format(path, copy))
    assert.truthy(message(torch.loadOps, copy):find('x_twice: name: there is an op of this name already', 1, true))
  end)

  it('compute in the narrowest dtype that has a loop, and give that which came', function()
    for _, name in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' } do
      local x = torch[name .. 'Tensor'] { 1, 2, 3 }
      assert.same({ 2, 4, 6 }, values(torch.x_twice(x)), name)
      assert.equal(x:type(), torch.x_twice(x):type())
      assert.equal(x, x:x_twice())
      assert.same({ 2, 4, 6 }, values(x), name)
    end
    assert.same({ 144 }, values(torch.x_twice(torch.ByteTensor { 200 })))      -- as bytes wrap
    assert.truthy(message(torch.x_twice, torch.BoolTensor { true }):find('x_twice: x: torch.BoolTensor', 1, true))
    assert.equal(7, torch.x_twice(3.5))
  end)

  it('go through all layouts, in threads, and through a result that overlaps itself', function()
    local x = torch.range(1, 300000):view(500, 600)
    for _, y in ipairs { x:t(), x:narrow(2, 3, 500), x:select(2, 7), x:t():float():narrow(1, 3, 9) } do
      assert.equal(0, torch.sum(torch.abs(torch.csub(torch.x_twice(y), torch.mul(y, 2)))))
    end
    local one = torch.ones(1)
    one:expand(3):x_twice()
    assert.equal(8, one[1])
    assert.same({}, values(torch.x_twice(torch.zeros(0, 3))))
  end)

  it('give masks, of booleans, too, and into booleans', function()
    local y = torch.x_above(torch.Tensor { { 1 }, { 5 } }, torch.FloatTensor { 0, 3, 7 })
    assert.equal('torch.ByteTensor', y:type())
    assert.same({ { 1, 0, 0 }, { 1, 1, 0 } }, values(y))
    assert.same({ 1, 0 }, values(torch.x_above(torch.BoolTensor { true, false }, 0)))
    assert.same({ 1, 0 }, values(torch.x_above(torch.BoolTensor(), torch.Tensor { 2, 1 }, 1)))
    assert.is_false(torch.x_above(torch.ones(2):requiresGrad(), 0):isTracked())
  end)

  it('see every kind of argument, defaults filled in', function()
    local function shown(...) return values(torch.x_show(torch.Tensor { 42 }, ...)) end
    local function numbers(list)
      for i = #list + 1, 20 do list[i] = 0 end
      return list
    end
    assert.same(numbers { 42, 2, 1.5, -1, 2, 32, 1, 64, 4, ('w'):byte(), 0, 0, 0, 0, 0, 0 }, shown())
    assert.same(numbers { 42, 2, 7, 1, 1, 32, 0, 64, 1, ('q'):byte(), 128, 3, 6, 256, 2, 9 },
      shown(7, 2, false, 'q', { 5, 6, 7 }, { torch.ones(1), torch.FloatTensor { 9 } }))
  end)

  it('have several results, scratch memory and threads', function()
    local x = torch.range(1, 5000):view(100, 50)
    for _, y in ipairs { x, x:t(), x:float():narrow(1, 3, 7) } do
      local rows, columns = torch.x_sums(y)
      assert.same(values(y:sum(2):view(-1)), values(rows))
      assert.same(values(y:sum(1):view(-1)), values(columns))
      assert.equal(y:type(), rows:type())
    end
    assert.equal('x_sums: x: 1 dimensions, expected 2', message(torch.x_sums, torch.ones(3)))
    local r, c = torch.Tensor(), torch.Tensor(4, 2):t():select(1, 1)
    assert.equal(r, (torch.x_sums(r, c, torch.ones(3, 4))))
    assert.same({ 3, 3, 3, 3 }, values(c))
    local a, b = torch.x_sums(torch.zeros(0, 2))
    assert.same({ {}, { 0, 0 } }, { values(a), values(b) })
  end)

  it('take types as they come where the rule is their own', function()
    local x = torch.FloatTensor { 5, 6, 7 }
    assert.same({ 7, 5 }, values(torch.x_pick(x, torch.LongTensor { 3, 1 })))
    assert.equal('x_pick: at: 9, expected 1..3', message(torch.x_pick, x, torch.LongTensor { 9 }))
    assert.equal('x_pick: at: positions must be a LongTensor', message(torch.x_pick, x, x))
    assert.truthy(message(torch.x_pick, x:int(), torch.LongTensor { 1 }):find('torch.IntTensor, expected a dtype with a kernel', 1, true))
  end)

  it('make tensors of the default type where none comes', function()
    assert.same({ 0, 0, 0 }, values(torch.x_zeros(3)))
    assert.truthy(message(torch.x_zeros, 2.5):find('x_zeros: n: ', 1, true))
    assert.truthy(message(torch.x_zeros, -1):find('x_zeros: ', 1, true))
    torch.setdefaulttensortype 'torch.FloatTensor'
    local y = torch.x_zeros(2)
    torch.setdefaulttensortype 'torch.DoubleTensor'
    assert.equal('torch.FloatTensor', y:type())
  end)

  it('that lie about their results are told so', function()
    local expected = {
      '65 dimensions', '-1 dimensions', 'size', 'size', 'dtype 99', 'torch.IntTensor, its rule torch.DoubleTensor', 'asks for -1 bytes',
      'memory', 'memory', 'body', '',
    }
    for way, part in ipairs(expected) do
      local told = message(torch.x_lie, torch.ones(3), way)
      assert.truthy(told:find('^x_lie: ') and told:lower():find(part:lower(), 1, true), way .. ': ' .. told)
    end
    assert.equal(3, torch.x_lie(torch.ones(3), 0):nElement())
  end)

  it('in C++ that throw, in whatever thread, give errors', function()
    torch.loadOps(compile([[
      #include <stdexcept>
      static const char* plan(const mt_kernel_call* call, mt_op_plan*) {
        if (call->args[1].number == 1) throw std::runtime_error("thrown by the plan");
        return nullptr;
      }
      static const char* kernel(const mt_kernel_call* call) {
        if (call->args[1].number == 2) throw 5;
        moontorch::parallel_for(call, 100000, 1, [](int64_t begin, int64_t) {
          if (begin > 0) throw std::runtime_error("thrown by a range");
        });
        return nullptr;
      }
      static void loop(int64_t, void* const* o) {
        if (static_cast<double*>(o[1])[0] > 0) throw std::runtime_error("thrown by a loop");
      }
      static const mt_op_decl thrower = {.name = "x_thrower", .signature = "[res] x:tensor way:number", .plan = plan,
        .kernels = {.float64 = kernel}};
      static const mt_op_decl looper = {.name = "x_looper", .signature = "[res] x:tensor", .loops = {.float64 = loop}};
      MT_EXTENSION_OPS(&thrower, &looper);
    ]], 'c++ -std=c++20 -x c++'))
    assert.equal('x_thrower: thrown by the plan', message(torch.x_thrower, torch.ones(3), 1))
    assert.equal('x_thrower: an exception of an unknown type from its library', message(torch.x_thrower, torch.ones(3), 2))
    assert.equal('x_thrower: thrown by a range', message(torch.x_thrower, torch.ones(3), 3))
    assert.equal('x_looper: thrown by a loop', message(torch.x_looper, torch.ones(200000)))
  end)

  it('run on sizes alone', function()
    assert.same({ 3, 4 }, torch.infer('x_twice', torch.ones(3, 4)):size():totable())
    local rows, columns = torch.infer('x_sums', torch.ones(3, 4))
    assert.same({ 3, 4 }, { rows:size(1), columns:size(1) })
  end)

  it('are in the C interface, with their names', function()
    ffi.cdef [[
      typedef struct mt_op mt_op;
      const mt_op* mt_op_find(const char* name); int32_t mt_op_count(void); const mt_op* mt_op_at(int32_t index);
      const char* mt_op_name(const mt_op* op); const char* mt_op_param_name(const mt_op* op, int32_t i);
      const char* mt_op_result_name(const mt_op* op, int32_t i); int32_t mt_op_param_count(const mt_op* op);
      int32_t mt_ops_load(const char* path); const char* mt_error_message(void);
    ]]
    local engine = ffi.load(package.searchpath('libmoontorch', package.cpath))
    local op = engine.mt_op_find 'x_sums'
    assert.equal('x_sums', ffi.string(engine.mt_op_name(op)))
    assert.equal('x', ffi.string(engine.mt_op_param_name(op, 0)))
    assert.equal('columns', ffi.string(engine.mt_op_result_name(op, 1)))
    assert.is_true(engine.mt_op_param_name(op, 7) == nil and engine.mt_op_at(engine.mt_op_count()) == nil)
    local last = ffi.string(engine.mt_op_name(engine.mt_op_at(engine.mt_op_count() - 1)))
    assert.truthy(torch.ops[last].library)
    assert.equal('abs', ffi.string(engine.mt_op_name(engine.mt_op_find 'abs')))
    assert.equal(0, engine.mt_ops_load(path))
    assert.equal(1, engine.mt_ops_load(nil))
    assert.equal('mt_ops_load: path: NULL, expected an address', ffi.string(engine.mt_error_message()))
  end)

  it('are in other Lua states of the process, derivatives included', function()
    local Threads = require('threads').Threads
    local pool = Threads(2, function() require 'autograd' end)
    for _ = 1, 4 do
      pool:addjob(function()
        local x = torch.ones(3):requiresGrad()
        torch.sum(torch.x_twice(x)):backward()
        return torch.totable(x.grad)
      end, function(list) assert.same({ 2, 2, 2 }, list) end)
    end
    pool:synchronize()
    pool:terminate()
  end)

  it('are on the lists of autocast that a program puts them on', function()
    torch.autocast.assign('x_twice', 'low')
    local y = torch.autocast('bfloat16', torch.x_twice, torch.FloatTensor { 1 })
    torch.autocast.assign('x_twice', nil)
    assert.equal('torch.BFloat16Tensor', y:type())
  end)

  it('show their text where help is asked for', function()
    local script = "require 'trepl' torch.loadOps '%s' print(require('trepl.help').of('torch.x_twice'))"
    local output = program.run { '-e', script:format(path) }
    assert.truthy(output:find('2 x.', 1, true), output)
  end)
end)

describe('autograd.rule', function()
  it('gives an op its derivative, also when a call was recorded without', function()
    local x = torch.randn(3, 4):requiresGrad()
    local y = torch.sum(torch.x_bare(x, x))
    assert.truthy(message(function() y:backward() end):find('x_bare', 1, true))
    autograd.rule('x_bare', { 'cmul(g, y)', { saves = 'x', gradient = function(g, saved) return torch.cmul(g, saved) end } })
    torch.sum(torch.x_bare(x, x)):backward()
    assert.is_true(torch.equal(torch.mul(x:detach(), 2), x.grad))
  end)

  it('takes several results and all arguments at once', function()
    autograd.rule('x_sums', { saves = 'size(x)', gradient = function(g, size)
      local y = torch.zeros(size)
      if g[1] then y = torch.add(y, torch.expand(torch.view(g[1], -1, 1), size)) end
      if g[2] then y = torch.add(y, torch.expand(torch.view(g[2], 1, -1), size)) end
      return y
    end })
    local report = torch.sweep('x_sums', { reference = function(x) return torch.sum(x, 2):view(-1), torch.sum(x, 1):view(-1) end })
    assert.same({}, report.wrong)
  end)

  it('refuses unsupported values', function()
    for _, case in ipairs {
      { 'exp', {}, 'name: exp' }, { 'nosuch', {}, 'name: nosuch' }, { 3, {}, 'name: number' },
      { 'x_twice', {}, 'x_twice: it has a derivative already' }, { 'x_show', 'g', 'rule: string' },
      { 'x_show', { 5 }, 'rule[1]: number' },
      { 'x_show', { false, false, 'g', [9] = 'g' }, '[9], of 7 arguments' }, { 'x_show', { 'cmul(g, nosuch)' }, "'nosuch'" },
      { 'x_show', { { saves = 'nosuch', gradient = print } }, "'nosuch'" }, { 'x_show', { { gradient = print } }, 'rule[1]: table' },
      { 'x_show', { saves = 'x', gradient = 3 }, 'rule: table' },
    } do
      local told = message(autograd.rule, case[1], case[2])
      assert.truthy(told:find('autograd.rule: ', 1, true) and told:find(case[3], 1, true), told)
    end
  end)
end)

describe('torch.sweep', function()
  it('finds what is wrong with an op of a library', function()
    local report = torch.sweep('x_twice', { elementwise = function(x) return 2.5 * x end, raise = false })
    assert.truthy(#report.wrong > 0 and tostring(report):find('x_twice: %d+ findings\nforward: ') )
    assert.has_error(function() torch.sweep('x_twice', { elementwise = function(x) return 2.5 * x end }) end)
    assert.same({ 'dtype' }, torch.sweep('x_twice', { only = { 'dtype' } }).passed)
  end)

  it('tells what it can not use', function()
    for _, case in ipairs {
      { {}, {}, 'name: table' }, { 'nosuch', {}, 'name: nosuch' }, { 'save', {}, 'name: save' },
      { 'exp', 3, 'options: number' },
      { 'exp', { refrence = print }, 'options: refrence, expected one of ' }, { 'exp', { ulp = 'many' }, 'options.ulp: string' },
      { 'exp', { only = { 'all' } }, 'options.only: all, expected one of forward' },
      { 'exp', { except = { forward = true } }, 'expected the reason' },
    } do
      local told = message(torch.sweep, case[1], case[2])
      assert.truthy(told:find('torch.sweep: ', 1, true) and told:find(case[3], 1, true), told)
    end
  end)
end)
