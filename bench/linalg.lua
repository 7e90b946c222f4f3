-- Decompositions for bench/linalg_peer.py: reads lines `op n float32|float64`, and prints the milliseconds of a call for each. The first
-- argument is the number of threads.
local torch = require 'torch'

torch.setnumthreads(tonumber(arg[1]))
torch.manualSeed(1)

local calls = {
  cholesky = function(m) return torch.cholesky(m.definite) end, lu = function(m) return torch.lu(m.a) end,
  qr = function(m) return torch.qr(m.a) end, eigh = function(m) return torch.symeig(m.definite, 'V') end,
  svd = function(m) return torch.svd(m.a) end, eig = function(m) return torch.eig(m.a, 'V') end,
  inverse = function(m) return torch.inverse(m.a) end, solve = function(m) return torch.solve(m.a, m.b) end,
  det = function(m) return torch.det(m.a) end,
}

local made = {}
local function matrices(n, dtype)
  local key = n .. dtype
  if not made[key] then
    local type = dtype == 'float32' and 'torch.FloatTensor' or 'torch.DoubleTensor'
    local a = torch.randn(n, n):type(type)
    made[key] = { a = a, b = torch.randn(n):type(type), definite = a * a:t() / n + torch.eye(n):type(type) }
  end
  return made[key]
end

for line in io.lines() do
  local op, n, dtype = line:match '(%w+) (%d+) (%w+)'
  local m, timer = matrices(tonumber(n), dtype), torch.Timer()
  calls[op](m)
  print(('%.4f'):format(timer:time().real * 1000))
  io.stdout:flush()
end
