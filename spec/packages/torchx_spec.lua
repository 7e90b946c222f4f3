-- The package torchx's uses of torch: methods put into the metatables of seven types, a class whose objects count as tensors, apply
-- without results, bytes written at an address.
local ffi = require 'ffi'
local torch = require 'torch'

local types = { 'Double', 'Float', 'Int', 'Byte', 'Long', 'Char', 'Short' }

describe('a method put into the metatables of types', function()
  it('is one of their tensors, made before too', function()
    local before = torch.ones(2)
    local function concat(result, tensors, dim)
      local sizes, start = tensors[1]:size(), 1
      sizes[dim] = 0
      for _, tensor in ipairs(tensors) do sizes[dim] = sizes[dim] + tensor:size(dim) end
      result:resize(sizes)
      for _, tensor in ipairs(tensors) do
        result:narrow(dim, start, tensor:size(dim)):copy(tensor)
        start = start + tensor:size(dim)
      end
      return result
    end
    for _, name in ipairs(types) do rawset(torch.getmetatable(('torch.%sTensor'):format(name)), 'concatX', concat) end
    for _, name in ipairs(types) do
      local Tensor = torch[name .. 'Tensor']
      assert.same({ { 1, 2, 3 } }, Tensor():concatX({ Tensor { { 1 } }, Tensor { { 2, 3 } } }, 2):totable())
    end
    assert.equal(concat, before.concatX)
    for _, name in ipairs(types) do rawset(torch.getmetatable(('torch.%sTensor'):format(name)), 'concatX', nil) end
    assert.is_nil(before.concatX)
  end)
end)

describe('an object of a class named as a tensor', function()
  it('is one for torch.isTensor, and for nothing that computes', function()
    local Several = torch.class 'torch.SeveralTensor'
    function Several:__init(tensors) self.tensors = tensors end
    local several = torch.SeveralTensor { torch.ones(2) }
    assert.is_true(torch.isTensor(several))
    assert.is_false(torch.isStorage(several))
    assert.is_nil(several.storage)
    assert.equal('torch.SeveralTensor', torch.type(several))
    assert.is_true(torch.isTypeOf(torch.deserialize(torch.serialize(several)), 'torch.SeveralTensor'))
    assert.has_error(function() torch.add(several, 1) end)
    assert.has_error(function() torch.ones(2):copy(several) end)
    for _, value in ipairs { {}, 3, 'torch.FloatTensor', torch.FloatStorage(), torch.Timer(), setmetatable({}, {}) } do
      assert.is_false(torch.isTensor(value))
    end
    assert.is_false(torch.isTensor(nil))
    assert.is_false(torch.isTensor(torch.DoubleTensor))
    assert.is_true(torch.isTensor(torch.ByteTensor()))
  end)
end)

describe('apply with a function that gives nothing', function()
  it('visits elements in the order of rows, of a transposed tensor too, and changes none', function()
    local x, seen = torch.range(1, 6):view(2, 3), {}
    x:t():apply(function(v) table.insert(seen, v) end)
    assert.same({ 1, 4, 2, 5, 3, 6 }, seen)
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, x:totable())
  end)

  it('finds values, row by row', function()
    local x, rows, i = torch.Tensor { { 1, 2, 3 }, { 2, 2, 1 } }, { {} }, 1
    x:apply(function(v)
      if v == 2 then table.insert(rows[#rows], i) end
      i = i == x:size(2) and 1 or i + 1
      if i == 1 then table.insert(rows, {}) end
    end)
    assert.same({ { 2 }, { 1, 2 }, {} }, rows)
  end)
end)

describe('integers', function()
  it('are empty without dimension, drawn, and looked up in place', function()
    assert.equal(0, torch.LongTensor({}):dim())
    local draws = torch.LongTensor(1000):random(1, 3)
    assert.same({ 1, 3 }, { draws:min(), draws:max() })
    local picked = torch.LongTensor(4):bernoulli(torch.DoubleTensor { 0, 1, 0, 1 })
    assert.same({ 0, 1, 0, 1 }, picked:totable())
    local out = torch.LongTensor(2, 2)
    out:view(-1):index(torch.LongTensor { 5, 6, 7 }, 1, torch.LongTensor { 1, 2, 3, 1 })
    assert.same({ { 5, 6 }, { 7, 5 } }, out:totable())
    local values, order = torch.DoubleTensor(), torch.LongTensor()
    local x = torch.Tensor { 3, 1, 2 }
    x.sort(values, order, x, 1, false)
    assert.same({ { 1, 2, 3 }, { 2, 3, 1 } }, { values:totable(), order:totable() })
  end)
end)

describe('bytes', function()
  it('are written at an address in a tensor, and read as text', function()
    local names = torch.CharTensor(2, 8):fill(0)
    ffi.copy(names:data(), 'one.png')
    ffi.copy(names:data() + 8, 'two')
    assert.same({ 'one.png', 'two', 'tw' },
      { ffi.string(names:data()), ffi.string(torch.data(names[2])), ffi.string(names[2]:data(), 2) })
    assert.same({ 116, 119, 111, 0 }, names[2]:narrow(1, 1, 4):totable())
  end)
end)
