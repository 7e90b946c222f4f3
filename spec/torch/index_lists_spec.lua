-- x[{...}] with positions and masks for dimensions: element by element what x[{i, j, k}] gives, as numpy.ix_ combines.
local torch = require 'torch'
local autograd = require 'autograd'

local L, B = torch.LongTensor, torch.ByteTensor
local types = { 'Double', 'Float', 'Half', 'Int', 'Long', 'Byte', 'Bool' }

local function sample(name)
  local x = torch.range(1, 60):view(3, 4, 5)
  if name == 'Bool' then x = torch.remainder(x, 3):eq(0) end
  return x:type('torch.' .. name .. 'Tensor')
end

-- Keys, and for each dimension the positions that they mean; a number's dimension is dropped.
local keys = {
  { { L { 3, 1 }, {}, L { 5, 5, 2 } }, { { 3, 1 }, { 1, 2, 3, 4 }, { 5, 5, 2 } } },
  { { L { 2 } }, { { 2 }, { 1, 2, 3, 4 }, { 1, 2, 3, 4, 5 } } },
  { { 2, L { 4, 1 }, { 2, 3 } }, { 2, { 4, 1 }, { 2, 3 } } },
  { { { 1, 3, 2 }, L { 1, 2, 4 }, -1 }, { { 1, 3 }, { 1, 2, 4 }, 5 } },
  { { L { 3, 2 }, L { 4, 1 }, L { 1, 3 } }, { { 3, 2 }, { 4, 1 }, { 1, 3 } } },
  { { {}, B { 1, 0, 0, 1 }, L { 2, 1 } }, { { 1, 2, 3 }, { 1, 4 }, { 2, 1 } } },
  { { B { 0, 1, 1 }:bool(), 3, {} }, { { 2, 3 }, 3, { 1, 2, 3, 4, 5 } } },
  { { B { 0, 0, 0 }, 3 }, { {}, 3, { 1, 2, 3, 4, 5 } } },
}

-- Calls f with the position in x, and the one among the selected elements, counted from 1.
local function visit(places, f)
  local lists, n = {}, 0
  for d = 1, 3 do lists[d] = type(places[d]) == 'table' and places[d] or { places[d] } end
  for _, i in ipairs(lists[1]) do
    for _, j in ipairs(lists[2]) do
      for _, k in ipairs(lists[3]) do
        n = n + 1
        f(i, j, k, n)
      end
    end
  end
  return n
end

local function sizesOf(places)
  local sizes = {}
  for d = 1, 3 do
    if type(places[d]) == 'table' then sizes[#sizes + 1] = #places[d] end
  end
  return sizes
end

describe('positions and masks in a key of dimensions', function()
  for _, name in ipairs(types) do
    it('select in a ' .. name .. 'Tensor what the positions of each dimension select together', function()
      for _, layout in ipairs { 'plain', 'turned' } do
        local x = sample(name)
        if layout == 'turned' then x = x:transpose(1, 3):clone():transpose(1, 3) end
        for _, case in ipairs(keys) do
          local key, places = unpack(case)
          local y, expected = x[key], {}
          visit(places, function(i, j, k, n) expected[n] = x[{ i, j, k }] end)
          assert.same(sizesOf(places), y:size():totable())
          assert.same(expected, y:nElement() > 0 and y:contiguous():view(-1):totable() or {})
        end
      end
    end)
    it('write a number and a tensor to the same elements of a ' .. name .. 'Tensor', function()
      for _, case in ipairs(keys) do
        local key, places = unpack(case)
        local x, expected = sample(name), sample(name)
        x[key] = 1
        visit(places, function(i, j, k) expected[{ i, j, k }] = 1 end)
        assert.same(expected:totable(), x:totable())
        local count = visit(places, function() end)
        if count > 0 then
          local values = torch.range(1, count)
          if name == 'Bool' then values = torch.remainder(values, 2) end
          x[key] = values:view(torch.LongStorage(sizesOf(places)))
          visit(places, function(i, j, k, n) expected[{ i, j, k }] = values[n] end)
          assert.same(expected:totable(), x:totable())
        end
      end
    end)
  end

  it('are written by values that broadcast, and by elements in order', function()
    local x = torch.zeros(2, 3)
    x[{ L { 2, 1 }, L { 3, 1 } }] = torch.Tensor { 7, 8 }
    assert.same({ { 8, 0, 7 }, { 8, 0, 7 } }, x:totable())
    x[{ {}, L { 2 } }] = torch.Tensor { 4, 5 }
    assert.same({ { 8, 4, 7 }, { 8, 5, 7 } }, x:totable())
  end)

  it('carry gradients of what is read and written', function()
    assert(autograd.gradcheck(function(t) return t[{ L { 2, 1, 2 }, {}, L { 4, 1 } }] end, { torch.randn(2, 3, 4) }))
    assert(autograd.gradcheck(function(t, v)
      local u = t * 1
      u[{ L { 2, 1 }, { 1, 2 }, L { 4, 1 } }] = v
      return torch.cmul(u, u)
    end, { torch.randn(2, 3, 4), torch.randn(2, 2, 2) }))
    assert(autograd.gradcheck(function(v)
      local u = torch.ones(2, 3)
      u[{ L { 2, 1 }, B { 0, 1, 1 } }] = v
      return torch.cmul(u, u)
    end, { torch.randn(1) }))
  end)

  it('are refused with the key and the sizes, and nothing is written', function()
    local x = torch.ones(2, 3)
    local refused = {
      ['index: index out of range: position 3, expected 1%.%.2'] = { L { 3 } },
      ['torch.DoubleTensor %[1%] as number 1, expected a vector'] = { torch.Tensor { 1 } },
      ['torch.LongTensor %[1, 1%] as number 2, expected a vector'] = { {}, L { { 1 } } },
      ['too many indices provided: 3 for 2 dimensions'] = { 1, 1, L { 1 } },
      ['a mask of %[2%] as number 2, expected the size 3'] = { 1, B { 1, 1 } },
      ['key: string, expected a number'] = { 'a', L { 1 } },
      ['end index out of bound: 9'] = { { 1, 9 }, L { 1 } },
      ['position 9, expected 1%.%.3'] = { L { 1 }, L { 1, 9 } },
    }
    for message, key in pairs(refused) do
      assert.error_matches(function() return x[key] end, message)
      assert.error_matches(function() x[key] = 5 end, message)
    end
    assert.error_matches(function() x[{ L { 1, 2 } }] = torch.ones(5) end, 'index: value: %[5%], expected %[2, 3%]')
    assert.error_matches(function() x[{ L { 1, 2 } }] = 'a' end, "index: value: 'a', expected a number")
    assert.same({ { 1, 1, 1 }, { 1, 1, 1 } }, x:totable())
  end)
end)
