--- torch.config: the hardware and libraries that compute, and their speed.
-- @module torch.config
local C = require 'libmoontorch'
local clock = require 'torch.clock'
local torch = require 'torch'

-- Multiplies matrices of n x n floats for about 50 ms, after a first product that opens the library.
local function measured(n)
  local a, b, c = torch.FloatTensor(n, n):fill(0.5), torch.FloatTensor(n, n):fill(2), torch.FloatTensor(n, n)
  torch.mm(c, a, b)
  local started, count, elapsed = clock.monotonic(), 0, 0
  while elapsed < 0.05 do
    torch.mm(c, a, b)
    count, elapsed = count + 1, clock.monotonic() - started
  end
  return 2 * n ^ 3 * count / elapsed / 1e9
end

local size = 512

local function text(config)
  return table.concat({
    'Moontorch ' .. config.version,
    'kernels: ' .. config.target,
    'BLAS: ' .. (config.blas and config.blas .. (config.blasKernels and ' (' .. config.blasKernels .. ')' or '') or 'none, plain loops'),
    'oneDNN: ' .. (config.dnnlVersion or 'no'),
    ('threads: %d, processors: %d'):format(config.threads, config.cores),
    ('products of %d x %d floats: %.0f GFLOP/s'):format(size, size, config.gflops),
  }, '\n')
end

--- Describes what computes: to find out why a machine is slow, and for bug reports. It takes about 50 ms for a measurement.
-- @treturn table `version`; `target`, the instruction set of the kernels; `blas`, the library's file, nil for plain loops, and
--   `blasKernels`, the processor for which the library chose its kernels; `dnnl`, whether convolutions use oneDNN, and `dnnlVersion`, its
--   version; `threads` and `cores`; `gflops`, 1e9 operations per second in products of 512 x 512 floats. Printed, each is a line.
-- @usage print(torch.config())
return function()
  local blas, kernels, version = C.libraries()
  return setmetatable({
    version = C.version, target = C.cpuTarget(), blas = blas, blasKernels = kernels, dnnl = version ~= nil,
    dnnlVersion = version,
    threads = torch.getnumthreads(), cores = torch.getnumcores(), gflops = measured(size),
  }, { __tostring = text })
end
