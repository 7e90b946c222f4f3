-- A size, a position, a dimension or a count that is no whole number: where Torch7 took one it is truncated toward zero, as Torch7 did, and
-- the program is warned once a line. In the strict mode, and by functions that Torch7 lacked, it is refused.
local torch, nn, warned = require 'torch', require 'nn', require 'spec.support.warnings'
local mistakes, whole = require 'spec.support.mistakes', require 'torch.check.whole'

local function program(text, name)
  local chunk = assert(loadstring(text, '=' .. (name or 'program.lua')))
  return setfenv(chunk, setmetatable({ torch = torch, nn = nn }, { __index = _G }))
end

-- The content of a value, for comparison.
local function held(value)
  if torch.isTensor(value) then return { value:size():totable(), value:totable() } end
  if torch.isStorage(value) then return value:size() end
  if type(value) == 'table' then
    local list = {}
    for i, entry in ipairs(value) do list[i] = held(entry) end
    return list
  end
  return value
end

-- The expression, its equivalent, and the warning: `op: argument: used is used for given`.
local truncated = {
  { 'torch.zeros(2.5)', 'torch.zeros(2)', 'zeros: sizes: 2 is used for 2.5' },
  { 'torch.zeros { 2, 2.5 }', 'torch.zeros(2, 2)', 'zeros: sizes: 2 is used for 2.5' },
  { 'torch.Tensor(2, 2.5):zero()', 'torch.zeros(2, 2)', 'tensor: sizes: 2 is used for 2.5' },
  { 'torch.zeros(100 * 0.55)', 'torch.zeros(55)', 'zeros: sizes: 55 is used for 55.000000000000007' },
  { 'torch.rand(4.5):size(1)', '4', 'rand: sizes: 4 is used for 4.5' },
  { 'torch.rand(0.9):nElement()', '0', 'rand: sizes: 0 is used for 0.9' },
  { 'torch.Tensor(torch.ones(6):storage(), 1.5)', 'torch.Tensor(torch.ones(6):storage(), 1)', 'tensor: offset: 1 is used for 1.5' },
  { 'torch.Tensor(torch.ones(6):storage(), 1, 1.5, 1)', 'torch.ones(1)', 'tensor: sizes: 1 is used for 1.5' },
  { 'torch.Tensor(torch.range(1, 6):storage(), 1, 2, 2.5)', 'torch.Tensor { 1, 3 }', 'tensor: strides: 2 is used for 2.5' },
  { 'torch.ones(4):resize(1.5)', 'torch.ones(1)', 'resize: sizes: 1 is used for 1.5' },
  { 'torch.ones(4):view(2.5, 2)', 'torch.ones(2, 2)', 'view: sizes: 2 is used for 2.5' },
  { 'torch.reshape(torch.ones(4), 2, 2.2)', 'torch.ones(2, 2)', 'reshape: sizes: 2 is used for 2.2' },
  { 'torch.ones(1):expand(2.9)', 'torch.ones(2)', 'expand: sizes: 2 is used for 2.9' },
  { 'torch.ones(1):repeatTensor(2.9)', 'torch.ones(2)', 'repeatTensor: counts: 2 is used for 2.9' },
  { 'torch.range(1, 3)[1.5]', '1', 'index: key: 1 is used for 1.5' },
  { 'torch.range(1, 3)[-1.5]', '3', 'index: key: -1 is used for -1.5' },
  { 'torch.range(1, 3):float()[2.9]', '2', 'index: key: 2 is used for 2.9' },
  { "torch.range(1, 3)['2.5']", '2', 'index: key: 2 is used for 2.5' },
  { 'torch.ones(3, 3)[1.5]', 'torch.ones(3)', 'index: key: 1 is used for 1.5' },
  { 'torch.ones(3, 3)[{ 1.5 }]', 'torch.ones(3)', 'index: key: 1 is used for 1.5' },
  { 'torch.range(1, 8):view(1, 8)[{ {1}, {6.84}, }]', 'torch.Tensor { { 6 } }', 'index: key: 6 is used for 6.84' },
  { 'torch.range(1, 8)[{ { 2.5, 3.5 } }]', 'torch.Tensor { 2, 3 }', 'index: key: 2 is used for 2.5' },
  { 'local x = torch.zeros(3) x[1.5] = 2 return x', 'torch.Tensor { 2, 0, 0 }', 'index: key: 1 is used for 1.5' },
  { 'local x = torch.LongTensor(2):zero() x[1.5] = 2 return x', 'torch.LongTensor { 2, 0 }', 'index: key: 1 is used for 1.5' },
  { 'local x = torch.HalfTensor(2):zero() x[1.5] = 2 return x[1]', '2', 'index: key: 1 is used for 1.5' },
  { 'local x = torch.zeros(3) x[{ { 2.5, 3 } }] = 1 return x', 'torch.Tensor { 0, 1, 1 }', 'index: key: 2 is used for 2.5' },
  { 'torch.range(1, 3):requiresGrad()[{ { 1.5, 2.9 } }]:detach()', 'torch.Tensor { 1, 2 }', 'index: key: 1 is used for 1.5' },
  { 'torch.range(1, 3):narrow(1, 1.5, 1)', 'torch.Tensor { 1 }', 'narrow: first: 1 is used for 1.5' },
  { 'torch.range(1, 3):narrow(1, 1, 3 / 2)', 'torch.Tensor { 1 }', 'narrow: length: 1 is used for 1.5' },
  { 'torch.ones(3, 2):select(1.5, 1)', 'torch.ones(2)', 'select: dim: 1 is used for 1.5' },
  { 'torch.range(1, 3):sub(1.5, 2)', 'torch.Tensor { 1, 2 }', 'sub: ranges: 1 is used for 1.5' },
  { 'torch.ones(3, 2):sum(1.5)', 'torch.Tensor { { 3, 3 } }', 'sum: dim: 1 is used for 1.5' },
  { 'torch.ones(3, 2):size(1.5)', '3', 'size: dim: 1 is used for 1.5' },
  { 'torch.ones(3, 2):transpose(1, 2.5)', 'torch.ones(2, 3)', 'transpose: dim2: 2 is used for 2.5' },
  { 'torch.ones(3):split(1.5)', 'torch.ones(3):split(1)', 'split: size: 1 is used for 1.5' },
  { 'torch.ones(4):chunk(2.5)', 'torch.ones(4):chunk(2)', 'chunk: n: 2 is used for 2.5' },
  { 'torch.randperm(1.5)', 'torch.ones(1)', 'randperm: n: 1 is used for 1.5' },
  { 'torch.eye(2.5)', 'torch.eye(2)', 'eye: n: 2 is used for 2.5' },
  { 'torch.linspace(0, 1, 2.9)', 'torch.Tensor { 0, 1 }', 'linspace: n: 2 is used for 2.9' },
  { 'torch.LongStorage(1.5)', 'torch.LongStorage(1)', 'storage: size: 1 is used for 1.5' },
  { 'torch.LongStorage(3):resize(1.5)', 'torch.LongStorage(1)', 'resize: size: 1 is used for 1.5' },
  { 'torch.LongStorage { 4, 2 }[1.5]', '4', 'storage: index: 1 is used for 1.5' },
  { 'local s = torch.FloatStorage(2) s[1.5] = 7 return s[1]', '7', 'storage: index: 1 is used for 1.5' },
  { 'nn.Linear(2.5, 1).weight:size(2)', '2', 'nn.Linear: inputSize: 2 is used for 2.5' },
  { 'nn.SpatialConvolution(1, 1, 3, 3, 1, 1, (4 - 1) / 2).padW', '1', 'nn.SpatialConvolution: padW: 1 is used for 1.5' },
  { 'nn.SpatialMaxPooling(2.5, 2).kW', '2', 'nn.SpatialMaxPooling: kW: 2 is used for 2.5' },
  { 'nn.View(2.5, 2):forward(torch.ones(2, 2))', 'torch.ones(2, 2)', 'nn.View: sizes: 2 is used for 2.5' },
  { 'nn.Reshape(4 / 1.9):forward(torch.ones(2))', 'torch.ones(2)', 'nn.Reshape: sizes: 2 is used for 2.1052631578947367' },
  { 'nn.Narrow(1, 1, 2.5):forward(torch.ones(3))', 'torch.ones(2)', 'narrow: length: 2 is used for 2.5' },
  { 'nn.Select(1, 2.5):forward(torch.range(1, 4):view(2, 2))', 'torch.Tensor { 3, 4 }', 'nn.Select: index: 2 is used for 2.5' },
  { 'nn.JoinTable(1.5):forward { torch.ones(1), torch.ones(1) }', 'torch.ones(2)', 'nn.JoinTable: dimension: 1 is used for 1.5' },
}

-- Returns the value of an expression, not by a tail call, which would have no line.
local function result(text, name)
  return program(text:find 'return' and text or 'local result = ' .. text .. ' return result', name)()
end

describe('a fraction where Torch7 took a whole number:', function()
  for _, row in ipairs(truncated) do
    it(row[1], function()
      local lines, value = warned(result, row[1], row[1])
      assert.same(held(result(row[2])), held(value))
      assert.is_not_nil(lines[1])
      assert.matches(': ' .. row[3]:gsub('%p', '%%%0') .. '%f[\n;]', lines[1])
    end)

    it(row[1] .. ' in the strict mode', function()
      torch.strictNumbers(true)
      local good, lines, message = pcall(warned, function() return pcall(result, row[1], row[1]) end)
      torch.strictNumbers(false)
      assert.is_true(good)
      assert.same({}, lines)
      assert.is_false(message)
    end)
  end

  it('is named with its line, once for each', function()
    local lines = warned(program([[
      local x = torch.ones(4)
      for i = 1, 3 do
        x:narrow(1, 1, 1.5)
        x:narrow(1, 1, 2.5) x:narrow(1, 1, 3.5)
      end]], 'lines.lua'))
    assert.equal(2, #lines)
    assert.matches('^warning: lines.lua:3: narrow: length: 1 is used for 1.5', lines[1])
    assert.matches('^warning: lines.lua:4: narrow: length: 2 is used for 2.5', lines[2])
  end)

  it('is told at the line of the program where a module meets it', function()
    local lines = warned(program('local net = nn.Sequential():add(nn.Narrow(1, 1, 1.5))\n\nnet:forward(torch.ones(3))', 'net.lua'))
    assert.equal(1, #lines)
    assert.matches('^warning: net.lua:3: ', lines[1])
  end)

  it('of each input of a session', function()
    local lines = warned(function()
      for _ = 1, 2 do program('torch.zeros(1.5)', 'stdin')() end
    end)
    assert.equal(2, #lines)
  end)

  it('keeps its whole part on the tape', function()
    local x = torch.range(1, 4):requiresGrad()
    warned(function() torch.sum(x:narrow(1, 2.9, 2.5)):backward() end)
    assert.same({ 0, 1, 1, 0 }, x.grad:totable())
  end)

  it('in a compiled loop', function()
    local x, places = torch.range(1, 10), {}
    for i = 1, 200 do places[i] = i % 10 + 1 end
    places[201] = 3.5
    local sum = 0
    local lines = warned(function()
      for i = 1, #places do sum = sum + x[places[i]] end
    end)
    assert.equal(1, #lines)
    assert.equal(20 * 55 + 3, sum)
  end)

  it('that stands for no position is out of range', function()
    local _, good, message = warned(pcall, function() return torch.ones(3)[0.5] end)
    assert.is_false(good)
    assert.matches('index: key: out of range: 0', message)
    _, good, message = warned(pcall, function() return torch.LongStorage(3)[3.5 + 1] end)
    assert.is_false(good)
    assert.matches('storage: index: 4 is out of bounds 1..3', message)
  end)
end)

describe('the strict mode', function()
  it('names what came, and is told of by its setter', function()
    assert.is_false(torch.strictNumbers(true))
    local good, message = pcall(function() return torch.zeros(2.5) end)
    assert.is_true(torch.strictNumbers(false))
    assert.is_false(torch.strictNumbers())
    assert.is_false(good)
    assert.matches('zeros: sizes: 2.5, expected a whole number', message)
    assert.error_matches(function() torch.strictNumbers 'on' end, "torch.strictNumbers: on: 'on', expected true or false")
  end)
end)

describe('a fraction where Torch7 had nothing:', function()
  mistakes(it, {
    { 'torch.stack({ torch.ones(2) }, 1.5)', 'stack: dim: 1.5, expected a whole number' },
    { 'torch.ones(2):unsqueeze(1.5)', 'unsqueeze: dim: 1.5, expected a whole number' },
    { 'torch.flip(torch.ones(2), 1.5)', 'flip: dims: 1.5, expected a whole number' },
    { 'torch.rot90(torch.ones(2, 2), 1.5)', 'rot90: k: 1.5, expected a whole number' },
    { 'torch.full({ 1.5 }, 1)', 'full: sizes: 1.5, expected a whole number' },
    { 'torch.range(1, 8)[{ { 1, 8, 1.5 } }]', 'index: key: 1.5, expected a whole number' },
    { 'nn.RMSNorm(2.5)', 'nn.RMSNorm: size: 2.5, expected a whole number, 1 or more' },
    { 'nn.GroupNorm(1.5, 3)', 'nn.GroupNorm: groups: 1.5, expected a whole number' },
    { 'require("data").RandomSampler(2.5)', 'size: 2.5, expected a whole number' },
  })

  it('is refused by every op that is not on the list of what Torch7 had', function()
    local C, known = require 'libmoontorch', {}
    for line in io.lines 'docs/compatibility.tsv' do
      local name = line:match '^torch[^\t]*\t[^\t]*[.:]([%w_]+)\t'
      if name then known[name] = true end
    end
    local kernels = { nll_loss = true, warp = true, scatterAdd = true }      -- of Torch7's modules; and a function that the list lacks
    local counted = 4 + 8 + 16 + 128      -- the kinds int, index, dim and sizes
    for _, name in ipairs(C.opInfo()) do
      local info = C.opInfo(name)
      local takesWhole = false
      for _, argument in ipairs(info.params) do
        takesWhole = takesWhole or bit.band(argument.kinds, counted) ~= 0
      end
      local isKernel = kernels[name] or name:find '_grad$' or name:find '^conv' or name:find 'Pool%dd$'
      if takesWhole and not isKernel then
        local aliases = known[name]
        for alias in info.alias:gmatch '%S+' do aliases = aliases or known[alias] end
        local where = name .. ': argument'
        local isTruncated = select(2, warned(whole.truncate, where .. ': 1.5', 1.5)) == 1
        assert.equal(aliases or false, isTruncated, name)
      end
    end
  end)
end)

describe('NaN is refused, since it stands for no whole number:', function()
  mistakes(it, {
    { 'torch.zeros(0 / 0)', 'nan, expected a whole number' },
    { 'torch.zeros { 2, 0 / 0 }', 'nan, expected a whole number' },
    { 'torch.ones(3):narrow(1, 1, 0 / 0)', 'nan, expected a whole number' },
    { 'torch.ones(3)[0 / 0]', 'nan' },
    { 'torch.ones(3)[{ { 1, 0 / 0 } }]', 'nan' },
  })
end)

describe('what stays a whole number:', function()
  mistakes(it, {
    { "torch.ones(3)['2']", '1' },
    { 'torch.zeros(6 / 2):size(1)', '3' },
    { 'torch.random(1, 3 / 2)', '1' },           -- bounds are cut off, as in Torch7: random(1, n / 2) is common
    { 'torch.zeros(2):random(1.5, 1.5):sum()', '2' },
    { 'torch.LongTensor { 2.7 }[1]', '2' },      -- elements of integers are cut off, as in Torch7
  })
end)
