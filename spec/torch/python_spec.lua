-- torch.python: NumPy and PyTorch in this process share the elements of tensors, in both directions.
local torch = require 'torch'
local ffi = require 'ffi'

local python = torch.python
local function collect() for _ = 1, 4 do collectgarbage() end end
local function doubles(x) return (x:isComplex() and torch.real(x) or x):double() end
local function withoutPlace(text) return (tostring(text):gsub('^[^ ]*:%d+: ', '')) end

-- Why a module can't be used, or nil.
local function lacks(module)
  local good, message = pcall(python.run, 'import ' .. module)
  return not good and withoutPlace(message) or nil
end
local noPython, noNumpy, noTorch = lacks 'sys', lacks 'numpy', lacks 'torch'
local oldNumpy = not noNumpy and not python.eval '[int(n) for n in __import__("numpy").__version__.split(".")[:2]] >= [2, 1]'

local function using(reason, f)
  return function()
    if reason then pending(reason) end
    f()
  end
end

-- NumPy's type of each dtype that it has; before version 2.1 it exchanges no booleans and makes arrays that can't be written to.
local numpyTypes = {
  Byte = 'uint8', Char = 'int8', Short = 'int16', Int = 'int32', Long = 'int64', Half = 'float16', Float = 'float32', Double = 'float64',
  Bool = 'bool', UInt16 = 'uint16', UInt32 = 'uint32', UInt64 = 'uint64', ComplexFloat = 'complex64', ComplexDouble = 'complex128',
}
if oldNumpy then numpyTypes.Bool = nil end

-- The interpreter lives until the process ends: it must not keep tensors until then.
local function forget()
  python.run [[
import gc
for name in [name for name in globals() if not name.startswith("__") and name != "gc"]: del globals()[name]
gc.collect()]]
end

describe('torch.python', function()
  if not noPython then teardown(forget) end

  it('runs statements and computes expressions', using(noPython, function()
    python.run 'def double(x):\n    return 2 * x'
    assert.equal(42, python.eval 'double(21)')
    assert.is_true(python.eval 'double(2) == 4')
    assert.is_nil(python.eval 'None')
    assert.equal('grün\0', python.eval '"gr\\u00fcn" + chr(0)')
    assert.equal('\255', python.eval 'bytes([255])')
    assert.same({ 1, { 'a', false }, 0.5 }, python.eval '(1, ["a", False], 0.5)')
    assert.equal(ffi.cast('int64_t', 2 ^ 60), python.eval '2**60')
    python.set('words', { 'a', 2, 0.5, true, { 3 } })
    assert.equal("['a', 2, 0.5, True, [3]]", python.eval 'repr(words)')
    python.set('large', ffi.cast('int64_t', 2 ^ 60) + 1)
    assert.is_true(python.eval 'large == 2**60 + 1')
    assert.equal(ffi.cast('int64_t', 2 ^ 60) + 1, python.eval 'large')
    python.set('z', 3 - 4i)
    assert.equal('(3-4j)', python.eval 'repr(z)')
    assert.same({ 5, -6 - 8i }, { python.eval 'abs(z)', python.eval '-2 * z.conjugate()' })
    python.set('nothing', nil)
    assert.is_true(python.eval 'nothing is None')
  end))

  it('gives values the types of Python', using(noPython, function()
    local function typeOf(value)
      python.set('value', value)
      return python.eval 'type(value).__name__'
    end
    for _, number in ipairs { 0, -7, 2 ^ 53, -2 ^ 53 } do assert.equal('int', typeOf(number)) end
    for _, number in ipairs { 0.5, 2 ^ 53 + 2, -2 ^ 60, 1e300, math.huge, 0 / 0 } do assert.equal('float', typeOf(number)) end
    assert.same({ 'bool', 'bool', 'str', 'list', 'NoneType' }, { typeOf(true), typeOf(false), typeOf '1', typeOf {}, typeOf(nil) })
    python.set('both', { true, false })
    assert.equal('[True, False]', python.eval 'repr(both)')
    local inner = 7
    for _ = 1, 100 do inner = { inner } end
    python.set('inner', inner)
    python.run 'depth = 0\nwhile isinstance(inner, list): inner, depth = inner[0], depth + 1'
    assert.same({ 100, 7 }, { python.eval 'depth', python.eval 'inner' })
    local function message(value) return withoutPlace(select(2, pcall(python.set, 'a', value))) end
    inner = 7
    for _ = 1, 101 do inner = { inner } end
    assert.equal('torch.python.set: value: a table, expected a tensor, number, string, boolean or a list of these', message(inner))
    for key, text in pairs { [0] = '0', [-1] = '-1', [1.5] = '1.5' } do
      assert.equal(('torch.python.set: value: a table with the key %s, expected a list, with keys from 1'):format(text),
        message { [key] = 1 })
    end
    assert.equal("['']", python.eval 'repr(__import__("sys").argv)')
  end))

  it('raises exceptions as errors of one sentence', using(noPython, function()
    local function message(f, ...) return withoutPlace(select(2, pcall(f, ...))) end
    assert.equal('torch.python.eval: ZeroDivisionError: division by zero', message(python.eval, '1 / 0'))
    assert.equal("torch.python.run: KeyError: 'x'", message(python.run, '{}["x"]'))
    assert.is_truthy(message(python.run, 'def'):find('torch.python.run: SyntaxError: ', 1, true))
    assert.equal('torch.python.eval: TypeError: dict, expected None, a boolean, number, string or array, or a list of these',
      message(python.eval, '{}'))
    assert.is_truthy(message(python.eval, '2**70'):find('torch.python.eval: OverflowError: ', 1, true))
    assert.equal("torch.python.set: name: 'a b', expected letters, digits and _", message(python.set, 'a b', 1))
    assert.equal('torch.python.set: value: a function, expected a tensor, number, string, boolean or a list of these',
      message(python.set, 'a', print))
    assert.equal("torch.python.set: value: a table with the key 'x', expected a list, with keys from 1",
      message(python.set, 'a', { x = 1 }))
    assert.equal('torch.python.set: value: a table with the key 3, expected a list, with keys from 1',
      message(python.set, 'a', { { 1, [3] = 1 } }))
    assert.equal('torch.python.set: value: a torch.SparseCOO, expected a tensor, number, string, boolean or a list of these',
      message(python.set, 'a', torch.eye(2):sparse()))
    assert.equal("torch.python.set: ModuleNotFoundError: No module named 'nowhere_at_all'",
      message(python.set, 'a', torch.ones(1), 'nowhere_at_all'))
    assert.equal('torch.python.run: code: nil, expected a string', message(python.run))
    local loop = {}
    loop[1] = loop
    assert.is_false(pcall(python.set, 'a', loop))
    python.run 'loop = []; loop.append(loop)'
    assert.equal('torch.python.eval: lists of more than 100 levels', message(python.eval, 'loop'))
  end))

  it('shares tensors of every type with NumPy', using(noNumpy, function()
    for torchName, name in pairs(numpyTypes) do
      local x = torch.range(0, 5):reshape(2, 3):type('torch.' .. torchName .. 'Tensor')
      python.set('x', x)
      assert.equal(name, python.eval 'str(x.dtype)')
      assert.same({ 2, 3 }, python.eval 'list(x.shape)')
      assert.is_true(python.eval('(x == np.arange(6).reshape(2, 3).astype("' .. name .. '")).all()', python.run 'import numpy as np'))
      x:zero()
      assert.is_false(python.eval 'x.any()')
      if not oldNumpy then
        python.run 'x[1, 2] = 1'
        assert.equal(1, doubles(x):sum())
      end
    end
  end))

  it('shares arrays of every type of NumPy', using(noNumpy, function()
    for torchName, name in pairs(numpyTypes) do
      python.run('import numpy as np; a = np.arange(24).astype("' .. name .. '").reshape(4, 6)[1:, ::2]')
      local x = python.eval 'a'
      assert.equal('torch.' .. torchName .. 'Tensor', x:type())
      assert.same({ { 3, 3 }, { 6, 2 } }, { x:size():totable(), x:stride():totable() })
      if torchName ~= 'Bool' then
        assert.same({ { 6, 8, 10 }, { 12, 14, 16 }, { 18, 20, 22 } }, doubles(x):totable())
      end
      python.run 'a[0, 0] = 0'
      assert.equal(0, doubles(x)[1][1])
      x:zero()
      assert.is_false(python.eval 'a.any()')
    end
    assert.same({ 2.5, 2.5, 7, true }, python.eval '[np.float64(2.5), np.float32(2.5), np.int16(7), np.bool_(True)]')
    assert.same({ 7 }, python.eval('np.array(7.0)'):totable())
    assert.same({ 3, 2, 1 }, python.eval('np.arange(1.0, 4.0)[::-1]'):totable())      -- a copy
  end))

  it('keeps the elements while either side uses them', using(noNumpy, function()
    python.set('kept', torch.range(1, 100000))
    collect()
    assert.equal(100000 * 100001 / 2, python.eval 'float(kept.sum())')
    local x = python.eval '__import__("numpy").arange(1.0, 100001.0)'
    python.run 'import gc; gc.collect()'
    collect()
    assert.equal(100000 * 100001 / 2, x:sum())
    -- The array is gone when its tensor is.
    python.run [[
import weakref, numpy
class Array(numpy.ndarray): pass
watched = numpy.arange(10.0).view(Array)
known = weakref.ref(watched)]]
    local y = python.eval 'watched'
    python.run 'del watched; gc.collect()'
    assert.is_false(python.eval 'known() is None')
    y:fill(3)
    assert.equal(30, python.eval 'float(known().sum())')
    y = nil
    collect()
    assert.is_nil(y)
    assert.is_true(python.eval 'known() is None')
  end))

  it('refuses arrays and tensors that can not be shared', using(noNumpy, function()
    local function message(f, ...) return withoutPlace(select(2, pcall(f, ...))) end
    local x = torch.ones(2)
    x:requiresGrad(true)
    assert.is_truthy(message(python.set, 'x', x):find('torch.toDLPack: x: it requires a gradient', 1, true))
    assert.is_truthy(message(python.eval, '__import__("numpy").array(["a"])'):find('torch.python.eval: BufferError: ', 1, true))
    assert.is_truthy(message(python.set, 'x', torch.Float8E5m2Tensor(2)):find '^torch.python.set: %w+: ')
    collect()
  end))

  it('computes with NumPy what torch computes', using(noNumpy, function()
    local x = torch.randn(20, 20)
    python.set('x', x)
    local y = python.eval 'np.linalg.inv(x) @ x'
    assert.is_true((y - torch.eye(20)):abs():max() < 1e-8)
  end))

  it('does what docs/exchange.md says', using(noNumpy, function()
    local results = require('spec.support.blocks').run('docs/exchange.md', 'numpy')
    assert.equal(10, results[1])
    assert.same({ 9.508, 0.7729 }, results[2]:totable())      -- the singular values of {1, 2, 3}, {4, 5, 6}
    assert.equal(47, results[3])
  end))

  it('runs examples/numpy.lua', using(noNumpy, function()
    local output, status, errors = require('spec.support.program').run { 'examples/numpy.lua' }
    assert.equal('', errors)
    assert.equal(0, status)
    assert.is_true(tonumber(output:match 'torch and NumPy agree in (%d+) digits\t\n$') >= 12, output)
    assert.equal(2, select(2, output:gsub('97, 460, 1201', '')))
  end))

  it('shares tensors with PyTorch', using(noTorch, function()
    local kinds = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'Float', 'Double', 'BFloat16', 'ComplexFloat', 'ComplexDouble' }
    for _, kind in ipairs(kinds) do
      local x = torch.range(1, 6):reshape(2, 3):type('torch.' .. kind .. 'Tensor')
      python.set('x', x, 'torch')
      assert.is_true(python.eval 'isinstance(x, torch.Tensor)')
      python.run 'x.t()[2, 1] = 60'
      assert.equal(60, doubles(x)[2][3])
      x:fill(2)
      assert.equal(12, python.eval 'x.sum().real.item()')
      python.run 'y = x.clone()[:, 1:]'
      local y = python.eval 'y'
      assert.equal(x:type(), y:type())
      assert.same({ 3, 1 }, y:stride():totable())
      y:zero()
      assert.equal(0, python.eval 'y.abs().sum().item()')
    end
    local function message(f, ...) return withoutPlace(select(2, pcall(f, ...))) end
    python.run 'tracked = torch.ones(2, requires_grad=True)'
    assert.is_truthy(message(python.eval, 'tracked'):find 'torch.python.eval: %w+: .*require')
  end))

  it('is the same interpreter in other states and threads', using(noNumpy, function()
    local threads = require 'threads'
    python.set('common', torch.zeros(4))
    python.run 'common = common.copy()'
    local pool = threads.Threads(2)
    local sums = {}
    for i = 1, 8 do
      pool:addjob(function()
        local inner = require 'torch'
        inner.python.set('mine' .. i, inner.range(1, i))
        local shared = inner.python.eval 'common'
        return inner.python.eval(('float(mine%d.sum())'):format(i)) + shared:sum()
      end, function(sum) sums[i] = sum end)
    end
    pool:synchronize()
    pool:terminate()
    assert.same({ 1, 3, 6, 10, 15, 21, 28, 36 }, sums)
    assert.equal(36, python.eval 'float(mine8.sum())')      -- memory of a state that has ended
    python.run 'mine8 = None'
  end))

  it('is started from the program that the environment names', function()
    local program = ([[MOONTORCH_PYTHON=/nowhere/python %s -e "print(pcall(require('torch').python.run, '1'))" 2>&1]])
      :format(require('spec.support.program').path)
    local pipe = io.popen(program)
    local text = pipe:read '*a'
    pipe:close()
    assert.is_truthy(text:find('torch.python: the program /nowhere/python was not found, or is no Python 3', 1, true), text)
  end)
end)

