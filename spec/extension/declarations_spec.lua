-- Valid declarations of libraries, and errors for invalid ones: a rejected library adds nothing.
local torch = require 'torch'
local compile = require 'spec.support.ops_library'

local preamble = [[
static void twice(int64_t n, void* const* o) { for (int64_t i = 0; i < n; ++i) ((double*)o[0])[i] = 2 * ((const double*)o[1])[i]; }
static const char* plan(const mt_kernel_call* call, mt_op_plan* made) { (void)call; (void)made; return NULL; }
static const char* kernel(const mt_kernel_call* call) { (void)call; return NULL; }
#define LOOPS .loops = {.float64 = twice}
#define KERNELS .plan = plan, .kernels = {.float64 = kernel}
]]

local unused = 'void (*const unused[])(void) = {(void (*)(void))twice, (void (*)(void))plan, (void (*)(void))kernel};\n'

-- The message for a declaration with these fields.
local function refusal(fields)
  local path = compile(('%sstatic const mt_op_decl op = {%s};\n%sMT_EXTENSION_OPS(&op);\n'):format(preamble, fields, unused))
  local count = #torch.ops()
  local done, message = pcall(torch.loadOps, path)
  assert.is_false(done)
  assert.equal(count, #torch.ops())
  return tostring(message)
end


local good = '.name = "junk", .signature = "[res] x:tensor", '

local cases = {
  { '.signature = "[res] x:tensor", LOOPS', "an op: name: ''" },
  { '.name = "2x", .signature = "[res] x:tensor", LOOPS', "an op: name: '2x'" },
  { '.name = "a b", .signature = "[res] x:tensor", LOOPS', "an op: name: 'a b'" },
  { '.name = "exp", .signature = "[res] x:tensor", LOOPS', 'exp: name: there is an op of this name already' },
  { '.name = "save", .signature = "[res] x:tensor", LOOPS', 'save: name: there is a torch.save already' },
  { '.name = "einsum", .signature = "[res] x:tensor", LOOPS', 'einsum: name: there is a torch.einsum already' },
  { '.name = "apply", .signature = "[res] x:tensor", LOOPS', 'apply: name: tensors have a method apply already' },
  { '.name = "junk", LOOPS', 'junk: signature: none, expected "%[res%] ..."' },
  { '.name = "junk", .signature = "[res x:tensor", LOOPS', 'junk: signature: [ without ] in "[res x:tensor"' },
  { '.name = "junk", .signature = "x:tensor", LOOPS', 'junk: signature: it has no result' },
  { '.name = "junk", .signature = "[] x:tensor", LOOPS', 'junk: signature: it has no result' },
  { '.name = "junk", .signature = "[a b c d] x:tensor", KERNELS', 'junk: signature: too many results' },
  { '.name = "junk", .signature = "[a b] x:tensor", LOOPS', 'junk: signature: an op with loops has one result' },
  { '.name = "junk", .signature = "[res] x", LOOPS', 'junk: signature: an argument is name:kind' },
  { '.name = "junk", .signature = "[res] x:", LOOPS', "argument 1, 'x': it has no kind" },
  { '.name = "junk", .signature = "[res] x:tensr", LOOPS', 'junk: signature: unknown kind of argument' },
  { '.name = "junk", .signature = "[res] x:tensor x:tensor", LOOPS', "argument 2, 'x': its name comes twice" },
  { '.name = "junk", .signature = "[res] x-y:tensor", LOOPS', "its name is invalid" },
  { '.name = "junk", .signature = "[res] x:tensor a:number=", LOOPS', 'a default is empty' },
  { '.name = "junk", .signature = "[res] x:tensor a:number=two", LOOPS', "argument 2, 'a': its default is no number" },
  { '.name = "junk", .signature = "[res] x:tensor=1", LOOPS', "argument 1, 'x': its kind has no default" },
  { '.name = "junk", .signature = "[res] x:tensor a:number?", LOOPS', 'has no argument without a value' },
  { '.name = "junk", .signature = "[res] x:tensor d:dim", LOOPS', 'an op with loops takes tensors and numbers' },
  { '.name = "junk", .signature = "[res] n:number", LOOPS', 'an op with loops takes a tensor' },
  { '.name = "junk", .signature = "[res] x:tensor t:dtype", KERNELS', "kinds of the engine's own ops" },
  { '.name = "junk", .signature = "[res] ' .. ('x%d:tensor '):rep(15):gsub('%%d', '') .. '", KERNELS', 'too many arguments' },
  { good .. '.forms = "y", LOOPS', 'junk: forms: no argument is called y' },
  { good .. '.forms = "' .. ('x '):rep(40) .. '", LOOPS', 'junk: forms: x comes twice' },
  { '.name = "junk", .signature = "[res] x:tensor y:tensor", .forms = "x", LOOPS', 'an order lacks y' },
  { good .. '.result = "sane", LOOPS', 'junk: result: sane, expected one of same, float, real, complex, mask, index, custom' },
  { good .. '.result = "custom", LOOPS', 'custom with loops' },
  { good .. '.method = "sometimes", LOOPS', 'junk: method: sometimes, expected one of inPlace, returns, none' },
  { good .. '.ulp = -1, LOOPS', 'junk: ulp: -1' },
  { good .. '.flags = 64, LOOPS', 'junk: flags: 64' },
  { good .. '.gradients = {"g", "g"}, LOOPS', 'junk: gradients: number 2, expected at most 1' },
  { good .. '.gradients = {"cmul(g"}, LOOPS', "junk: gradients: 'cmul(g'" },
  { good .. '.gradients = {"cmul(g, z)"}, LOOPS', "junk: gradients: .*'z'" },
  { good .. '.gradients = {"nosuchop(g)"}, LOOPS', "junk: gradients: .*nosuchop is no op of the engine or of this library" },
  { good .. '.flags = 0', 'junk: plan: none, expected a plan or loops' },
  { good .. '.plan = plan', 'none for float64 or int64, expected one of them at least' },
  { good .. '.kernels = {.float64 = kernel}', 'junk: plan: kernels without a plan' },
  { good .. 'LOOPS, .plan = plan', 'loops and a plan or kernels, expected one of them' },
  { good .. '.loops = {.float32 = twice}', 'has no float64 function, which computes the dtypes without one' },
  { good .. '.loops = {.uint8 = twice}', 'has no int64 function, which computes the dtypes without one' },
  { good .. '.result = "float", .loops = {.int64 = twice}', 'a result of floats needs one for float64' },
}

describe('a declaration of a library is refused:', function()
  for _, case in ipairs(cases) do
    it(case[1], function()
      local message = refusal(case[1])
      local found = message:find(case[2], 1, true) or message:find(case[2])
      assert.truthy(found and message:find 'loadOps: ', message)
    end)
  end
end)

describe('a library is refused that', function()
  local function refused(text, expected)
    local done, message = pcall(torch.loadOps, compile(text))
    assert.is_false(done)
    assert.truthy(message:find(expected, 1, true), message)
  end

  it('is none of ops', function() refused('int x;', 'without mt_extension_ops, expected a library of ops') end)
  it('was built for another version', function()
    refused('const mt_extension mt_extension_ops = {77, sizeof(mt_op_decl), 0, NULL};',
      'built for version 77 of moontorch/extension.h, expected version 1')
  end)
  it('was built with other declarations', function()
    refused('const mt_extension mt_extension_ops = {MT_EXTENSION_VERSION, 8, 0, NULL};', 'whose declarations have 8 bytes')
  end)
  it('declares nothing', function()
    for _, list in ipairs { '0, NULL', '-1, NULL', '3, NULL' } do
      refused(('const mt_extension mt_extension_ops = {MT_EXTENSION_VERSION, sizeof(mt_op_decl), %s};'):format(list),
        'expected a library that declares ops')
    end
  end)
  it('has a hole in its table', function() refused('MT_EXTENSION_OPS(NULL);', 'NULL as op 1, expected a declaration') end)
  it('declares a name twice, or beside a good op a bad one', function()
    local op = preamble .. 'static const mt_op_decl %s = {.name = "%s", .signature = "[res] x:tensor", LOOPS};\n'
    local use = unused
    refused(op:format('a', 'junk') .. use .. 'MT_EXTENSION_OPS(&a, &a);', 'junk: name: it comes twice')
    refused(op:format('a', 'junk') .. use .. 'static const mt_op_decl b = {.name = "junk2"};\nMT_EXTENSION_OPS(&a, &b);', 'junk2: ')
    assert.is_nil(torch.ops.junk)
    assert.is_nil(torch.junk)
  end)

  it('is not there, or no path', function()
    assert.has_error(function() torch.loadOps() end)
    for path, expected in pairs {
      ['/nowhere/ops.so'] = '/nowhere/ops.so', ['no.such.module'] = 'a library on package.cpath', ['/dev/null'] = '/dev/null',
    } do
      local done, message = pcall(torch.loadOps, path)
      assert.truthy(not done and message:find('loadOps: path: ', 1, true) and message:find(expected, 1, true), message)
    end
  end)
end)
