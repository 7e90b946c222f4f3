-- The number of kernels that a call launches on an emulated GPU: a launch costs as much as a million elements.
local emulated = require 'spec.support.emulated_cuda'
local torch = require 'torch'

--- Returns the device operations of f, except allocations.
local function asked(f)
  local counts = emulated.counted(f)
  return { launches = counts.launches, copies = counts.copiesToDevice + counts.copiesToHost, waits = counts.synchronizations }
end

local only = { launches = 1, copies = 0, waits = 0 }

local function there(x) return x:to 'cuda:1' end

local layouts = {
  ['follow each other'] = function(x) return x end,
  ['begin at an odd address'] = function(x) return x:view(-1):narrow(1, 2, x:nElement() - 1) end,
  ['are transposed'] = function(x) return x:t() end,
  ['are every second'] = function(x) return x[{ {}, { 1, -1, 2 } }] end,
  ['repeat'] = function(x) return x:narrow(1, 1, 1):expand(5, x:size(2)) end,
}

local calls = {
  exp = function(x) torch.exp(x) end,
  gelu = function(x) torch.gelu(x) end,
  digamma = function(x) torch.digamma(x) end,
  pow = function(x) torch.pow(x, 2) end,
  ['pow by another tensor'] = function(x, y) torch.pow(x, y) end,
  add = function(x, y) torch.add(x, 0.5, y) end,
  ['add in place'] = function(x, y) if not x:isContiguous() then x = y end x:add(1) end,
  clamp = function(x) torch.clamp(x, -1, 1) end,
  gt = function(x, y) torch.gt(x, y) end,
  ['where by numbers'] = function(x, _, mask) torch.where(mask, x, 0) end,
  where = function(x, y, mask) torch.where(mask, x, y) end,
}

describe('an elementwise op is one launch, without a transfer, of elements that', function()
  for layout, lay in pairs(layouts) do
    it(layout, function()
      for _, kind in ipairs { 'torch.FloatTensor', 'torch.HalfTensor', 'torch.DoubleTensor' } do
        local x, y = lay(there(torch.rand(6, 10):add(1):type(kind))), lay(there(torch.rand(6, 10):type(kind)))
        local mask = torch.gt(y, 0.5)
        for name, call in pairs(calls) do
          assert.same(only, asked(function() call(x, y, mask) end), ('%s of a %s'):format(name, kind))
        end
      end
    end)
  end
end)

local function list(n)
  local all = {}
  for i = 1, n do all[i] = there(torch.rand(i % 7 + 1):float()) end
  return all
end

describe('a step of an optimiser is one launch for a list of', function()
  local steps = {
    sgd = function(n) local x, g = list(n), list(n) return function() torch.sgd_step(x, g, {}, 0.1) end end,
    momentum = function(n)
      local x, g, b = list(n), list(n), list(n)
      return function() torch.sgd_step(x, g, b, 0.1, 0.9) end
    end,
    adam = function(n)
      local x, g, m, v = list(n), list(n), list(n), list(n)
      return function() torch.adam_step(x, g, m, v, 0.1) end
    end,
    rmsprop = function(n)
      local x, g, m, v, b = list(n), list(n), list(n), list(n), list(n)
      return function() torch.rmsprop_step(x, g, v, m, b, 0.1, 0.9, 1e-3, 0, 0.5, true) end
    end,
    unscale = function(n)
      local g, found = list(n), there(torch.zeros(1):float())
      return function() torch.unscale(g, found, 0.5) end
    end,
  }
  for _, n in ipairs { 1, 2, 48, 49, 512 } do
    it(n .. ' tensors', function()
      for name, step in pairs(steps) do assert.same(only, asked(step(n)), name) end
    end)
  end

  it('parameters of each class', function()
    for name in ('SGD Adam AdamW RMSprop Adagrad Adadelta NAdam RAdam Adamax Lion ASGD Rprop'):gmatch '%S+' do
      local xs = list(40)
      for _, x in ipairs(xs) do x:requiresGrad().grad = there(torch.rand(x:size()):float()) end
      local optimizer = require 'optim'[name](xs, name == 'SGD' and { momentum = 0.9 } or {})
      for _ = 1, 2 do optimizer:step() end
      assert.same(only, asked(function() optimizer:step() end), name)
    end
  end)

  it('gradients to clip: few launches, and one wait for the norm', function()
    local optim = require 'optim'
    local gradients = list(60)
    local norm = 0
    for _, g in ipairs(gradients) do norm = norm + g:to('cpu'):double():norm() ^ 2 end
    assert.same(only, asked(function() optim.clipGradValue(gradients, 0.75) end))
    for _, g in ipairs(gradients) do assert.is_true(g:to('cpu'):max() <= 0.75) end
    local counts = asked(function() norm = optim.clipGradNorm(gradients, 0.5) end)
    assert.is_true(counts.launches <= 8 and counts.waits <= 2, counts.launches .. ' launches, ' .. counts.waits .. ' waits')
    local total = 0
    for _, g in ipairs(gradients) do total = total + g:to('cpu'):double():norm() ^ 2 end
    assert.is_true(norm > 0.5 and math.abs(math.sqrt(total) - 0.5) < 1e-5)
    gradients[3]:fill(1 / 0)
    assert.equal(math.huge, optim.clipGradNorm(gradients, math.huge))
  end)

  it('several types', function()
    local x, g, m, v = {}, {}, {}, {}
    for _, all in ipairs { x, g, m, v } do
      all[1], all[2] = there(torch.rand(5):float()), there(torch.rand(5):double())
    end
    assert.same(only, asked(function() torch.adam_step(x, g, m, v, 0.1) end))
  end)

  it('512 of more', function()
    for name, step in pairs(steps) do assert.equal(2, asked(step(513)).launches, name) end
  end)
end)

describe('a recurrent cell is one launch', function()
  for _, m in ipairs { 8, 17 } do
    it('of states of ' .. m, function()
      local x4, x3, h = there(torch.rand(3, 4 * m)), there(torch.rand(3, 3 * m)), there(torch.rand(3, m))
      local _, c, gates = torch.lstm_cell(x4, h)
      local _, gru = torch.gru_cell(x3, x3, h)
      assert.same(only, asked(function() torch.lstm_cell(x4, h) end))
      assert.same(only, asked(function() torch.lstm_cell_grad(h, nil, gates, h, c) end))
      assert.same(only, asked(function() torch.gru_cell(x3, x3, h) end))
      assert.same(only, asked(function() torch.gru_cell_grad(h, gru, x3, h) end))
    end)
  end
end)
