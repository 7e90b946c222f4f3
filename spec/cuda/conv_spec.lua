-- Convolutions on an emulated GPU equal the CPU's, for cases that the small samples of the sweeps don't cover. Elements are small whole
-- numbers, whose sums are exact. Once by Moontorch's kernels, once by the emulation of cuDNN.
local ffi = require 'ffi'
local torch = require 'torch'
local assertClose = require('spec.support.close').within { sameType = true }
local integers = require('spec.support.layers').integers

local cuda = 'cuda:1'
ffi.cdef 'int setenv(const char *name, const char *value, int overwrite);'
torch.loadDevice(require('spec.support.gpu').path)

--- f(), whose convolutions are the library's or ours.
local function by(library, f)
  ffi.C.setenv('MOONTORCH_EMULATED_DNN', library and '1' or '0', 1)
  f()
  ffi.C.setenv('MOONTORCH_EMULATED_DNN', '0', 1)
end

-- Images, weight, and window: strides, paddings, dilations, groups. Products of more than one tile in each direction, with as much depth
-- as several blocks share, with groups of one channel, and with images that a stride doesn't divide.
local cases = {
  { 1, { 3, 5, 70 }, { 70, 5, 3 }, { 2, 1, 1, 1 } },
  { 1, { 4, 30 }, { 6, 2, 4 }, { 3, 2, 2, 2 } },
  { 2, { 2, 66, 9, 8 }, { 67, 66, 3, 3 }, { 1, 1, 1, 1, 1, 1, 1 } },
  { 2, { 3, 8, 20, 21 }, { 12, 4, 3, 2 }, { 2, 3, 1, 0, 1, 2, 2 } },
  { 2, { 2, 6, 11, 13 }, { 6, 1, 3, 3 }, { 2, 2, 1, 1, 1, 1, 6 } },
  { 2, { 2, 4, 24, 25 }, { 3, 4, 1, 1 }, { 1, 1, 0, 0, 1, 1, 1 } },
  { 2, { 5, 6, 7 }, { 2, 5, 5, 4 }, { 1, 1, 2, 3, 1, 1, 1 } },
  { 3, { 2, 4, 5, 6, 7 }, { 6, 2, 2, 3, 2 }, { 2, 1, 2, 1, 0, 1, 1, 2, 1, 2 } },
}

for _, dtype in ipairs { 'torch.FloatTensor', 'torch.DoubleTensor', 'torch.BFloat16Tensor' } do
  for _, last in ipairs { false, true } do
    describe('convolution on an emulated GPU, ' .. dtype .. (last and ', channels last:' or ':'), function()
      for number, case in ipairs(cases) do
        local dims, sizes, kernels, window = unpack(case)
        local function laid(x) return last and dims > 1 and x:dim() == dims + 2 and torch.channelsLast(x) or x end
        local function op(name) return torch[name:format(dims)] end
        local x, weight = laid(integers(2, dtype, unpack(sizes))), integers(2, dtype, unpack(kernels))
        local bias = integers(2, dtype, kernels[1])
        local y = op 'conv%dd'(x, weight, bias, unpack(window))
        local g = laid(integers(2, dtype, y:size()))
        local xOnGpu, weightOnGpu, gOnGpu = x:to(cuda), weight:to(cuda), g:to(cuda)
        --- Arguments of the gradients: the last sizes of these, which 3 dimensions take together, and the window.
        local function arguments(of)
          local last_sizes = { unpack(of, #of - dims + 1) }
          local list = dims == 3 and { last_sizes } or last_sizes
          for _, argument in ipairs(window) do list[#list + 1] = argument end
          return unpack(list)
        end

        local function both(title, f)
          it(title .. number .. ', by our kernels', function() by(false, f) end)
          it(title .. number .. ', by the library', function() by(true, f) end)
        end
        both('forward ', function()
          assertClose(y, op 'conv%dd'(xOnGpu, weightOnGpu, bias:to(cuda), unpack(window)))
          assertClose(op 'conv%dd'(x, weight, nil, unpack(window)), op 'conv%dd'(xOnGpu, weightOnGpu, nil, unpack(window)))
        end)
        both('gradient of the input ', function()
          assertClose(op 'conv%dd_input_grad'(g, weight, arguments(sizes)), op 'conv%dd_input_grad'(gOnGpu, weightOnGpu, arguments(sizes)))
        end)
        both('gradient of the weight ', function()
          local ofWeight, ofBias = op 'conv%dd_weight_grad'(g, x, arguments(kernels))
          local ofWeightOnGpu, ofBiasOnGpu = op 'conv%dd_weight_grad'(gOnGpu, xOnGpu, arguments(kernels))
          assertClose(ofWeight, ofWeightOnGpu)
          assertClose(ofBias, ofBiasOnGpu)
        end)
      end
    end)
  end
end

describe('convolution on an emulated GPU:', function()
  it('a transposed one adds its bias', function()
    for _, layout in ipairs { 'first', 'last' } do
      local x, weight = integers(2, 'torch.FloatTensor', 2, 6, 5, 4), integers(2, 'torch.FloatTensor', 6, 2, 3, 2)
      local bias = integers(2, 'torch.FloatTensor', 4)
      if layout == 'last' then x = torch.channelsLast(x) end
      local window = { 2, 3, 1, 1, 1, 2, 1, 1, 2 }
      for _, library in ipairs { false, true } do
        by(library, function()
          assertClose(torch.convTranspose2d(x, weight, bias, unpack(window)),
            torch.convTranspose2d(x:to(cuda), weight:to(cuda), bias:to(cuda), unpack(window)))
        end)
      end
    end
  end)

  it('without images or channels', function()
    local function floats(...) return torch.FloatTensor(...):fill(1) end
    local weight, bias = torch.conv2d_weight_grad(floats(0, 3, 2, 2):to(cuda), floats(0, 2, 3, 3):to(cuda), 2, 2)
    assertClose(torch.zeros(3, 2, 2, 2):float(), weight)
    assertClose(torch.zeros(3):float(), bias)
    assertClose(torch.conv2d(floats(1, 0, 3, 3), floats(2, 0, 2, 2), floats(2)),
      torch.conv2d(floats(1, 0, 3, 3):to(cuda), floats(2, 0, 2, 2):to(cuda), floats(2):to(cuda)))
    assert.equal(0, torch.conv2d(floats(0, 2, 3, 3):to(cuda), floats(2, 2, 2, 2):to(cuda)):nElement())
  end)

  it('sums of many channels are the same in any run, to the last bit', function()
    local g, x = torch.randn(4, 3, 30, 30):float():to(cuda), torch.randn(4, 2, 32, 32):float():to(cuda)
    local first = torch.conv2d_weight_grad(g, x, 3, 3)
    for _ = 1, 3 do assertClose(first:to 'cpu', (torch.conv2d_weight_grad(g, x, 3, 3))) end
  end)
end)
