-- Steps on lists of tensors on an emulated GPU: one kernel processes all of them, so the spec checks that each tensor gets its result.
local torch = require 'torch'
local assertClose = require('spec.support.close').assertClose

torch.loadDevice(require('spec.support.gpu').path)

local function copies(list, device)
  local all = {}
  for i, x in ipairs(list) do all[i] = device and x:to(device) or x:clone() end
  return all
end

local sizes = { 1, 3, 4, 5, 4096, 4097, 9000, 2, 16, 0, 7 }

-- Tensors of many sizes; every third is of doubles, every fifth begins at an odd address.
local function list(n)
  local all = {}
  for i = 1, n do
    local size = sizes[i % #sizes + 1]
    local x = torch.rand(size + 1):type(i % 3 == 0 and 'torch.DoubleTensor' or 'torch.FloatTensor')
    all[i] = size > 0 and x:narrow(1, i % 5 == 0 and 2 or 1, size) or x:narrow(1, 1, 0)
  end
  return all
end

local function equalLists(want, got)
  for i, x in ipairs(want) do
    assertClose(x, got[i], 8 * (x:type() == 'torch.FloatTensor' and 2 ^ -23 or 2 ^ -52), 'tensor ' .. i)
  end
end

describe('on an emulated GPU a list of tensors takes the steps that it takes on the CPU:', function()
  for _, n in ipairs { 3, 60, 600 } do
    it(n .. ' tensors', function()
      torch.manualSeed(n)
      local here = { list(n), list(n), list(n), list(n) }
      local there = {}
      for i, tensors in ipairs(here) do there[i] = copies(tensors, 'cuda:1') end
      local function both(step) step(unpack(here)) step(unpack(there)) end
      both(function(x, g) torch.sgd_step(x, g, {}, 0.1, 0, 0, 0.01) end)
      both(function(x, g, b) torch.sgd_step(x, g, b, 0.1, 0.9, 0.1, 0.01, true) end)
      both(function(x, g, m, v) torch.adam_step(x, g, m, v, 0.01, 0.9, 0.999, 1e-3, 0.01) end)
      for i in ipairs(here) do equalLists(here[i], there[i]) end
      both(function(x, g, a, b)
        for _, states in ipairs { a, b } do
          for _, state in ipairs(states) do state:abs():add(1) end
        end
        torch.adagrad_step(x, g, a, 0.1)
      end)
      both(function(x, g, a, b) torch.rmsprop_step(x, g, b, a, {}, 0.1, 0.9, 1e-3, 0.01, 0, false) end)
      both(function(x, g, a, b) torch.adadelta_step(x, g, a, b, 0.1, 0.8, 1e-3) end)
      both(function(x, g, a, b) torch.nadam_step(x, g, a, b, 0.1, 0.2, 0.5) end)
      both(function(x, g, a, b) torch.radam_step(x, g, a, b, 0.1, true) end)
      both(function(x, g, a, b) torch.radam_step(x, g, a, b, 0.1, false) end)
      both(function(x, g, a, b) torch.adamax_step(x, g, a, b, 0.1) end)
      both(function(x, g, a) torch.asgd_step(x, g, a, 0.1, 0.9, 0.25, 0.01) end)
      for i in ipairs(here) do equalLists(here[i], there[i]) end
      both(function(x, g, a) torch.lion_step(x, g, a, 0.1) end)
      both(function(x, g, a, b) torch.rprop_step(x, g, a, b) end)
      for i in ipairs(here) do equalLists(here[i], there[i]) end
    end)
  end

  it('states of five lists, and of all parameters in one tensor', function()
    local total, here, there = 0, {}, {}
    for k = 1, 2 do
      here[k] = {}
      for i = 1, 60 do here[k][i] = torch.rand(sizes[i % #sizes + 1]):float() end
      there[k] = copies(here[k], 'cuda:1')
    end
    for _, x in ipairs(here[1]) do total = total + x:nElement() end
    for k = 3, 5 do
      here[k] = { torch.rand(total):float():add(k == 4 and 9 or 1) }
      there[k] = copies(here[k], 'cuda:1')
    end
    for _, lists in ipairs { here, there } do
      local x, g, a, b, c = unpack(lists)
      torch.amsgrad_step(x, g, a, b, c, 0.1)
      torch.rmsprop_step(x, g, b, a, c, 0.1, 0.9, 1e-3, 0.01, 0.5, true)
    end
    for k = 1, 5 do equalLists(here[k], there[k]) end
  end)

  it('infinities are found wherever they are', function()
    for _, at in ipairs { 1, 30, 511, 512, 600 } do
      local gradients = list(600)
      local found, none = torch.zeros(1):to 'cuda:1', torch.zeros(1):to 'cuda:1'
      torch.unscale(copies(gradients, 'cuda:1'), none, 0.5)
      assert.equal(0, none:to('cpu')[1])
      if gradients[at]:nElement() > 0 then
        gradients[at]:fill(1 / 0)
        torch.unscale(copies(gradients, 'cuda:1'), found, 0.5)
        assert.equal(1, found:to('cpu')[1])
      end
    end
  end)
end)

describe('tensors of a list that share memory', function()
  for _, device in ipairs { 'cpu', 'cuda:1' } do
    for _, kind in ipairs { 'torch.FloatTensor', 'torch.HalfTensor' } do
      it(('take their steps one after the other: %s on %s'):format(kind, device), function()
        local x = torch.zeros(5):type(kind):to(device)
        local first, second = torch.ones(5):type(kind):to(device), torch.ones(5):mul(2):type(kind):to(device)
        torch.sgd_step({ x, x }, { first, second }, {}, 0.5)           -- 0 - 0.5 * 1 - 0.5 * 2
        assert.same({ -1.5, -1.5, -1.5, -1.5, -1.5 }, x:to('cpu'):totable())
        torch.sgd_step({ x:narrow(1, 1, 3), x:narrow(1, 3, 3) }, { first:narrow(1, 1, 3), second:narrow(1, 1, 3) }, {}, 0.5)
        assert.same({ -2, -2, -3, -2.5, -2.5 }, x:to('cpu'):totable())
        local found = torch.zeros(1):float():to(device)
        torch.unscale({ x, x }, found, 0.5)
        assert.same({ -0.5, -0.5, -0.75, -0.625, -0.625 }, x:to('cpu'):totable())
      end)
    end
  end
end)
