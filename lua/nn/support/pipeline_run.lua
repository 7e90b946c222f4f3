--- One step of one stage of a pipeline: its forward and backward passes in the order of a schedule, and the messages between them. A stage
-- that fails goes on with the messages alone, so that all stages end the step and can begin the next.
-- @module nn.support.pipeline_run
local torch, C = require 'torch', require 'libmoontorch'
local Function, messages, nested = require 'autograd.function', require 'nn.support.pipeline_messages', require 'nn.nested'
local clock = require('sys').clock

-- Tensors with given gradients as one that can begin a backward pass.
local withGradients = Function {
  name = 'nn.PipelineParallel',
  forward = function(ctx, gradients)
    ctx.gradients = gradients
    return torch.DoubleTensor(1):zero()
  end,
  backward = function(ctx) return nil, unpack(ctx.gradients, 1, table.maxn(ctx.gradients)) end,
}

local Run = {}
Run.__index = Run

-- Calls a part of the computation, which is left out after a failure.
local function try(self, f, ...)
  if self.failed then return nil end
  local done, result = pcall(f, ...)
  if done then return result end
  self.failed, self.problem = true, tostring(result)
end

local function receive(self, source, tag)
  local begun = clock()
  local value = messages.receive(source, { group = self.group, tag = tag })
  self.waited = self.waited + clock() - begun
  if value == nil then self.failed = true end
  return value
end

local function send(self, value, target, tag)
  if self.failed then value = nil end
  messages.send(value, target, { group = self.group, tag = tag }, self.handles)
end

-- Returns a value from another stage as leaves of this stage's tape.
local function leavesOf(value)
  for _, x in ipairs(nested.flatten(value, {})) do
    if x:isFloatingPoint() then x:requiresGrad() end
  end
  return value
end

local function compute(self, x, i)
  local function call() return self.module(x) end
  -- Averages over copies of the network are those of the last micro-batch's pass, which adds the others.
  if self.trains and self.module.noSync and i < self.count then return self.module:noSync(call) end
  return call()
end

-- Modules may write their next output into the same memory before this one has been sent.
local function copied(x) return x:detach():clone() end

local function forward(self, i)
  local x
  if self.previous then x = receive(self, self.previous, self.tag) else x = try(self, self.inputOf, i) end
  local y = try(self, function()
    if self.previous and self.trains then leavesOf(x) end
    local y = compute(self, x, i)
    local problem = self.next and messages.problem(y)
    if problem then error(('output: %s'):format(problem), 0) end
    if not self.next then return self.finish(y, i) end
    return self.trains and y or nested.map(y, copied)
  end)
  if self.trains then
    self.kept[i] = { x = self.previous and x, y = y }
    self.keptNow = self.keptNow + 1
    self.keptMost = math.max(self.keptMost, self.keptNow)
  end
  if self.next then send(self, y, self.next, self.tag) end
end

-- Returns the gradients of a message's tensors: zeros for those without one.
local function gradientsOf(value)
  local list = {}
  for i, x in ipairs(nested.flatten(value, {})) do list[i] = x.grad or x:detach():clone():zero() end
  return list
end

local function backward(self, i)
  local kept, gradients = self.kept[i], nil
  self.kept[i], self.keptNow = nil, self.keptNow - 1
  if self.next then gradients = receive(self, self.next, self.tag + 1) end
  local back = try(self, function()
    if not self.next then
      if torch.isTensor(kept.y) and C.tracked(kept.y) then kept.y:backward() end
    else
      local ys, gs, all = {}, {}, nested.flatten(kept.y, {})
      for k, y in ipairs(all) do
        if C.tracked(y) then ys[#ys + 1], gs[#gs + 1] = y, gradients[k] end
      end
      if #ys > 0 then withGradients(gs, unpack(ys)):backward() end
    end
    return self.previous and gradientsOf(kept.x)
  end)
  if self.previous then send(self, back, self.previous, self.tag + 1) end
end

--- Runs the actions of a stage.
-- @tparam table what `module`; `actions`; `count` of micro-batches; `group`, `tag` of messages to the next stage, one more to the previous;
-- `previous` and `next`, ranks; `trains`, or without gradients; `inputOf(i)` on the first stage; `finish(y, i)` on the last, which returns
-- the loss
-- @treturn table `problem`, nil or a text; `waited` and `seconds`; `kept`, the most micro-batches whose activations the stage kept
return function(what)
  local self = setmetatable(what, Run)
  self.handles, self.kept, self.keptNow, self.keptMost, self.waited, self.failed = {}, {}, 0, 0, 0, false
  local begun = clock()
  for _, action in ipairs(self.actions) do (action.kind == 'forward' and forward or backward)(self, action.batch) end
  local waits = clock()
  for _, handle in ipairs(self.handles) do handle:wait() end
  self.waited = self.waited + clock() - waits
  return { problem = self.problem, waited = self.waited, seconds = clock() - begun, kept = self.keptMost }
end
