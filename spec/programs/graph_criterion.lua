--[[
Where is the dot? A graph with its criteria inside: coordinates by regression, the quadrant as a class, both losses added by the net itself.
The script looks into the nodes after a forward, copies the net by going through its tables, and draws it.
]]
require 'torch'
require 'nn'
require 'nngraph'
require 'optim'

local cmd = torch.CmdLine()
cmd:option('-seed', 11, 'of the generator')
cmd:option('-side', 8, 'pixels of a side')
cmd:option('-hidden', 24, 'units')
cmd:option('-steps', 120, 'of rmsprop')
cmd:option('-batch', 40, 'pictures a step')
cmd:option('-lr', 0.01, 'learning rate')
cmd:option('-alpha', 0.5, 'weight of the class')
local opt = cmd:parse(arg or {})

torch.manualSeed(opt.seed)

-- data ---------------------------------------------------------------------------------------------------------------------
local function draw(n)
  local x = torch.rand(n, 1, opt.side, opt.side):mul(0.1)
  local place, class = torch.Tensor(n, 2), torch.Tensor(n)
  for i = 1, n do
    local r, c = torch.random(opt.side), torch.random(opt.side)
    x[i][1][r][c] = 1
    place[i][1], place[i][2] = r / opt.side, c / opt.side
    class[i] = (r > opt.side / 2 and 2 or 0) + (c > opt.side / 2 and 1 or 0) + 1
  end
  return x, place, class
end

-- the net: {pictures, {places, classes}} -> loss, and the predictions ----------------------------------------------------------
local function build()
  local x, y = nn.Identity()():annotate{ name = 'pictures' }, nn.Identity()():annotate{ name = 'truth' }
  local place, class = y:split(2)
  local h = nn.ReLU()(nn.Linear(opt.side * opt.side, opt.hidden)(nn.View(-1, opt.side * opt.side)(x)))
  h:annotate{ name = 'hidden', description = 'units', graphAttributes = { color = 'red', style = '"filled,rounded"' } }
  local guess = nn.Sigmoid()(nn.Linear(opt.hidden, 2)(h)):annotate{ name = 'guess' }
  local scores = nn.LogSoftMax()(nn.Linear(opt.hidden, 4)(h)):annotate{ name = 'scores' }
  local byPlace = nn.MSECriterion()({ guess, place })
  local byClass = nn.ClassNLLCriterion()({ scores, class })
  local loss = nn.CAddTable()({ byPlace, nn.MulConstant(opt.alpha)(byClass) })
  local guesses = nngraph.nest({ guess, { scores } })
  return nn.gModule({ x, y }, { loss, guesses })
end

local net = build()
net.name = 'dots'
local params, grads = net:getParameters()

-- training -----------------------------------------------------------------------------------------------------------------------
local x, place, class = draw(opt.batch)
local noGuess = { torch.zeros(opt.batch, 2), { torch.zeros(opt.batch, 4) } }
local state, first, last = { learningRate = opt.lr }, nil, nil
for step = 1, opt.steps do
  x, place, class = draw(opt.batch)
  local function feval(p)
    if p ~= params then params:copy(p) end
    grads:zero()
    local out = net:forward({ x, { place, class } })
    local loss = out[1][1]
    net:backward({ x, { place, class } }, { torch.ones(1), noGuess })
    return loss, grads
  end
  local _, fs = optim.rmsprop(feval, params, state)
  first = first or fs[1]
  last = fs[1]
end
assert(last < 0.4 * first, ('%g of %g'):format(last, first))

-- the loss is the sum of its parts ----------------------------------------------------------------------------------------------------
local out = net:forward({ x, { place, class } })
local guess, scores = out[2][1], out[2][2][1]
local expected = nn.MSECriterion():forward(guess, place) + opt.alpha * nn.ClassNLLCriterion():forward(scores, class)
assert(math.abs(out[1][1] - expected) < 1e-10)
local _, best = scores:max(2)
local right = best:view(-1):eq(class:long()):sum() / opt.batch
assert(right > 0.5, right)

-- the contents of the nodes -------------------------------------------------------------------------------------------------------------
local named = {}
for _, node in ipairs(net.forwardnodes) do
  local name = node.data.annotations.name
  if name then named[name] = node end
end
assert(named.hidden.data.module.output:size(2) == opt.hidden)
assert(named.hidden.data.input[1] == named.hidden.data.module.output or named.hidden.data.input[1]:size(2) == opt.hidden)
assert(net.innode.data.input[1][1] == x)
assert(net.outnode.data.input[1] == out[1])

-- a copy, as packages copy: through all tables, without temporary fields ------------------------------------------------------
local function copyOf(value, made)
  if torch.isTensor(value) then
    made[value] = made[value] or value:clone()
    return made[value]
  elseif type(value) ~= 'table' then
    return value
  end
  if made[value] then return made[value] end
  local copy = {}
  made[value] = copy
  for k, v in pairs(value) do
    copy[type(k) == 'table' and copyOf(k, made) or k] = copyOf(v, made)
  end
  return setmetatable(copy, getmetatable(value))
end

local function depthOf(value, seen)
  if type(value) ~= 'table' then return 0 end
  assert(not seen[value], 'a cycle')
  seen[value] = true
  local depth = 0
  for _, v in pairs(value) do depth = math.max(depth, depthOf(v, seen)) end
  seen[value] = nil
  return depth + 1
end

for _, node in ipairs(net.forwardnodes) do
  assert(depthOf({ node.data.mapindex, node.data.reverseMap, node.data.input, node.data.annotations }, {}) > 1)
end
local twin = net:clone()
local byHand = copyOf({ net:parameters() }, {})
assert(#byHand[1] == #twin:parameters() and (byHand[1][1] - twin:parameters()[1]):abs():max() == 0)

-- conversion to another type keeps the nodes' contents
net:float()
assert(named.guess.data.input[1]:type() == 'torch.FloatTensor' and net.innode.data.input[1][1]:type() == 'torch.FloatTensor')
assert(x:type() == 'torch.DoubleTensor')
local difference = (net:forward({ x:float(), { place:float(), class:float() } })[1]:double() - out[1]):abs():max()
assert(difference < 1e-4, difference)
net:double()

-- a picture -----------------------------------------------------------------------------------------------------------------------------
local dot = net.fg:todot('dots')
assert(dot:find('color=red', 1, true) and dot:find('style="filled,rounded"', 1, true) and not dot:find('""', 1, true))
local file = paths.tmpname() .. '_dots'
graph.dot(net.fg, 'dots', file)
assert(paths.filep(file .. '.dot'))
os.remove(file .. '.dot')
os.remove(file .. '.svg')

-- errors that must be detected --------------------------------------------------------------------------------------------------------
local good, why = pcall(net.forward, net, { x, { place, class, class } })
assert(not good and why:find('split(2) cannot split 3 outputs', 1, true), why)
print(('loss %.3f -> %.3f, %d%% of the quadrants'):format(first, last, 100 * right))
print 'ok'
