-- Random networks with in-place modules: the same results as without them, and as on the tape.
local torch = require 'torch'
local nn = require 'nn'
local layers = require 'spec.support.layers'
local assertClose = require('spec.support.close').assertClose

local function one(...) return (select(torch.random(1, select('#', ...)), ...)) end

-- Modules that overwrite their input and restore it: they may follow any other, whose gradient may use the restored values.
local function restoring()
  return one(nn.MulConstant(1.5, true), nn.AddConstant(0.3, true))
end

local function inplace()
  return one(function() return nn.ReLU(true) end, function() return nn.LeakyReLU(0.2, true) end, function() return nn.ReLU6(true) end,
    function() return nn.HardTanh(-0.8, 0.8, true) end, function() return nn.Threshold(0.1, 0, true) end,
    function() return nn.ELU(0.7, true) end, function() return nn.Dropout(0.3, false, true) end,
    function() return nn.RReLU(0.1, 0.3, true) end, restoring)()
end

local function affine(from, to)
  local kind = torch.random(1, 4)
  local net = nn.Sequential():add(nn.Linear(from, to, kind ~= 1))
  if kind == 1 then net:add(nn.Add(to)) end
  if kind == 2 then net:add(nn.BatchNormalization(to)) end
  if kind == 3 then net:add(nn.CMul(to)) end
  return net
end

local randomNet

-- Appends a module to a sequence whose output has `width` columns; returns the new number of columns.
local function grow(net, width, depth)
  local kind = torch.random(depth > 0 and 1 or 3, 5)
  if kind == 1 then                                              -- a residual block
    local branch, to = randomNet(width, depth - 1)
    net:add(nn.ConcatTable():add(branch:add(nn.Linear(to, width))):add(nn.Identity())):add(nn.CAddTable(true)):add(nn.ReLU(true))
  elseif kind == 2 then                                          -- two branches side by side
    local left, a = randomNet(width, depth - 1)
    local right, b = randomNet(width, depth - 1)
    net:add(nn.Concat(2):add(left):add(right))
    width = a + b
  elseif kind == 3 then
    net:add(nn.Normalize(2)):add(affine(width, width)):add(one(nn.Sigmoid(), nn.Tanh(), nn.ELU()))
  elseif kind == 4 then
    net:add(nn.View(-1)):add(nn.View(-1, width))
  else
    local to = torch.random(2, 5)
    net:add(affine(width, to)):add(inplace()):add(restoring())
    width = to
  end
  return width
end

-- Starts with a linear map, so that no module overwrites an input that others use.
function randomNet(width, depth)
  local net = nn.Sequential():add(nn.Linear(width, width))
  for _ = 1, torch.random(1, 3) do width = grow(net, width, depth) end
  return net, width
end

local function run(net, x, g, seed)
  torch.manualSeed(seed)
  net:zeroGradParameters()
  local output = net:forward(x:clone()):clone()
  return output, net:backward(x:clone(), g:clone()):clone(), (nn.Module.flatten(select(2, net:clone():parameters())))
end

describe('A random network', function()
  for seed = 1, 40 do
    it('works in place as it does with copies, and on the tape, seed ' .. seed, function()
      torch.manualSeed(seed)
      local rows, from = torch.random(3, 6), torch.random(2, 5)
      local net, to = randomNet(from, 2)
      net:double()
      local plain = net:clone()
      plain:apply(function(module) module.inplace = nil end)
      local x, g = layers.input(rows, from), layers.input(rows, to):add(0.2)
      for _ = 1, 2 do
        local output, gradInput, gradients = run(plain, x, g, seed)
        local y, gx, gp = run(net, x, g, seed)
        assertClose(output, y, 1e-12)
        assertClose(gradInput, gx, 1e-10)
        assertClose(gradients, gp, 1e-10)
      end
      local _, expected = run(plain, x, g, seed)
      torch.manualSeed(seed)
      local tracked = x:clone():requiresGrad()
      torch.sum(torch.cmul(plain(tracked), g)):backward()
      assertClose(expected, tracked.grad, 1e-10)
    end)
  end
end)
