-- Learns to evaluate formulas such as (max 3 (min 1 4 0)) that come as random trees: `th examples/treelstm.lua`, and --help for more.
-- The network has the structure of its input: a recursive function traverses each tree, and a loop runs until its state converges. The tape
-- records the ops, so plain Lua control flow suffices. The last line printed is the accuracy on unseen trees.
-- Source of the cell: Tai, Socher & Manning (2015), "Improved Semantic Representations From Tree-Structured Long Short-Term Memory
-- Networks", ACL, section 3.1 (child-sum).
local here = arg and arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = here .. '/?.lua;' .. package.path

local torch = require 'torch'
local nn, optim = require 'nn', require 'optim'
local newCurve = require 'curve'

local command = torch.CmdLine()
command:text 'Learns to evaluate formulas that come as trees: th examples/treelstm.lua'
command:option('--trees', 6000, 'trees to learn from')
command:option('--test', 500, 'trees to test on')
command:option('--size', 32, 'size of states')
command:option('--batch', 16, 'trees a step')
command:option('--lr', 0.01, 'learning rate, falling to 0')
command:option('--seed', 1, 'of weights and trees')
command:option('--curve', 'treelstm.svg', "where a picture of the loss goes; '' draws none")
command:option('--threads', 1, 'number of threads')

-- Formulas: digits 0 to 4 are tokens 1 to 5.
local digits = 5
local operations = {
  [6] = function(a, b) return math.max(a, b) end,
  [7] = function(a, b) return math.min(a, b) end,
  [8] = function(a, b) return (a + b) % digits end,
}
local tokens = 8

-- A random tree {token, children...}; the deeper, the likelier a leaf.
local function randomTree(depth)
  if depth > 3 or torch.uniform() < 0.3 * depth then return { token = torch.random(digits) } end
  local tree = { token = torch.random(digits + 1, tokens) }
  for i = 1, tree.token == 8 and 2 or torch.random(2, 3) do tree[i] = randomTree(depth + 1) end
  return tree
end

-- The value of a formula, 0 to 4.
local function evaluate(tree)
  if #tree == 0 then return tree.token - 1 end
  local value = evaluate(tree[1])
  for i = 2, #tree do value = operations[tree.token](value, evaluate(tree[i])) end
  return value
end

local function newModel(size)
  return {
    embedding = nn.Embedding(tokens, size),
    input = nn.Linear(size, 3 * size), sum = nn.Linear(size, 3 * size, false),
    forget = nn.Linear(size, size), forgetState = nn.Linear(size, size, false),
    settle = nn.Linear(size, size), output = nn.Linear(size, digits),
  }
end

local function parametersOf(model)
  local list, names = {}, {}
  for name in pairs(model) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    for _, parameter in ipairs((model[name]:requiresGrad():parameters())) do list[#list + 1] = parameter end
  end
  return list
end

-- State h and cell c of a tree, from those of its children: a recursive function.
local function walk(model, tree, size)
  local x = model.embedding(torch.LongTensor { tree.token })
  local gates, cell = model.input(x), nil
  local forgetInput = #tree > 0 and model.forget(x)
  local sum
  for _, child in ipairs(tree) do
    local h, c = walk(model, child, size)
    sum = sum and torch.add(sum, h) or h
    local kept = torch.cmul(torch.sigmoid(torch.add(forgetInput, model.forgetState(h))), c)
    cell = cell and torch.add(cell, kept) or kept
  end
  if sum then gates = torch.add(gates, model.sum(sum)) end
  local opened = torch.sigmoid(torch.narrow(gates, 2, 1, 2 * size))
  local fresh = torch.cmul(torch.narrow(opened, 2, 1, size), torch.tanh(torch.narrow(gates, 2, 2 * size + 1, size)))
  cell = cell and torch.add(cell, fresh) or fresh
  return torch.cmul(torch.narrow(opened, 2, size + 1, size), torch.tanh(cell)), cell
end

-- Scores of the digits for a tree. The root's state is refined until it converges: a loop whose length depends on the data.
local function score(model, tree, size)
  local root = walk(model, tree, size)
  local h, steps = root, 0
  repeat
    local before = h
    h = torch.add(root, torch.tanh(model.settle(h)) * 0.5)
    steps = steps + 1
  until steps == 6 or torch.dist(h:detach(), before:detach()) < 0.1
  return model.output(h), steps
end

local function makeSet(count)
  local set = {}
  for i = 1, count do
    local tree = randomTree(0)
    set[i] = { tree = tree, class = evaluate(tree) + 1 }
  end
  return set
end

local function accuracy(model, set, size)
  local right = 0
  torch.noGrad(function()
    for _, sample in ipairs(set) do
      local _, best = score(model, sample.tree, size):max(2)
      if best[1][1] == sample.class then right = right + 1 end
    end
  end)
  return 100 * right / #set
end

local function say(text)
  io.write(text, '\n')
  io.flush()
end

local options = command:parse(arg or {})
torch.setnumthreads(options.threads)
torch.setdefaulttensortype 'torch.FloatTensor'
torch.manualSeed(options.seed)
local train, test = makeSet(options.trees), makeSet(options.test)
local model = newModel(options.size)
local parameters, criterion, config = parametersOf(model), nn.CrossEntropyCriterion(), {}
local steps, timer, loss = optim.Adam(parameters, config), torch.Timer(), nil
local curve = newCurve(options.curve, 'trees', { 'loss' })
for first = 1, #train, options.batch do
  config.learningRate = options.lr * (1 - (first - 1) / #train)
  steps:zeroGrad()
  local last, sum = math.min(first + options.batch - 1, #train), nil
  for i = first, last do
    local each = criterion((score(model, train[i].tree, options.size)), torch.LongTensor { train[i].class })
    sum = sum and torch.add(sum, each) or each
  end
  torch.div(sum, last - first + 1):backward()
  optim.clipGradNorm(parameters, 5)
  steps:step()
  local mean = sum:item() / (last - first + 1)
  loss = 0.98 * (loss or mean) + 0.02 * mean
  if math.floor(last / 1000) > math.floor((first - 1) / 1000) then
    say(('%6d trees, loss %.3f, %.1f s'):format(last, loss, timer:time().real))
    curve:add(last, { loss })
  end
end
say(('accuracy %.2f %%'):format(accuracy(model, test, options.size)))
