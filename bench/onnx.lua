-- Moontorch's side of bench/onnx_peer.py: prepares a model of a file and measures as the driver asks.
--     th bench/onnx.lua MODEL THREADS INPUT ...
-- The first line of the answer has the elements of the first output. A line of the input, a number of runs, is answered with the
-- microseconds of the fastest run: of the processor with one thread, which other programs don't lengthen, else of the clock.
local torch, onnx = require 'torch', require 'onnx'

local path, threads, needed = arg[1], tonumber(arg[2]), {}
for i = 3, #arg do needed[arg[i]] = true end
torch.setnumthreads(threads)

-- Elements that the driver computes as well.
local function sample(declared)
  local sizes = {}
  for i, size in ipairs(declared.sizes) do sizes[i] = tonumber(size) or 1 end
  local count = 1
  for _, size in ipairs(sizes) do count = count * size end
  local steps = torch.range(0, count - 1):mul(7919):remainder(199)
  if declared.dtype:find '^float' then steps:div(199) end
  return torch.to(steps, declared.dtype):view(unpack(sizes))
end

local model = onnx.load(path)
local inputs, list = {}, {}
for _, declared in ipairs(model:inputs()) do
  if needed[declared.name] then                                                -- others have defaults
    inputs[declared.name] = sample(declared)
    table.insert(list, inputs[declared.name])
  end
end
local run = model:graph(inputs):prepare(unpack(list))

local function first(results) return torch.isTensor(results) and results or select(2, next(results)) end
local elements = {}
for i, element in ipairs(first(run(unpack(list))):contiguous():view(-1):totable()) do elements[i] = ('%.9g'):format(element) end
io.write(table.concat(elements, ' '), '\n')
io.flush()

local timer = torch.Timer()
local function seconds() return threads == 1 and os.clock() or timer:time().real end

for line in io.lines() do
  local best = math.huge
  for _ = 1, tonumber(line) do
    local before = seconds()
    run(unpack(list))
    best = math.min(best, seconds() - before)
  end
  io.write(('%.1f\n'):format(best * 1e6))
  io.flush()
end
