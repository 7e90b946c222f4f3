--- Kernels whose spectra are orthogonal to one another.
-- @module nninit.convolution_aware
local torch, signal = require 'torch', require 'signal'
local orthonormal = require 'nninit.orthonormal'

-- The given number of rows of orthonormal matrices, one matrix after another.
local function basis(rows, columns)
  local blocks = {}
  for first = 1, rows, columns do
    blocks[#blocks + 1] = orthonormal(columns, columns):narrow(1, 1, math.min(columns, rows - first + 1))
  end
  return torch.cat(blocks, 1)
end

--- Fills a tensor of square kernels.
-- @tparam torch.Tensor tensor (M, N, k, k): the N kernels of each of M are drawn together
-- @number gain
-- @number std of the noise that is added to the kernels, so that they differ where spectra repeat
-- @number fanIn inputs of an output: the elements' variance becomes gain^2 / fanIn
return function(tensor, gain, std, fanIn)
  local size, half = tensor:size(4), math.floor(tensor:size(4) / 2) + 1
  local kernels = torch.DoubleTensor(tensor:size()):normal():mul(std)
  for m = 1, tensor:size(1) do
    local spectra = basis(tensor:size(2), size * half)
    for n = 1, tensor:size(2) do
      local spectrum = torch.DoubleTensor(size, half, 2):zero()
      spectrum:select(3, 1):copy(spectra[n]:contiguous():view(size, half))
      kernels[m][n]:add(signal.irfft2(spectrum, size))
    end
  end
  tensor:copy(kernels:mul(gain / math.sqrt(fanIn) / kernels:std()))
end
