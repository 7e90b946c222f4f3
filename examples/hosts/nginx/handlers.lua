--- The server's request handlers. The master process loads them once, before it forks.
local torch, nn = require 'torch', require 'nn'
local ngx = ngx      -- luacheck: ignore 113

local handlers = {}

torch.manualSeed(1)
torch.setnumthreads(1)                      -- a worker process is one thread; nginx starts as many as there are processors
local net = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 3), nn.SoftMax()):float()
net:evaluate()

local pool      -- of this worker process

--- Runs in each worker process, after fork, since threads belong to the process that starts them.
function handlers.start()
  pool = require('threads').Threads(1, function() require 'torch' end)
end

local function say(status, text)
  ngx.status = status
  ngx.print(text, '\n')
end

-- The argument `x`, numbers separated by commas, as a tensor; or nil and an error message.
local function vector(text, size)
  local x = torch.FloatTensor(size)
  local count = 0
  for word in (text or ''):gmatch '[^,]+' do
    count = count + 1
    local number = tonumber(word)
    if not number then return nil, ('x: %q, expected a number'):format(word) end
    if count <= size then x[count] = number end
  end
  if count ~= size then return nil, ('x: %d numbers, expected %d'):format(count, size) end
  return x
end

--- GET /predict?x=1,2,...: the network's output, computed within the request in some microseconds.
function handlers.predict()
  local x, problem = vector(ngx.var.arg_x, 8)
  if not x then return say(400, problem) end
  local y = net:forward(x)
  say(200, ('%.6f %.6f %.6f'):format(y[1], y[2], y[3]))
end

--- GET /solve?n=...: long work runs in a thread, while the process serves other requests. nginx's Lua waits for sockets and
-- timers only, so a timer checks whether the job is done; a host with an event loop can wait for `pool:eventfd()`.
function handlers.solve()
  local n = tonumber(ngx.var.arg_n)
  if not n or n < 1 or n > 2000 or n % 1 ~= 0 then return say(400, 'n: expected a whole number from 1 to 2000') end
  local answer
  pool:addjob(
    function()
      local a = torch.randn(n, n) + torch.eye(n) * n      -- luacheck: ignore 113
      local b = torch.ones(n, 1)
      return (a * torch.gesv(b, a) - b):abs():max()
    end,
    function(residual) answer = residual end)
  while answer == nil and not pool:haserror() do
    if pool:isready() then pool:dojob() else ngx.sleep(0.001) end
  end
  if pool:haserror() then return say(500, select(2, pcall(pool.synchronize, pool))) end
  say(200, ('residual below 1e-9: %s'):format(answer < 1e-9))
end

--- GET /memory: memory of this worker process.
function handlers.memory()
  collectgarbage()
  say(200, ('%d: %d KiB of Lua'):format(ngx.worker.pid(), collectgarbage 'count'))
end

return handlers
