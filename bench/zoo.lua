-- Moontorch's side of bench/zoo_peer.py: makes a network of the zoo and measures as the driver asks.
--     th bench/zoo.lua NAME THREADS SIZE ...
-- SIZE ... is the shape of the input: numbers from a normal distribution, or tokens for a network of texts. A line of the input, "eager
-- RUNS" or "prepared RUNS", is answered with the microseconds of the fastest run; "generate TOKENS" with those of a token after a prompt of
-- 16; "memory" with the peak of the resident memory in MB. Times with one thread are those of the processor, which other programs don't
-- lengthen.
local torch, zoo = require 'torch', require 'zoo'

local name, threads, sizes = arg[1], tonumber(arg[2]), {}
for i = 3, #arg do sizes[#sizes + 1] = tonumber(arg[i]) end
torch.setdefaulttensortype 'torch.FloatTensor'
torch.setnumthreads(threads)
torch.manualSeed(0)

local net = zoo.make(name)
net:evaluate()
local isText = name:find 'MiniLM' or name:find 'gpt2'
local x = isText and torch.LongTensor(unpack(sizes)):random(1, 30000) or torch.randn(unpack(sizes))

-- The first output: pools of BERT and states of a recurrent network are not compared.
local function forward(input)
  local y = net(input)
  return torch.isTensor(y) and y or y[1]
end

local prepared
local forms = {}
function forms.eager() return forward(x) end
function forms.prepared()
  prepared = prepared or torch.graph.capture(forward, { x }):prepare(x)
  return prepared(x)
end

local timer = torch.Timer()
local function seconds() return threads == 1 and os.clock() or timer:time().real end

local function fastest(f, runs)
  local best = math.huge
  for _ = 1, runs do
    local before = seconds()
    f()
    best = math.min(best, seconds() - before)
  end
  return best
end

-- The time of a token after the first one.
local function generate(count)
  local ids = torch.LongTensor(16):random(1, 30000)
  local function time(tokens) return fastest(function() zoo.generate(net, ids, { maxNewTokens = tokens }) end, 2) end
  return (time(count + 1) - time(1)) / count
end

local function peak() return tonumber(io.open('/proc/self/status'):read '*a':match 'VmHWM:%s*(%d+)') / 1024 end

for line in io.lines() do
  local what, count = line:match '(%a+) ?(%d*)'
  local answer
  if what == 'memory' then
    answer = peak()
  elseif what == 'generate' then
    answer = generate(tonumber(count)) * 1e6
  else
    answer = torch.noGrad(function() return fastest(forms[what], tonumber(count)) end) * 1e6
  end
  io.write(('%.1f\n'):format(answer))
  io.flush()
end
