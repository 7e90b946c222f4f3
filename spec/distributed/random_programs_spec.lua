-- torch.distributed: random programs of calls. Each result is compared with what the inputs of all ranks, which every rank knows, give by
-- plain ops in one process, bit for bit. MOONTORCH_SPEC_PROGRAMS=1000 runs more programs.
local torch = require 'torch'
local ranks = require 'spec.support.ranks'

local programs = tonumber(os.getenv 'MOONTORCH_SPEC_PROGRAMS') or 24

local code = [[
local seed, programs = SEED, PROGRAMS
local generator = torch.Generator()
torch.manualSeed(generator, seed)
local function random(a, b) return torch.random(generator, a, b) end

local kinds = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'Float', 'Double', 'Bool', 'BFloat16' }
local groups = { false, dist.newGroup { 0, 1 }, dist.newGroup { 1, 0 } }
if n > 2 then
  groups[#groups + 1] = dist.newGroup { 2, 0 }
  groups[#groups + 1] = dist.newGroup { 1 }
end

-- The tensors of all ranks of a group: small whole numbers, or in float and double any.
local function inputs(kind, sizes, count, layout)
  local list = {}
  for i = 1, count do
    local x = torch.DoubleTensor(torch.LongStorage(sizes))
    if (kind == 'Float' or kind == 'Double') and layout > 1 then x:normal(generator, 0, 1) else x:random(generator, 0, 3) end
    x = x:type(('torch.%sTensor'):format(kind))
    if layout == 3 then x = x:transpose(1, 2) end      -- not contiguous
    list[i] = x
  end
  return list
end

local function narrow(kind) return kind == 'Half' or kind == 'BFloat16' end

-- ((x1 + x2) + x3) + ..., 16-bit floats in float32
local function reduced(list, how, kind)
  local wide = narrow(kind) and 'torch.FloatTensor' or kind == 'Bool' and 'torch.ByteTensor' or list[1]:type()
  local sum
  for i, x in ipairs(list) do
    x = x:contiguous():type(wide)
    if i == 1 then
      sum = x:clone()
    elseif how == 'sum' or how == 'mean' then
      sum = torch.add(sum, x)
    elseif how == 'product' then
      sum = torch.cmul(sum, x)
    else
      sum = torch['c' .. how](sum, x)
    end
  end
  if how == 'mean' then sum = torch.div(sum, #list) end
  if kind == 'Bool' then sum = sum:gt(0) end
  return sum:type(list[1]:type())
end

local function same(what, x, expected)
  if not torch.equal(x:contiguous(), expected:contiguous()) then error(('seed %d: %s'):format(seed, what), 0) end
end

local calls = {}
function calls.broadcast(list, place, root, options)
  local x = list[place]:clone()
  return dist.broadcast(x, options.ranks[root], options), function(y) same('broadcast', y, list[root]) end
end
function calls.allReduce(list, place, _, options, how, kind)
  local x = list[place]:clone()
  return dist.allReduce(x, how, options), function(y) same('allReduce ' .. how, y, reduced(list, how, kind)) end
end
function calls.reduce(list, place, root, options, how, kind)
  local expected = place == root and reduced(list, how, kind) or list[place]
  return dist.reduce(list[place]:clone(), options.ranks[root], how, options), function(y) same('reduce ' .. how, y, expected) end
end
function calls.gather(list, place, root, options)
  return dist.gather(list[place], options.ranks[root], options), function(got)
    assert((got ~= nil) == (place == root))
    for i, y in ipairs(got or {}) do same('gather', y, list[i]) end
  end
end
function calls.allGather(list, place, _, options)
  return dist.allGather(list[place], options), function(got)
    for i, x in ipairs(list) do same('allGather', got[i], x) end
  end
end
function calls.scatter(list, place, root, options)
  local x = list[place]:clone():zero()
  return dist.scatter(x, place == root and list or nil, options.ranks[root], options), function(y) same('scatter', y, list[place]) end
end
function calls.reduceScatter(list, place, _, options, how, kind)
  -- rank i passes the list from position i on, so that it differs from rank to rank
  local mine, others = {}, {}
  for i = 1, #list do
    mine[i] = list[(place + i - 2) % #list + 1]
    others[i] = list[(i + place - 2) % #list + 1]
  end
  return dist.reduceScatter(mine, how, options), function(y) same('reduceScatter ' .. how, y, reduced(others, how, kind)) end
end
function calls.allToAll(list, place, _, options)
  local mine = {}
  for i = 1, #list do mine[i] = list[(place + i - 2) % #list + 1] end
  return dist.allToAll(mine, options), function(got)
    for i = 1, #list do same('allToAll', got[i], list[(i + place - 2) % #list + 1]) end
  end
end
function calls.message(list, place, root, options)
  local target = root % #list + 1
  if target == root then return nil, function() end end
  if place == root then return dist.send(list[root], options.ranks[target], options), function() end end
  if place ~= target then return nil, function() end end
  return dist.receive(list[place]:clone():zero(), options.ranks[root], options), function(y) same('receive', y, list[root]) end
end
local names = {}
for name in pairs(calls) do names[#names + 1] = name end
table.sort(names)

local function program()
  local running = {}
  for _ = 1, random(3, 8) do
    local group = groups[random(1, #groups)]
    local members = group and group.ranks or groups.all
    local name, kind, layout = names[random(1, #names)], kinds[random(1, #kinds)], random(1, 3)
    local isFloat = kind:find 'Float' or kind == 'Half' or kind == 'Double'
    local how = ({ 'sum', 'product', 'min', 'max', 'mean' })[random(1, isFloat and 5 or 4)]
    local length = ({ { 5000, 90000 }, { 300, 4000 } })[random(1, 8)] or { 1, 40 }
    local list = inputs(kind, { random(1, 4), random(unpack(length)) }, #members, layout)
    local root, async, tag = random(1, #members), random(1, 3) == 1, name == 'message' and random(0, 2) or nil
    local place
    for i, member in ipairs(members) do place = member == rank and i or place end
    if place then
      local options = setmetatable({ group = group or nil, async = async, tag = tag }, { __index = { ranks = members } })
      local result, check = calls[name](list, place, root, options, how, kind)
      if async and result then running[#running + 1] = { result, check } else check(result) end
    end
    if random(1, 3) == 1 and running[1] then
      local handle, check = unpack(table.remove(running, 1))
      check(handle:wait())
    end
  end
  for _, each in ipairs(running) do each[2](each[1]:wait()) end
end

groups.all = {}
for i = 1, n do groups.all[i] = i - 1 end
for _ = 1, programs do
  program()
  seed = seed + 1
  torch.manualSeed(generator, seed)
end
io.write 'ok'
]]

describe('random programs of torch.distributed', function()
  local function check(n, count, perMachine)
    local seed = torch.random(1, 2 ^ 30)
    local text = code:gsub('SEED', seed):gsub('PROGRAMS', math.ceil(count))
    for _, output in ipairs(ranks.run(n, text, perMachine)) do assert.equal('ok', output) end
  end

  for n = 2, 4 do
    it(('give what their inputs give in one process, on %d ranks'):format(n), function() check(n, programs / 3) end)
    it(('give the same among %d machines'):format(n), function() check(n, programs / 3, 1) end)
  end

  it('give the same among machines of two and of several ranks', function()
    check(3, programs / 3, 2)
    check(4, programs / 3, 2)
    check(8, programs / 12, 1)
  end)
end)
