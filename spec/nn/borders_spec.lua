-- Borders of negative width, and fractional pooling of volumes, against loops over elements.
local torch = require 'torch'
local nn = require 'nn'
local layers = require 'spec.support.layers'
local assertClose = require('spec.support.close').assertClose

-- Where element o of a padded axis of n elements reads, all from 1.
local readings = {
  Replication = function(o, pad, n) return math.max(1, math.min(n, o - pad)) end,
  Reflection = function(o, pad, n)
    local i = o - pad
    if i < 1 then return 2 - i end
    return i > n and 2 * n - i or i
  end,
}

-- The output of reading x so along its last axes (pads: {before, after} of each), and the gradient by x where that by the output is g.
local function byLoop(kind, x, pads, g)
  local first = x:dim() - #pads
  local sizes = x:size():totable()
  for d, pad in ipairs(pads) do sizes[first + d] = sizes[first + d] + pad[1] + pad[2] end
  local output, gradient = torch.zeros(torch.LongStorage(sizes)), x:clone():zero()
  local function visit(at, from, d)
    if d > #sizes then
      output[torch.LongStorage(at)] = x[torch.LongStorage(from)]
      gradient[torch.LongStorage(from)] = gradient[torch.LongStorage(from)] + (g and g[torch.LongStorage(at)] or 0)
      return
    end
    local pad = pads[d - first]
    for o = 1, sizes[d] do
      at[d], from[d] = o, pad and readings[kind](o, pad[1], x:size(d)) or o
      visit(at, from, d + 1)
    end
  end
  visit({}, {}, 1)
  return output, gradient
end

describe('A border of one value', function()
  it('surrounds views, crops, and gives gradients to what is left', function()
    local x = torch.DoubleTensor { { 1, 4 }, { 2, 5 }, { 3, 6 } }:t():requiresGrad()         -- 1 2 3, 4 5 6; not contiguous
    local y = nn.functional.pad(x, { 1, -1, 0, 2 }, 'constant', 0.5)
    assertClose({ { 0.5, 1, 2 }, { 0.5, 4, 5 }, { 0.5, 0.5, 0.5 }, { 0.5, 0.5, 0.5 } }, y)
    y:backward(torch.range(1, 12):view(4, 3))
    assertClose({ { 2, 3, 0 }, { 5, 6, 0 } }, x.grad)
    assertClose({ { 2, 3 }, { 5, 6 } }, nn.functional.pad(x:detach(), { -1, 0, 0, 0 }, 'constant', 0.5))
    assertClose({ 7, 1, 2, 7, 7 }, nn.functional.pad(torch.LongTensor { 1, 2 }, { 1, 2 }, 'constant', 7))
    local both = nn.functional.pad(torch.BoolTensor { true }, { 1, 0 })
    assert.equal('torch.BoolTensor', both:type())
    assertClose({ 0, 1 }, both)
  end)
end)

describe('A border of negative width crops:', function()
  for _, case in ipairs {
    { 'SpatialReplicationPadding(-1, 2, 1, -1)', { 2, 4, 5 }, { { 1, -1 }, { -1, 2 } } },
    { 'SpatialReplicationPadding(-1)', { 2, 1, 4, 5 }, { { -1, -1 }, { -1, -1 } } },
    { 'SpatialReflectionPadding(-1, 2, 1, -1)', { 2, 4, 5 }, { { 1, -1 }, { -1, 2 } } },
    { 'SpatialReflectionPadding(2, -3, -2, 0)', { 2, 1, 4, 5 }, { { -2, 0 }, { 2, -3 } } },
    { 'VolumetricReplicationPadding(-1, 2, 1, -1, -2, 0)', { 2, 4, 4, 5 }, { { -2, 0 }, { 1, -1 }, { -1, 2 } } },
    { 'VolumetricReplicationPadding(0, -2, -1, 3, 1, -1)', { 2, 1, 3, 4, 5 }, { { 1, -1 }, { -1, 3 }, { 0, -2 } } },
  } do
    it('nn.' .. case[1], function()
      local m, x = loadstring('return (...).' .. case[1])(nn), layers.input(unpack(case[2]))
      local kind = case[1]:match 'Replication' or 'Reflection'
      local y = m:forward(x)
      local g = layers.series(y:size(), 0.7)
      local expected, gradient = byLoop(kind, x, case[3], g)
      assertClose(expected, y)
      assertClose(gradient, m:backward(x, g), 1e-15)
      assertClose(expected:float(), m:float():forward(x:float()))
    end)
  end

  it('and nothing left is refused', function()
    for _, name in ipairs { 'Replication', 'Reflection' } do
      assert.error_matches(function() nn['Spatial' .. name .. 'Padding'](-2):forward(torch.ones(1, 4, 4)) end, 'input is too small')
    end
  end)
end)

describe('nn.VolumetricFractionalMaxPooling', function()
  -- Starts of the windows along an axis of n, from 1.
  local function starts(u, n, out, pool)
    local alpha, list = (n - pool) / (out - 1), {}
    for i = 1, out - 1 do list[i] = math.floor((i - 1 + u) * alpha) - math.floor(u * alpha) + 1 end
    list[out] = n - pool + 1
    return list
  end

  it('takes volumes of height, width, time', function()
    local poolT, poolW, poolH, outT, outW, outH = 2, 3, 2, 4, 2, 3
    local m, x = nn.VolumetricFractionalMaxPooling(poolT, poolW, poolH, outT, outW, outH), layers.input(2, 3, 6, 5, 8)
    local y = m:forward(x)
    assert.same({ 2, 3, outH, outW, outT }, y:size():totable())
    for n = 1, 2 do
      for c = 1, 3 do
        local u = m.randomSamples[n][c]
        local t, w, h = starts(u[1], 8, outT, poolT), starts(u[2], 5, outW, poolW), starts(u[3], 6, outH, poolH)
        for i = 1, outH do
          for j = 1, outW do
            for k = 1, outT do
              local window = x[n][c]:narrow(1, h[i], poolH):narrow(2, w[j], poolW):narrow(3, t[k], poolT)
              assert.equal(window:max(), y[n][c][i][j][k])
            end
          end
        end
      end
    end
    assert.equal(y:nElement(), m:backward(x, y:clone():fill(1)):sum())
    assertClose(y[1], m:fixPoolingRegions():forward(x)[1])
  end)

  it('takes ratios, and single volumes', function()
    local m = nn.VolumetricFractionalMaxPooling(2, 2, 2, 0.5, 0.25, 0.7)
    assert.same({ 1, 7, 2, 4 }, m:forward(torch.randn(1, 10, 8, 8)):size():totable())
  end)
end)
