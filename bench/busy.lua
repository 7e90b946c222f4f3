-- Prints calls a second of some workloads with THREADS threads; bench/busy starts it and loads the machine: th busy.lua THREADS SECONDS
-- [REGEX]
local torch = require 'torch'
local now = require('torch.clock').monotonic

local threads, seconds, only = tonumber(arg[1]), tonumber(arg[2]), arg[3] or ''
torch.setnumthreads(threads)

local wide, square = torch.randn(500, 500), torch.randn(512, 512):float()
local x, images, weight = torch.randn(250, 400):float(), torch.randn(8, 192, 13, 13):float(), torch.randn(384, 192, 3, 3):float()
local system = torch.randn(512, 512)

local work = {
  { 'tanh', function() return torch.tanh(wide) end },                                  -- Moontorch's loops
  { 'add', function() return x:add(1e-9) end },                                        -- short loops
  { 'mm', function() return torch.mm(square, square) end },                            -- OpenBLAS in Moontorch's threads
  { 'conv', function() return torch.conv2d(images, weight, nil, 1, 1, 1, 1) end },     -- oneDNN
  { 'qr', function() return torch.qr(system) end },                                    -- OpenBLAS's own threads
}
for _, entry in ipairs(work) do
  local name, f = entry[1], entry[2]
  if name:find(only) then
    f()
    local start, calls = now(), 0
    while now() - start < seconds do
      f()
      calls = calls + 1
    end
    print(name, calls / (now() - start))
  end
end
