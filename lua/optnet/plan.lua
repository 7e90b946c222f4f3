--- Overrides methods of a network's modules to free results after their last use.
-- A plan has the fields events (the modules in the order in which they finish), releases (by event, the modules whose result is then
-- freed), field (the name of the field with results), position in the current pass, drops (whether buffers that only backward reads are
-- also freed), and own (methods that modules had as fields before).
-- @module optnet.plan
local C, run, storages = require 'libmoontorch', require 'nn.support.run', require 'optnet.storages'
local Module = require 'nn'.Module

local plan = {}

-- Computes an output without the buffers that backward would need.
local function inference(self, method, input)
  local previous = C.gradMode(false)
  if self.compute and method == Module.updateOutput then method = run.inference end
  local done, output = pcall(method, self, input)
  C.gradMode(previous)
  if not done then error(output, 0) end
  run.forget(self)
  return output
end

local function dropBuffers(module)
  for _, name in ipairs(module.keeps or {}) do
    if module[name] ~= nil then storages.empty(module[name]) end
  end
end

-- Called after a module: frees results without further readers. A pass in an order that differs from the recorded one frees nothing.
local function finished(made, module)
  local position = made.position + 1
  if made.events[position] ~= module then position = math.huge end
  made.position = position
  for _, released in ipairs(made.releases[position] or {}) do storages.empty(released[made.field]) end
  if made.drops then dropBuffers(module) end
end

-- The original method of a module, from its fields or its class.
local function original(made, module, name)
  local own = made.own[module]
  return own and own[name] or getmetatable(module)[name]
end

--- A module's forward in a network that is optimised for inference.
-- @tparam table made the plan
-- @tparam nn.Module module
-- @param input
-- @return its output
function plan.forward(made, module, input)
  if made.net == module then made.position = 0 end
  local output = inference(module, original(made, module, 'updateOutput'), input)
  finished(made, module)
  return output
end

--- A module's backward in a network that is optimised for training.
-- @tparam table made the plan
-- @tparam nn.Module module
-- @param input
-- @param gradOutput
-- @param ... the scale
-- @return its gradInput
function plan.backward(made, module, input, gradOutput, ...)
  if made.net == module then made.position = 0 end
  local gradInput = original(made, module, 'backward')(module, input, gradOutput, ...)
  finished(made, module)
  return gradInput
end

local function noBackward() error('Backward pass disabled! optnet.removeOptimization(net) enables it again', 3) end
local function noParameters() error('getParameters was disabled by optnet: optnet.removeOptimization(net) enables it again', 2) end

-- The functions load this file by `require`, so that files and copies of the network contain only the plan.
local function methodsOf(made, mode, hidesParameters)
  if mode == 'training' then
    return { backward = function(self, ...) return require('optnet.plan').backward(made, self, ...) end }
  end
  return {
    updateOutput = function(self, input) return require('optnet.plan').forward(made, self, input) end,
    updateGradInput = noBackward, accGradParameters = noBackward, backward = noBackward,
    getParameters = hidesParameters and noParameters or nil,
  }
end

--- Overrides the methods of a network's modules.
-- @tparam nn.Module net
-- @tparam table made the plan, without own and position
-- @string mode 'inference' or 'training'
-- @bool hidesParameters whether getParameters raises an error from now on
function plan.install(net, made, mode, hidesParameters)
  made.net, made.own, made.position = net, {}, math.huge
  local methods = methodsOf(made, mode, hidesParameters)
  for _, module in ipairs(net:listModules()) do
    if not made.own[module] then
      made.own[module] = {}
      for name, method in pairs(methods) do
        made.own[module][name] = rawget(module, name)
        rawset(module, name, method)
      end
    end
  end
  rawset(net, '__optnetPlan', function() return made, methods end)
end

--- Restores the methods.
-- @tparam nn.Module net
function plan.remove(net)
  local made, methods = net.__optnetPlan()
  for module, own in pairs(made.own) do
    for name in pairs(methods) do rawset(module, name, own[name]) end
  end
  rawset(net, '__optnetPlan', nil)
end

return plan
