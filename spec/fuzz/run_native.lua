--- Calls every function of the native library with random arguments: `th spec/fuzz/run_native.lua [calls of each]`. The last line is the
-- name of the function whose call ended the process, or `done`. Among the arguments are nodes of the tape that were written into.
-- Left out: functions that trust an address from their caller (adopt, viewStorage, borrowStorage, capsuleOver), those that create files,
-- and those that make allocations fail.
local torch, nn = require 'torch', require 'nn'
require 'autograd'
local C = require 'libmoontorch'
local fuzz = require 'spec.support.fuzz'

local calls = tonumber(arg and arg[1]) or fuzz.calls(60)
local leftOut = { adopt = true, viewStorage = true, borrowStorage = true, capsuleOver = true, failAllocationsAfter = true, mapFile = true,
  memmapFile = true }
local gradMode, defaultDType, setThreads = C.gradMode, C.defaultDType, C.setThreads
local pick = fuzz.generator(1)

local function leaf() return torch.DoubleTensor { 1, 2, 3 }:requiresGrad() end
local words = { '', 'x', 'add', 'cmul', 'mul', 'index', 'expand', 'g', 'operand', 'size', 'extent', 'step', 'number', 'value', 'like',
  'tensor' }
local fields = { 'arity', 'view', 'keepSome', 'keep1', 'keep2', 'keep3', 'keepResult', 'gone', 'name', 'op', 'signature', 'negative',
                 'times', 'forward' }

local value

local function cyclic()
  local t = { 1, leaf() }
  t[1], t.list, t[3] = t, t, { t }
  return t
end

-- A node with other things in some of its slots.
local function node()
  local made = {
    function() return torch.cmul(leaf(), leaf()) end, function() return torch.narrow(leaf(), 1, 1, 2) end, leaf,
    function() return torch.index(leaf(), 1, torch.LongTensor { 1, 2 }) end, function() return torch.max(leaf():view(1, 3), 2) end,
  }
  local good, x = pcall(made[pick(#made)])      -- a hook that was set to a random value may raise an error
  local n = good and C.node(x)
  if not n then return good and x or leaf() end
  for _ = 1, pick(3) do n[pick(17) - 1] = pick(4) == 1 and n or value(2) end
  return pick(2) == 1 and n or x
end

local function list(depth)
  local t = {}
  for i = 1, pick(12) - 1 do t[i] = value(depth + 1) end
  for _, field in ipairs(fields) do
    if pick(6) == 1 then t[field] = value(depth + 1) end
  end
  return t
end

local makers = {
  function() return nil end, function() return pick(2) == 1 end, function() return pick(15) - 4 end,
  function() return fuzz.numbers[pick(#fuzz.numbers)] end, function() return words[pick(#words)] end,
  function() return fuzz.tensor(pick) end, leaf, function() return leaf() * 2 end, function() return C.node(leaf() * 2) end,
  function() return torch.LongStorage { 2, 3 } end, function() return torch.Generator() end, function() return newproxy(true) end,
  function() return print end, function() return coroutine.create(print) end, function() return {} end, function() return io.stdout end,
  function() return cyclic() end,
  function() return nn.Identity() end, function() return torch.DoubleTensor end, function() return _G end,
}

function value(depth)
  if depth < 3 and pick(6) == 1 then return list(depth) end
  if pick(6) == 1 then return node() end
  return makers[pick(#makers)]()
end

local graphs = C.graphs()

local function each(functions, prefix)
  local names = {}
  for name, f in pairs(functions) do
    if type(f) == 'function' and not leftOut[name] then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do
    io.write(prefix, name, '\n')
    io.flush()
    for _ = 1, calls do
      local arguments, count = {}, pick(11) - 1
      for i = 1, count do arguments[i] = value(0) end
      local _, result = pcall(functions[name], unpack(arguments, 1, count))
      pcall(graphs.endCapture, result)
      gradMode(true)
      defaultDType(6)
      setThreads(1)
    end
    collectgarbage()
  end
end

-- The same inside a backward pass, and passes over nodes that a program wrote to.
local inside = { 'record', 'setNode', 'release', 'declareVariant', 'declareOp', 'setListener', 'setWatcher', 'setRecorder' }
local passes = {}

function passes.hook()
  local y = torch.cmul(leaf(), leaf())
  y:registerHook(function()
    for _ = 1, pick(3) do
      pcall(C[inside[pick(#inside)]], pick(2) == 1 and pick(4) - 2 or value(1), value(1), value(1))
    end
  end)
  torch.add(torch.exp(y), y):sum():backward()
end

function passes.node()
  local x = node()
  local y = torch.sum(torch.add(torch.cmul(x, x), torch.select(x, 1, 1)))
  if pick(2) == 1 then y:backward() else require('autograd').grad(y, x) end
end

-- Anything in the place of a tensor's node, and a copy of one.
function passes.environment()
  local x, made = pick(2) == 1 and leaf() or torch.narrow(leaf() * 2, 1, 1, 2), value(1)
  if pick(3) == 1 then
    made = {}
    for slot, held in pairs(C.node(leaf() * 2)) do made[slot] = pick(4) == 1 and value(1) or held end
  end
  pcall(debug.setfenv, x, made)
  local uses = {
    function() torch.sum(torch.cmul(x, x)):backward() end, function() torch.sum(torch.exp(x)):backward(nil, { createGraph = true }) end,
    function() torch.narrow(x, 1, 1, 1):mul(2) end, function() torch.cat({ x, x }, 1):sum():backward() end,
    function() torch.max(x, 1):backward() end, function() x:registerHook(print) end, function() x.grad = x.grad end,
    function() x:zeroGrad():requiresGrad(false):set() end,
  }
  for _ = 1, 3 do pcall(uses[pick(#uses)]) end
end

each(passes, 'passes.')
each(C.nodes(), 'nodes.')
each(graphs, 'graphs.')
each(C.containers, 'containers.')
each(C.operators, 'operators.')
each(C.storageMethods, 'storageMethods.')
each(C.dlpack, 'dlpack.')
each({ export = C.arrow.export, addresses = C.arrow.addresses, exportStream = C.arrow.exportStream,
  streamAddress = C.arrow.streamAddress }, 'arrow.')

-- Methods of readers of text, mostly of one, on bytes.
local text, methods = torch.ByteStorage():string 'a,b\n1,"x"\n2021-03-04,\n', {}
text:resize(text:size() + 64)
for name, method in pairs(debug.getmetatable(C.delimited {}).__index) do
  methods[name] = function(...)
    local reader = C.delimited(value(0))
    pcall(reader.columns, reader, { { kind = 'text' }, { kind = 'category', names = value(0) } }, pick(3) - 1, pick(2) == 1)
    pcall(reader.read, reader, text, pick(8) - 1, pick(24), pick(2) == 1, 1, pick(4))
    method(pick(5) == 1 and value(0) or reader, ...)
    reader:take()
    reader:damage()
  end
end
each(methods, 'delimited.')
each(C, '')
io.write 'done\n'
