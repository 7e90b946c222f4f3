--- The server's request handlers. The master process loads them and the model once, before it forks.
local ffi, torch, onnx = require 'ffi', require 'torch', require 'onnx'
local ngx = ngx      -- luacheck: ignore 113

local handlers = {}

torch.setnumthreads(1)                      -- a worker process is one thread; nginx starts as many as there are processors

local input, run      -- the tensor that requests fill, and the function that computes a tensor of scores from it
local pool            -- threads of this worker process

--- Loads an ONNX model with one input of float32: runs in the master process. The workers share the weights that it has packed, and its
-- pages of the file, which is mapped where the model keeps its weights beside it (external data).
-- @string path
function handlers.load(path)
  local model = onnx.load(path)
  local declared, sizes = model:inputs()[1], {}
  for i, size in ipairs(declared.sizes) do sizes[i] = type(size) == 'number' and size or 1 end      -- one example
  input = torch.FloatTensor(unpack(sizes)):zero()
  run = model:graph { [declared.name] = input }:prepare(input)
  run(input)
end

--- Runs in each worker process, after fork, since threads belong to the process that starts them.
function handlers.start()
  pool = require('threads').Threads(1, function() require 'torch' end)
end

local function say(status, text)
  ngx.status = status
  ngx.print(text, '\n')
end

-- Fills the input with numbers separated by commas. Returns an error message if they don't fit.
local function fillFromText(text)
  local p, count, size = input:data(), 0, input:nElement()
  for word in text:gmatch '[^,]+' do
    local number = tonumber(word)
    if not number then return ('%q, expected a number'):format(word:sub(1, 40)) end
    if count < size then p[count] = number end
    count = count + 1
  end
  if count ~= size then return ('%d numbers, expected %d'):format(count, size) end
end

-- Fills the input with the bytes of its float32 elements.
local function fillFromBytes(bytes)
  if #bytes ~= 4 * input:nElement() then return ('%d bytes, expected %d'):format(#bytes, 4 * input:nElement()) end
  ffi.copy(input:data(), bytes, #bytes)
end

--- POST /score: the model's scores of the body, which has the input's numbers: as text separated by commas, or as the bytes of float32
-- with the content type application/octet-stream.
function handlers.score()
  ngx.req.read_body()
  local body = ngx.req.get_body_data() or ''
  local fill = ngx.var.http_content_type == 'application/octet-stream' and fillFromBytes or fillFromText
  local problem = fill(body)
  if problem then return say(400, problem) end
  local scores = run(input):view(-1):totable()
  for i, score in ipairs(scores) do scores[i] = ('%.6g'):format(score) end
  say(200, table.concat(scores, ' '))
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

--- GET /memory: memory of this worker process, in KiB. Rss counts shared pages fully in each process, Pss divides them by the processes
-- that share them; private ones are those that only this process has.
function handlers.memory()
  collectgarbage()
  local file = io.open '/proc/self/smaps_rollup'
  local text = file and file:read '*a' or ''
  if file then file:close() end
  local function field(name) return text:match(('\n%s:%%s+(%%d+)'):format(name)) or '?' end
  say(200, ('%d: Rss %s, Pss %s, private %s, of Lua %d'):format(ngx.worker.pid(), field 'Rss', field 'Pss', field 'Private_Dirty',
    collectgarbage 'count'))
end

return handlers
