--[[
Recurrent layers as a package over nn, in the manner of the packages of the time: methods put into nn.Module, clones that share
parameters, an abstract class that keeps a clone a step, decorators over sequences. The step of one net is a graph.
]]
require 'torch'
require 'nn'
require 'nngraph'
require 'optim'

-- methods for every module ---------------------------------------------------------------------------------------------
local Module = nn.Module
Module.shared_parameters = { 'weight', 'bias' }
Module.shared_gradParameters = { 'gradWeight', 'gradBias' }

-- the shared tensors of a module and of all that is in its fields
local function eachShared(obj, names, f, met)
  if met[obj] then return end
  met[obj] = true
  for k, v in pairs(obj) do
    if torch.isTensor(v) then
      if names[k] and torch.isTypeOf(obj, 'nn.Module') then f(obj, k, v) end
    elseif type(v) == 'table' then
      eachShared(v, names, f, met)
    end
  end
end

-- a clone whose parameters are taken out while it is written, and are the original's afterwards
function Module:sharedClone(shareParams, shareGradParams, stepClone)
  shareParams = (shareParams == nil) and true or shareParams
  shareGradParams = (shareGradParams == nil) and true or shareGradParams
  if stepClone and self.dontStepClone then return self end
  local names = {}
  if shareParams then for _, n in ipairs(self.shared_parameters) do names[n] = true end end
  if shareGradParams then for _, n in ipairs(self.shared_gradParameters) do names[n] = true end end
  local owners = {}
  eachShared(self, names, function(obj, k, v) table.insert(owners, { obj, k, v }) end, {})
  for i, o in ipairs(owners) do o[1][o[2]] = o[3].new({ i }) end      -- its number represents the tensor
  local file = torch.MemoryFile('rw'):binary()
  file:writeObject(self)
  file:seek(1)
  local clone = file:readObject()
  file:close()
  for _, o in ipairs(owners) do o[1][o[2]] = o[3] end
  local count = 0
  eachShared(clone, names, function(_, _, v)
    v:set(owners[v[1]][3])
    count = count + 1
  end, {})
  assert(count == #owners)
  return clone
end

function Module:stepClone(shareParams, shareGradParams) return self:sharedClone(shareParams, shareGradParams, true) end

function Module:maxParamNorm(norm)
  for _, param in ipairs(self:parameters()) do
    if param:dim() > 1 then param:renorm(2, 1, norm) end
  end
end

function Module:gradParamClip(cutoff)
  local _, grads = self:parameters()
  local norm = 0
  for _, g in ipairs(grads) do norm = norm + math.pow(g:norm(), 2) end
  norm = math.sqrt(norm)
  if norm > cutoff then for _, g in ipairs(grads) do g:mul(cutoff / norm) end end
  return norm
end

nn.Container.extend = function(self, ...)
  for _, m in ipairs { ... } do self:add(m) end
  return self
end

-- nested tables of tensors -------------------------------------------------------------------------------------------------
local function recursiveCopy(t1, t2)
  if torch.type(t2) == 'table' then
    t1 = (torch.type(t1) == 'table') and t1 or {}
    for k in pairs(t2) do t1[k] = recursiveCopy(t1[k], t2[k]) end
    return t1
  end
  t1 = torch.isTensor(t1) and t1 or t2.new()
  return t1:resizeAs(t2):copy(t2)
end

local function recursiveAdd(t1, t2)
  if torch.type(t2) == 'table' then
    for k in pairs(t2) do recursiveAdd(t1[k], t2[k]) end
  else
    t1:add(t2)
  end
  return t1
end

-- a module that remembers its steps ------------------------------------------------------------------------------------------
assert(nn.AbstractRecurrent == nil and nn.Recursor == nil and nn.LSTM == nil and nn.Sequencer == nil)
local AbstractRecurrent, parent = torch.class('nn.AbstractRecurrent', 'nn.Container')

function AbstractRecurrent:__init(rho)
  parent.__init(self)
  self.rho = rho or 99999
  self.outputs, self.gradInputs, self.sharedClones = {}, {}, {}
  self.step = 1
end

function AbstractRecurrent:getStepModule(step)
  local stepmodule = self.sharedClones[step]
  if not stepmodule then
    stepmodule = self.recurrentModule:stepClone()
    self.sharedClones[step] = stepmodule
  end
  return stepmodule
end

function AbstractRecurrent:updateOutput(input)
  local output
  if self.train ~= false then
    output = self:_updateOutput(self:getStepModule(self.step), input)
  else
    output = self:_updateOutput(self.recurrentModule, input)
    self.outputs[self.step - 2] = nil
  end
  self.outputs[self.step] = output
  self.output = output
  self.step = self.step + 1
  self.backwardStep = nil
  return self.output
end

function AbstractRecurrent:backward(input, gradOutput, scale)
  self.backwardStep = self.backwardStep or self.step
  self.backwardStep = self.backwardStep - 1
  assert(self.backwardStep > 0, 'expecting as many backwards as forwards')
  self.gradInput = self:_backward(self.backwardStep, input, gradOutput, scale or 1)
  return self.gradInput
end

function AbstractRecurrent:forget()
  self.step, self.backwardStep = 1, nil
  self.outputs, self.gradState = {}, {}
  return self
end

function AbstractRecurrent:includingSharedClones(f)
  local modules = self.modules
  self.modules = { unpack(modules) }
  for _, clone in pairs(self.sharedClones) do table.insert(self.modules, clone) end
  local r = { f() }
  self.modules = modules
  return unpack(r)
end

function AbstractRecurrent:type(type, tensorcache)
  if not type then return parent.type(self) end
  self:forget()
  self.sharedClones = {}
  return parent.type(self, type, tensorcache)
end

function AbstractRecurrent:training()
  if self.train == false then self:forget() end
  return self:includingSharedClones(function() return parent.training(self) end)
end

function AbstractRecurrent:evaluate() return self:includingSharedClones(function() return parent.evaluate(self) end) end

-- any module: each step is its clone
local Recursor = torch.class('nn.Recursor', 'nn.AbstractRecurrent')

function Recursor:__init(module, rho)
  nn.AbstractRecurrent.__init(self, rho)
  self.recurrentModule = module
  self.modules[1] = module
end

function Recursor:_updateOutput(module, input) return module:updateOutput(input) end
function Recursor:_backward(step, input, gradOutput, scale) return self:getStepModule(step):backward(input, gradOutput, scale) end

-- {x, h} -> h, for a module given by the program
local Recurrence = torch.class('nn.Recurrence', 'nn.AbstractRecurrent')

function Recurrence:__init(module, sizes)
  nn.AbstractRecurrent.__init(self)
  self.recurrentModule = module
  self.modules[1] = module
  self.sizes, self.gradState = sizes, {}
end

function Recurrence:state(input, step)
  if self.outputs[step] then return self.outputs[step] end
  local zeros = {}
  for i, size in ipairs(self.sizes) do zeros[i] = input.new(input:size(1), size):zero() end
  return #zeros == 1 and zeros[1] or zeros
end

local function joined(input, state)
  if torch.isTensor(state) then return { input, state } end
  return { input, unpack(state) }
end

function Recurrence:_updateOutput(module, input)
  local output = module:updateOutput(joined(input, self:state(input, self.step - 1)))
  return recursiveCopy(nil, output)
end

function Recurrence:_backward(step, input, gradOutput, scale)
  if self.gradState[step] then gradOutput = recursiveAdd(recursiveCopy(nil, gradOutput), self.gradState[step]) end
  local gradInput = self:getStepModule(step):backward(joined(input, self:state(input, step - 1)), gradOutput, scale)
  local gradState = { unpack(gradInput, 2) }
  self.gradState[step - 1] = recursiveCopy(nil, #gradState == 1 and gradState[1] or gradState)
  return gradInput[1]
end

-- decorators over sequences ----------------------------------------------------------------------------------------------------
local Sequencer = torch.class('nn.Sequencer', 'nn.Container')

function Sequencer:__init(module)
  nn.Container.__init(self)
  if not torch.isTypeOf(module, 'nn.AbstractRecurrent') then module = nn.Recursor(module) end
  self.module = module
  self.modules[1] = module
  self._remember = 'neither'
end

function Sequencer:remember(mode)
  self._remember = mode or 'both'
  return self
end

function Sequencer:updateOutput(input)
  local isTensor = torch.isTensor(input)
  if not isTensor then assert(torch.type(input) == 'table', 'expecting input table') end
  if self._remember == 'neither' then self.module:forget() end
  self.tableoutput = {}
  for step = 1, isTensor and input:size(1) or #input do
    self.tableoutput[step] = recursiveCopy(nil, self.module:updateOutput(input[step]))
  end
  self.output = self.tableoutput
  if isTensor then
    self.output = self.tableoutput[1].new()
    self.output:resize(#self.tableoutput, unpack(self.tableoutput[1]:size():totable()))
    for step, y in ipairs(self.tableoutput) do self.output[step]:copy(y) end
  end
  return self.output
end

function Sequencer:backward(input, gradOutput, scale)
  local isTensor = torch.isTensor(input)
  local steps = isTensor and input:size(1) or #input
  assert((isTensor and gradOutput:size(1) or #gradOutput) == steps, 'gradOutput should have as many elements as input')
  local grads = {}
  for step = steps, 1, -1 do grads[step] = recursiveCopy(nil, self.module:backward(input[step], gradOutput[step], scale)) end
  self.gradInput = grads
  if isTensor then
    self.gradInput = torch.cat(grads, 1):viewAs(input)
  end
  return self.gradInput
end

local SequencerCriterion, criterion = torch.class('nn.SequencerCriterion', 'nn.Criterion')

function SequencerCriterion:__init(c)
  criterion.__init(self)
  self.criterion, self.clones, self.gradInput = c, {}, {}
end

function SequencerCriterion:updateOutput(input, target)
  self.output = 0
  for i, x in ipairs(input) do
    self.clones[i] = self.clones[i] or self.criterion:clone()
    self.output = self.output + self.clones[i]:forward(x, target[i])
  end
  return self.output
end

function SequencerCriterion:updateGradInput(input, target)
  for i, x in ipairs(input) do self.gradInput[i] = self.clones[i]:backward(x, target[i]) end
  return self.gradInput
end

-- rows of zeros stay zeros
local MaskZero, decorated = torch.class('nn.MaskZero', 'nn.Decorator')

function MaskZero:updateOutput(input)
  self.mask = input:norm(2, 2):eq(0):expand(input:size(1), self.modules[1]:updateOutput(input):size(2))
  self.output:resizeAs(self.modules[1].output):copy(self.modules[1].output)
  self.output:maskedFill(self.mask, 0)
  return self.output
end

function MaskZero:updateGradInput(input, gradOutput)
  self.masked = recursiveCopy(self.masked, gradOutput)
  self.masked:maskedFill(self.mask, 0)
  self.gradInput = decorated.updateGradInput(self, input, self.masked)
  return self.gradInput
end

function MaskZero:accGradParameters(input, _, scale) decorated.accGradParameters(self, input, self.masked, scale) end

-- use: shared clones ---------------------------------------------------------------------------------------------------------------
torch.manualSeed(11)
local mlp = nn.Sequential():extend(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
local twin = mlp:sharedClone()
local x = torch.randn(2, 3)
assert(mlp:forward(x):equal(twin:forward(x)) and mlp.output ~= twin.output)
twin:get(1).weight:mul(2)
assert(mlp:forward(x):equal(twin:forward(x)))
mlp:zeroGradParameters()
twin:forward(x)
twin:backward(x, torch.ones(2, 2))
local _, g1 = mlp:parameters()
assert(g1[1]:norm() > 0)
local apart = mlp:sharedClone(true, false)
apart:zeroGradParameters()
assert(g1[1]:norm() > 0 and apart:get(3).bias:storage() ~= nil)
apart:get(3).bias:fill(5)
assert(mlp:get(3).bias:min() == 5)
local norm = mlp:gradParamClip(0.5)
assert(norm > 0.5 and math.abs(mlp:gradParamClip(0.5) - 0.5) < 1e-12)

-- a step that is a graph -------------------------------------------------------------------------------------------------------------
local nIn, nHid, batch, steps = 3, 4, 2, 5
local function lstmStep()
  local input, c, h = nn.Identity()(), nn.Identity()(), nn.Identity()()
  local sums = nn.CAddTable()({ nn.Linear(nIn, 4 * nHid)(input):annotate { name = 'i2h' }, nn.Linear(nHid, 4 * nHid)(h) })
  local n1, n2, n3, n4 = nn.SplitTable(2)(nn.Reshape(4, nHid)(sums)):split(4)
  local nextC = nn.CAddTable()({ nn.CMulTable()({ nn.Sigmoid()(n2), c }), nn.CMulTable()({ nn.Sigmoid()(n1), nn.Tanh()(n4) }) })
  local nextH = nn.CMulTable()({ nn.Sigmoid()(n3), nn.Tanh()(nextC) })
  return nn.gModule({ input, c, h }, { nextC, nextH })
end
local recurrent = nn.Recurrence(lstmStep(), { nHid, nHid })
local rnn = nn.Sequential():add(nn.Sequencer(recurrent)):add(nn.Sequencer(nn.SelectTable(2))):add(nn.Sequencer(nn.Linear(nHid, 2)))
local inputs, weights = {}, {}
for t = 1, steps do inputs[t], weights[t] = torch.randn(batch, nIn), torch.randn(batch, 2) end
local params, grads = rnn:getParameters()
assert(params:nElement() == 4 * nHid * (nIn + nHid + 2) + 2 * (nHid + 1))

local function objective()
  local sum = 0
  for t, y in ipairs(rnn:forward(inputs)) do sum = sum + y:dot(weights[t]) end
  return sum
end
objective()
grads:zero()
local gradInputs = rnn:backward(inputs, weights)
assert(#recurrent.sharedClones == steps)
for _, clone in ipairs(recurrent.sharedClones) do
  assert(clone:parameters()[1]:storage() ~= nil and clone:parameters()[1]:equal(recurrent.recurrentModule:parameters()[1]))
end
local function check(flat, gradient)
  for i = 1, flat:nElement(), 7 do
    local kept = flat[i]
    flat[i] = kept + 1e-5
    local up = objective()
    flat[i] = kept - 1e-5
    local down = objective()
    flat[i] = kept
    assert(math.abs((up - down) / 2e-5 - gradient[i]) < 1e-7)
  end
end
check(params, grads:clone())
for t = 1, steps do check(inputs[t]:view(-1), gradInputs[t]:clone():view(-1)) end

-- tensors as sequences, memory between calls, evaluation -----------------------------------------------------------------------------
local plain = nn.Sequencer(nn.Linear(3, 2))
local seq = torch.randn(4, 2, 3)
local expected = plain.module.recurrentModule:forward(seq:view(8, 3)):clone()
assert((plain:forward(seq):view(8, 2) - expected):abs():max() < 1e-12)
assert(plain:backward(seq, torch.ones(4, 2, 2)):isSameSizeAs(seq))
local ok, message = pcall(plain.forward, plain, 3)
assert(not ok and message:find 'expecting input table')

rnn:evaluate()
assert(recurrent.recurrentModule.train == false and recurrent.sharedClones[2].train == false)
local whole = rnn:forward(inputs)
rnn:get(1):remember()
recurrent:forget()
local first = rnn:forward { inputs[1], inputs[2] }
local second = rnn:forward { inputs[3], inputs[4], inputs[5] }
assert((whole[2] - first[2]):abs():max() < 1e-12 and (whole[5] - second[3]):abs():max() < 1e-12)
rnn:get(1):remember('neither')
rnn:training()

local masked = nn.Sequencer(nn.MaskZero(nn.Linear(3, 2)))
local padded = { torch.randn(2, 3), torch.zeros(2, 3) }
assert(masked:forward(padded)[2]:norm() == 0 and masked:forward(padded)[1]:norm() > 0)
masked:backward(padded, { torch.ones(2, 2), torch.ones(2, 2) })

-- files and types ------------------------------------------------------------------------------------------------------------------------
local name = paths.tmpname()
torch.save(name, rnn)
local read = torch.load(name)
os.remove(name)
local a, b = rnn:forward(inputs)[steps]:clone(), read:forward(inputs)[steps]
assert((a - b):abs():max() < 1e-12)
read:float()
for t = 1, steps do inputs[t] = inputs[t]:float() end
assert((read:forward(inputs)[steps]:double() - a):abs():max() < 1e-5)
assert(torch.type(read:get(1).module.recurrentModule) == 'nn.gModule')

-- learning: remember the first of five numbers
local net = nn.Sequential():extend(nn.Sequencer(nn.Recurrence(lstmStep(), { nHid, nHid })), nn.SelectTable(-1), nn.SelectTable(2),
  nn.Linear(nHid, 1))
local mse = nn.MSECriterion()
local w, dw = net:getParameters()
local config, loss = { learningRate = 2e-2 }, nil
for _ = 1, 250 do
  local xs = {}
  for t = 1, 4 do xs[t] = torch.rand(16, nIn) end
  local target = xs[1]:narrow(2, 1, 1):clone()
  optim.adam(function()
    dw:zero()
    local y = net:forward(xs)
    loss = mse:forward(y, target)
    net:backward(xs, mse:backward(y, target))
    net:gradParamClip(5)
    return loss, dw
  end, w, config)
end
assert(loss < 0.02, loss)

local sc = nn.SequencerCriterion(nn.MSECriterion())
assert(sc:forward({ torch.ones(2), torch.zeros(2) }, { torch.zeros(2), torch.zeros(2) }) == 1)
assert(sc:backward({ torch.ones(2), torch.zeros(2) }, { torch.zeros(2), torch.zeros(2) })[1][1] == 1)
print 'ok'
