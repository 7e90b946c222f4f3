-- Pooling on an emulated GPU equals the CPU's, for cases that the small samples of the sweeps don't cover.
local torch = require 'torch'
local assertClose = require('spec.support.close').within { sameType = true, equalNan = true }
local integers = require('spec.support.layers').integers

local cuda = 'cuda:1'
torch.loadDevice(require('spec.support.gpu').path)

-- x's sizes, and the window: kernels, strides, paddings, rounding.
local planes = {
  { { 2, 3, 9, 11 }, { 3, 3, 2, 2, 1, 1 } },
  { { 2, 8, 7, 10 }, { 2, 3, 1, 2, 1, 1, true } },
  { { 1, 4, 12, 12 }, { 9, 10, 3, 2, 4, 5 } },
  { { 2, 6, 6, 6 }, { 2, 2, 3, 4 } },
  { { 3, 5, 4 }, { 5, 4, 1, 1, 2, 2 } },
}
local volumes = {
  { { 2, 8, 5, 6, 7 }, { 3, 2, 3, 2, 1, 2, 1, 1, 1 } },
  { { 3, 4, 6, 5 }, { 2, 3, 2, 1, 2, 2, 1, 0, 1, true } },
}

for _, dtype in ipairs { 'torch.FloatTensor', 'torch.DoubleTensor', 'torch.HalfTensor' } do
  for _, last in ipairs { false, true } do
    describe('pooling on an emulated GPU, ' .. dtype .. (last and ', channels last:' or ':'), function()
      for dims, cases in pairs { [2] = planes, [3] = volumes } do
        local function laid(x) return last and x:dim() == dims + 2 and torch.channelsLast(x) or x end
        local function op(name) return torch[name:format(dims)] end
        for number, case in ipairs(cases) do
          local sizes, window = unpack(case)
          it(('windows %d of %d dimensions'):format(number, dims), function()
            local x = integers(5, dtype, unpack(sizes))
            x:view(-1)[3] = 0 / 0
            x:view(-1)[5] = -math.huge
            x = laid(x)
            local onGpu = x:to(cuda)
            local y, indices = op 'maxPool%dd'(x, unpack(window))
            local yOnGpu, indicesOnGpu = op 'maxPool%dd'(onGpu, unpack(window))
            assertClose(y, yOnGpu)
            assertClose(indices, indicesOnGpu)

            local size = { unpack(sizes, #sizes - dims + 1) }
            local g = laid(integers(5, dtype, y:size()))
            assertClose(op 'maxPool%dd_grad'(g, indices, unpack(size)), op 'maxPool%dd_grad'(g:to(cuda), indicesOnGpu, unpack(size)))

            local tolerance = dtype == 'torch.HalfTensor' and 2e-2 or 1e-5
            for _, countPad in ipairs { true, false } do
              local mean = { unpack(window, 1, 3 * dims) }
              mean[#mean + 1] = window[3 * dims + 1] or false
              mean[#mean + 1] = countPad
              assertClose(op 'avgPool%dd'(x, unpack(mean)), op 'avgPool%dd'(onGpu, unpack(mean)), tolerance)
              local of = dims == 3 and { size } or { unpack(size) }
              for _, argument in ipairs(mean) do of[#of + 1] = argument end
              assertClose(op 'avgPool%dd_grad'(g, unpack(of)), op 'avgPool%dd_grad'(g:to(cuda), unpack(of)), tolerance)
            end
          end)
        end
      end
    end)
  end
end

describe('the gradient of maxima on an emulated GPU:', function()
  it('adds up windows that chose the same place, wherever it is', function()
    local g = integers(5, 'torch.FloatTensor', 2, 4, 5, 6)
    local indices = torch.LongTensor(2, 4, 5, 6)
    for i = 1, indices:nElement() do indices:view(-1)[i] = (i * i * 31 + i) % 35 % 9 * 4 + 1 end
    assertClose(torch.maxPool2d_grad(g, indices, 5, 7), torch.maxPool2d_grad(g:to(cuda), indices:to(cuda), 5, 7))
    local last, lastIndices = torch.channelsLast(g), torch.channelsLast(indices)
    assertClose(torch.maxPool2d_grad(last, lastIndices, 5, 7), torch.maxPool2d_grad(last:to(cuda), lastIndices:to(cuda), 5, 7))
  end)

  it('is the same in any run, to the last bit', function()
    local g, x = torch.randn(2, 3, 20, 20):float():to(cuda), torch.randn(2, 3, 20, 20):float():to(cuda)
    local _, indices = torch.maxPool2d(x, 3, 3, 1, 1, 1, 1)
    local first = torch.maxPool2d_grad(g, indices, 20, 20)
    for _ = 1, 3 do assertClose(first:to 'cpu', torch.maxPool2d_grad(g, indices, 20, 20)) end
  end)

  it('without windows is 0', function()
    local g, indices = torch.FloatTensor(2, 3, 0, 4):to(cuda), torch.LongTensor(2, 3, 0, 4):to(cuda)
    assertClose(torch.zeros(2, 3, 2, 4):float(), torch.maxPool2d_grad(g, indices, 2, 4))
  end)

  it('refuses indices outside of the plane', function()
    local g = torch.ones(1, 2, 2):float():to(cuda)
    for _, index in ipairs { 0, -1, 13, 2 ^ 40, -2 ^ 40 } do
      local indices = torch.LongTensor { { { 1, 2 }, { index, 3 } } }:to(cuda)
      assert.error_matches(function() torch.maxPool2d_grad(g, indices, 3, 4):to 'cpu' end,
        '^maxPool2d_grad: indices: an index out of range, expected 1%.%.12')
    end
  end)
end)
