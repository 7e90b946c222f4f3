-- Modules that concatenate, narrow and split tensors in Torch7's protocol: the tensors that they write to, from pass to pass.
local torch, C = require 'torch', require 'libmoontorch'
local nn = require 'nn'
local layers = require 'spec.support.layers'
local assertClose = require('spec.support.close').assertClose

local function sharesStorage(a, b) return torch.pointer(a:storage()) == torch.pointer(b:storage()) end

describe('nn.JoinTable', function()
  local a, b = layers.input(3, 2), layers.input(3, 4):mul(2)

  it('writes its output and gradients where the last pass left them', function()
    local net = nn.JoinTable(2):double()
    local output = net:forward { a, b }
    local memory = torch.pointer(output:storage())
    local gradInput = net:backward({ a, b }, output)
    local first, second = gradInput[1], gradInput[2]
    assert.is_true(rawequal(output, net:forward { b, a }))
    assert.equal(memory, torch.pointer(output:storage()))
    assert.same(torch.cat(b, a, 2):totable(), output:totable())
    assert.is_true(rawequal(gradInput, net:backward({ b, a }, output)))
    assert.is_true(rawequal(first, gradInput[1]) and rawequal(second, gradInput[2]))
    assert.same(b:totable(), gradInput[1]:totable())
    assert.same(a:totable(), gradInput[2]:totable())
    assert.is_false(sharesStorage(output, gradInput[1]))
    assert.same({ 3, 6 }, net.size:totable())
    net:forward { a }
    assert.same({ 3, 2 }, net.size:totable())
    assert.equal(1, #net:backward({ a }, a))
  end)

  it('takes tables of whole numbers, and other types after them', function()
    local net = nn.JoinTable(1)
    local x, y = torch.LongTensor { 1, 2 }, torch.LongTensor { 3 }
    assert.same({ 1, 2, 3 }, net:forward { x, y }:totable())
    assert.equal('torch.LongTensor', net.output:type())
    assert.same({ { 0, 0 }, { 0 } }, { net:backward({ x, y }, net.output)[1]:totable(), net.gradInput[2]:totable() })
    net:forward { a:float(), a:float() }
    assert.equal('torch.FloatTensor', net.output:type())
    assert.equal('torch.FloatTensor', net:backward({ a:float(), a:float() }, net.output)[2]:type())
  end)

  it('gives gradients with channels last of such pictures', function()
    local x, y = layers.input(2, 3, 4, 5):channelsLast(), layers.input(2, 1, 4, 5):channelsLast()
    local net = nn.JoinTable(2):double()
    local g = net:forward { x, y }
    assert.is_true(g:isChannelsLast())
    local gradInput = net:backward({ x, y }, g)
    assert.is_true(gradInput[1]:isChannelsLast())
    assert.is_false(sharesStorage(g, gradInput[1]))
    assertClose(x, gradInput[1])
    assertClose(y, gradInput[2])
  end)

  it('says what does not fit', function()
    local net = nn.JoinTable(2):double()
    assert.has_error(function() net:forward { a, layers.input(2, 2) } end)
    assert.has_error(function() net:forward { a, 3 } end)
    assert.has_error(function() net:forward(a) end)
    net:forward { a, b }
    assert.has_error(function() net:backward({ a, b }, a) end)
    assert.has_error(function() net:backward({ a, b }, 3) end)
  end)
end)

describe('nn.SplitTable', function()
  local x = layers.input(3, 4, 2)

  it('gives views in a table of their own, and one gradient from pass to pass', function()
    local net = nn.SplitTable(2):double()
    local first = net:forward(x)
    assert.equal(4, #first)
    assert.is_true(sharesStorage(x, first[3]))
    assert.same(x:select(2, 3):totable(), first[3]:totable())
    local gradInput = net:backward(x, first)
    assert.same(x:totable(), gradInput:totable())
    assert.is_false(rawequal(first, net:forward(x)))
    assert.is_true(rawequal(gradInput, net:backward(x, { nil, first[2] })))
    assert.equal(0, gradInput:select(2, 1):abs():sum())
    assert.same(first[2]:totable(), gradInput:select(2, 2):totable())
    assert.has_error(function() net:backward(x, { 3 }) end)
    assert.has_error(function() nn.SplitTable(4):double():forward(x) end)
  end)

  it('does not put its views on the tape', function()
    local tracked = x:clone():requiresGrad()
    assert.is_false(nn.SplitTable(1):double():forward(tracked)[1]:isTracked())
  end)
end)

describe('Gradients by what is not chosen', function()
  local a, b, c = layers.input(3), layers.input(2, 2), layers.input(4)
  local zeros = { 0, 0, 0 }

  it('are zeros that serve again, also after they were written to', function()
    for _, net in ipairs { nn.SelectTable(3), nn.NarrowTable(3) } do
      net:double():forward { a, b, c }
      local g = torch.type(net) == 'nn.SelectTable' and c or { c }
      local gradInput = net:backward({ a, b, c }, g)
      local first = gradInput[1]
      assert.same(zeros, first:totable())
      first:fill(7)
      assert.is_true(rawequal(first, net:backward({ a, b, c }, g)[1]))
      assert.same(zeros, first:totable())
      assert.same(c:totable(), net.gradInput[3]:totable())
    end
  end)

  it("are never written to a tensor of the program's", function()
    local net = nn.NarrowTable(1, 2):double()
    net:forward { a, b, c }
    local given = { a:clone(), b:clone() }
    assert.is_true(rawequal(given[1], net:backward({ a, b, c }, given)[1]))
    net.offset = 2
    net:forward { a, b, c }
    net:backward({ a, b, c }, { b, c })
    assert.same({ a:totable(), b:totable() }, { given[1]:totable(), given[2]:totable() })
    assert.same(zeros, net.gradInput[1]:totable())
  end)

  it('have the structure of entries that are tables', function()
    local input = { { a, b }, c }
    for _, net in ipairs { nn.SelectTable(2), nn.NarrowTable(2) } do
      net:double():forward(input)
      local gradInput = net:backward(input, torch.type(net) == 'nn.SelectTable' and c or { c })
      assert.same(zeros, gradInput[1][1]:totable())
      assert.equal(0, gradInput[1][2]:sum())
      assert.same(c:totable(), gradInput[2]:totable())
    end
  end)
end)

describe('What the binding has for tables of tensors', function()
  it('takes anything', function()
    local function any(seed)
      local x = layers.input(3, 4)
      local values = {
        false, 0, -1, 1, 1.5, 2, 3, 1e300, 'text', {}, { x }, { x, 3 }, { x, x }, x, torch.LongStorage(2), x:float(), torch.Tensor(),
      }
      return values[seed % #values + 1] or nil
    end
    for _, name in ipairs { 'joinInto', 'cutInto', 'slices', 'stackInto' } do
      C[name]()
      for i = 1, 2000 do
        local n = i * 7919
        pcall(C[name], nil, any(math.floor(n / 17)), any(math.floor(n / 289)), any(math.floor(n / 4913)), any(n + i), i % 2 == 0)
        pcall(C[name], any(n), any(math.floor(n / 17)), any(math.floor(n / 289)), any(math.floor(n / 4913)), any(n + i), i % 2 == 0)
      end
    end
    collectgarbage()
    assert.same({ { 1, 1 }, { 1, 1 } }, C.joinInto(nil, { torch.ones(2, 1), torch.ones(2, 1) }, 2):totable())
  end)
end)
