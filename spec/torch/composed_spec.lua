-- Composed ops are read when they are first asked for, by the list in lua/torch/composed.lua.
local torch = require 'torch'
local C = require 'libmoontorch'
local composed = require 'torch.composed'
local op = require 'torch.op'
local registry = require 'spec.support.registry'
local samples = require 'torch.sweep.samples'

describe('the list of composed ops', function()
  it('names what each file declares', function()
    local listed = {}
    for module, names in composed.each() do
      for name in names:gmatch '%S+' do
        assert.is_nil(op.find(name), name .. ' is declared before its file is read')
        listed[name] = true
      end
      require(module)
      for name in names:gmatch '%S+' do
        assert.is_table(op.find(name),
        ('lua/torch/composed.lua: the line of %s names %s, which is not declared there'):format(module, name))
      end
    end
    for _, name in ipairs(torch.ops()) do
      local file = op.find(name) and debug.getinfo(op.find(name).forward, 'S').source:match 'torch/ops/([%w_]+)%.lua$'
      assert.is_true(not file or listed[name], ('lua/torch/composed.lua: the line of torch.ops.%s lacks %s'):format(file, name))
    end
  end)

  it('has every file of lua/torch/ops', function()
    local listed = {}
    for module in composed.each() do listed[module] = true end
    local listing = assert(io.popen 'ls lua/torch/ops')
    for file in listing:lines() do
      local module = 'torch.ops.' .. file:match '^(.+)%.lua$'
      assert.is_true(listed[module], ('lua/torch/composed.lua: there is no line of %s'):format(module))
    end
    listing:close()
  end)
end)

describe('the error of a composed op', function()
  op.declare { name = 'composedSpecInner', signature = '[res] x:tensor', doc = 'fails', samples = '{randn(3)}',
    forward = function(x) return torch.narrow(x, 1, 1, 100) end }
  op.declare { name = 'composedSpecOuter', signature = '[res] x:tensor', doc = 'fails', samples = '{randn(3)}',
    forward = function(x) return torch.composedSpecInner(x) end }

  it('names the op that was called, and the line of the call, though ops inside it call each other', function()
    for _, name in ipairs { 'composedSpecInner', 'composedSpecOuter' } do
      local line = debug.getinfo(1, 'l').currentline + 1
      local _, message = pcall(function() local y = torch[name](torch.ones(3)) return y end)
      assert.matches(('composed_spec%%.lua:%d: %s: '):format(line, name), message)
      assert.is_nil(message:find('%.lua:', message:find('.lua:', 1, true) + 1), message)
    end
  end)
end)

-- The floats that hold each integer type.
local floatOf = {
  Byte = 'Float', Char = 'Float', Short = 'Float', Bool = 'Float', Int = 'Double', Long = 'Double', UInt16 = 'Float', UInt32 = 'Double',
  UInt64 = 'Double', Float8E4m3 = 'Float', Float8E5m2 = 'Float',
}

local ruled = {
  same = function(name) return name end,
  float = function(name) return floatOf[name] or name end,
  mask = function() return 'Byte' end,
  index = function() return 'Long' end,
}

-- An op that is declared here.
local function declare(name, result, forward, signature, integers)
  op.declare { name = name, signature = signature or '[res] x:tensor', doc = name, samples = '{randn(3)}', result = result,
    integers = integers, forward = forward }
  return torch[name]
end

describe('the result of a composed op', function()
  it('has the dtype that its declaration says, for every dtype and sample', function()
    composed.loadAll()
    local wrong, seen = {}, 0
    for _, name in ipairs(torch.ops()) do
      local rule = op.find(name) and ruled[torch.ops[name].result]
      for _, dtype in ipairs(rule and C.dtypes or {}) do
        for _, sample in ipairs(samples.of(registry.op(name), 'torch.' .. dtype.torch .. 'Tensor')) do
          local good, y = pcall(torch[name], unpack(sample, 1, sample.n))
          local expected = 'torch.' .. rule(dtype.torch) .. 'Tensor'
          if good and torch.isTensor(y) then
            seen = seen + 1
            local isRealPart = dtype.kind == 'complex' and y:type() == expected:gsub('Complex', '')      -- as of norms
            if y:type() ~= expected and not isRealPart then
              table.insert(wrong, ('%s %s %s: %s, expected %s'):format(name, dtype.torch, samples.describe(sample), y:type(), expected))
            end
          end
        end
      end
    end
    assert.same({}, wrong)
    assert.is_true(seen > 500, seen .. ' results were looked at')
  end)

  it('is computed in floats of integers where floats are declared', function()
    local half = declare('composedSpecHalf', 'float', function(x) return torch.div(x, 2) end)
    for _, dtype in ipairs(C.dtypes) do
      local x = torch.ByteTensor { 1, 0, 1 }:type('torch.' .. dtype.torch .. 'Tensor')
      if dtype.kind == 'complex' then
        assert.equal(x:type(), half(x):type())
      elseif dtype.storage then
        assert.error_matches(function() half(x) end, 'composedSpecHalf: div: x: torch.' .. dtype.torch .. 'Tensor, a type for storage')
      else
        local y = half(x)
        assert.equal('torch.' .. ruled.float(dtype.torch) .. 'Tensor', y:type())
        assert.same({ 0.5, 0, 0.5 }, y:totable())
        assert.same({ 1, 0, 1 }, x:byte():totable())
      end
    end
    assert.error_matches(function() half(torch.IntTensor(), torch.IntTensor { 1 }) end, 'composedSpecHalf: res: torch%.IntTensor')
    local means = declare('composedSpecMeans', 'float', function(list) return torch.div(torch.add(list[1], list[2]), 2) end,
      '[res] list:tensors')
    assert.same({ 1.5 }, means({ torch.LongTensor { 1 }, torch.LongTensor { 2 } }):totable())
    local scaled = declare('composedSpecScaled', 'float', function(x, by) return torch.div(torch.mul(x, by), 2) end,
      '[res] x:tensor by:tensor|number=3')
    assert.same({ 1.5 }, scaled(torch.IntTensor { 1 }):totable())
  end)

  it('is left to an op that keeps integers, but for the type of what it gives', function()
    local actual
    local kept = declare('composedSpecKept', 'float', function(x)
      actual = x:type()
      return torch.add(x, 1)
    end, nil, 'kept')
    local y = kept(torch.ShortTensor { 1, 2 })
    assert.equal('torch.ShortTensor', actual)
    assert.equal('torch.FloatTensor', y:type())
    assert.same({ 2, 3 }, y:totable())
  end)

  it('is converted to the declared type if forward returns another one', function()
    local mask = declare('composedSpecMask', 'mask', function(x) return torch.gt(x, 1):double() end)
    local index = declare('composedSpecIndex', 'index', function(x) return torch.mul(torch.gt(x, 1):double(), 3) end)
    local same = declare('composedSpecSame', 'same', function(x) return torch.mul(x:double(), 2) end)
    for _, dtype in ipairs(C.dtypes) do
      local kind = dtype.kind == 'complex' and 'Double' or dtype.torch      -- complex numbers have no order
      local x = torch.ByteTensor { 1, 2 }:type('torch.' .. kind .. 'Tensor')
      local isBool = dtype.torch == 'Bool'
      assert.equal('torch.ByteTensor', mask(x):type())
      assert.same({ 0, isBool and 0 or 1 }, mask(x):totable())
      assert.equal('torch.LongTensor', index(x):type())
      assert.same({ 0, isBool and 0 or 3 }, index(x):totable())
      if not isBool then      -- the results for booleans depend on the ops inside
        assert.equal(x:type(), same(x):type())
        assert.same({ 2, 4 }, same(x):double():totable())
      end
    end
  end)

  it('carries gradients through such a conversion', function()
    local x = torch.FloatTensor { 1, 2 }:requiresGrad()
    local y = torch.composedSpecSame(x)
    assert.equal('torch.FloatTensor', y:type())
    torch.sum(y):backward()
    assert.equal('torch.FloatTensor', x.grad:type())
    assert.same({ 2, 2 }, x.grad:totable())
  end)

  it('has the type of the ops inside for arguments of several types', function()
    local product = declare('composedSpecProduct', 'same', function(x, y) return torch.cmul(x, y) end, '[res] x:tensor y:tensor')
    assert.equal(torch.cmul(torch.IntTensor { 1 }, torch.FloatTensor { 2 }):type(),
      product(torch.IntTensor { 1 }, torch.FloatTensor { 2 }):type())
  end)
end)
