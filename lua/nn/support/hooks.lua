--- Hooks of modules: functions that see, and may replace, inputs, outputs and gradients.
-- A module with hooks has methods of its own in its fields, which call the hooks around those of its class; so other modules pay nothing.
-- Under Torch7's protocol a private tape per group of hooks has the gradients of what they replace.
-- @module nn.support.hooks
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
local autograd = require 'autograd.core'
local private = require 'autograd.private_tape'
local nested = require 'nn.nested'

local rawget, rawset, rawequal, pcall, select, unpack = rawget, rawset, rawequal, pcall, select, unpack
local map, isTensor, detach = nested.map, C.isTensor, C.detach

local hooks = {}

-- The methods that a module with hooks has in its fields.
local replaced = {}

local function callAll(list, value, call)
  for _, entry in ipairs(list) do
    local result = call(entry.fn, value)
    if result ~= nil then value = result end
  end
  return value
end

local function versionsOf(value)
  local versions = {}
  for i, x in ipairs(nested.flatten(value, {})) do versions[i] = C.versionOf(x) end
  return versions
end

local function differ(a, b)
  for i = 1, math.max(#a, #b) do
    if a[i] ~= b[i] then return true end
  end
  return false
end

-- Calls the hooks of a list with a value on a private tape. Returns the value for the module, and, if a hook replaced it or changed it in
-- place, a function that returns the gradient by the original from that by the result.
local function apply(list, value, call)
  if #list == 0 then return value end
  if not C.gradMode() then return map(callAll(list, value, call), detach) end
  local made = private.new()
  local alias = map(value, private.input, made, true)
  local versions, leaves = versionsOf(alias), {}
  for i, x in ipairs(nested.flatten(alias, {})) do leaves[i] = made.inputs[x] or false end
  local done, result = private.call(made, {}, callAll, list, alias, call)
  if not done then error(result, 0) end
  if rawequal(result, alias) and not differ(versions, versionsOf(alias)) then return value end
  local function gradientBy(gradOutput)
    local outputs, gradients = nested.flatten(result, {}), {}
    nested.alongside(result, gradOutput, gradients, 0)
    for i = 1, #outputs do gradients[i] = gradients[i] or false end
    local found, byInput = private.gradients(made, outputs, gradients, true, false), {}
    for i, x in ipairs(nested.flatten(value, {})) do
      byInput[i] = leaves[i] and found[leaves[i]] or x.new():resize(x:size()):zero()
    end
    return nested.rebuild(value, byInput)
  end
  return map(result, detach), gradientBy
end

local function withInside(state, f, ...)
  local before = state.inside
  state.inside = true
  local done, result = pcall(f, ...)
  state.inside = before
  if not done then error(result, 0) end
  return result
end

--- Calls a method of a module without its hooks.
-- @tparam nn.Module module
-- @string method
-- @param ... its arguments
-- @return its first result
function hooks.without(module, method, ...)
  local state = rawget(module, '_hooks')
  if not state then return module[method](module, ...) end
  return withInside(state, module[method], module, ...)
end

function replaced.updateOutput(self, input)
  local state = rawget(self, '_hooks')
  local former = state.former
  if state.inside then return former.updateOutput(self, input) end
  if state.ownOutput ~= nil then self.output, state.ownOutput = state.ownOutput, nil end
  local used, before = apply(state.pre, input, function(f, value) return f(self, value) end)
  state.given, state.used, state.before = input, used, before
  local output, after = former.updateOutput(self, used), nil
  -- Hooks get a copy: the module's backward may need the output.
  if #state.post > 0 then
    local copy = map(output, function(x) return detach(x):clone() end)
    local result
    result, after = apply(state.post, copy, function(f, value) return f(self, used, value) end)
    if not rawequal(result, copy) then
      state.ownOutput, self.output, output = output, result, result
    end
  end
  state.after = after
  return output
end

-- Whether two inputs have the same tensors.
local function same(a, b)
  if rawequal(a, b) then return true end
  local left, right = nested.flatten(a, {}), nested.flatten(b, {})
  for i = 1, math.max(#left, #right) do
    if not rawequal(left[i], right[i]) then return false end
  end
  return #left > 0
end

-- Returns the arguments of a backward without the hooks that replaced the input and the output in the last forward.
local function original(state, input, gradOutput)
  if state.after then gradOutput = state.after(gradOutput) end
  if state.before and same(input, state.given) then input = state.used end
  return input, gradOutput
end

local function backward(method)
  return function(self, input, gradOutput, scale)
    local state = rawget(self, '_hooks')
    local former = state.former[method]
    if state.inside then return former(self, input, gradOutput, scale) end
    local ownInput, ownGradient = original(state, input, gradOutput)
    -- The class's method may read the output and the gradient that it left in the fields, and replaces them.
    local shown = self.output
    if state.ownOutput ~= nil then self.output = state.ownOutput end
    if state.ownGradInput ~= nil then self.gradInput, state.ownGradInput = state.ownGradInput, nil end
    local done, gradInput = pcall(withInside, state, former, self, ownInput, ownGradient, scale)
    self.output = shown
    if not done then error(gradInput, 0) end
    if method == 'accGradParameters' then return end
    local result = callAll(state.backward, gradInput, function(f, value) return f(self, value, gradOutput) end)
    if state.before and result ~= nil then result = state.before(result) end
    if not rawequal(result, gradInput) then state.ownGradInput, self.gradInput = gradInput, map(result, detach) end
    return self.gradInput
  end
end

replaced.backward, replaced.updateGradInput = backward 'backward', backward 'updateGradInput'
replaced.accGradParameters = backward 'accGradParameters'

-- Returns the input, and a function that marks the output of a call on the tape, so that the backward hooks of the module get the
-- gradients of both.
local function marked(self, state, input)
  local seen = {}
  local function call(gradInput)
    return callAll(state.backward, gradInput, function(f, value) return f(self, value, seen.gradOutput) end)
  end
  local tensors, isTracked = nested.flatten(input, {}), false
  for _, x in ipairs(tensors) do isTracked = isTracked or C.tracked(x) end
  if isTracked then
    local mark = autograd.Function {
      name = torch.type(self) .. ': input',
      forward = function(_, ...) return ... end,
      backward = function(_, ...)
        local results = {}
        nested.alongside(input, call(nested.rebuild(input, { ... })), results, 0)
        return unpack(results, 1, #tensors)
      end,
    }
    input = nested.rebuild(input, { mark(unpack(tensors)) })
  end
  return input, function(output)
    local results = nested.flatten(output, {})
    local mark = autograd.Function {
      name = torch.type(self) .. ': output',
      forward = function(_, ...) return ... end,
      backward = function(_, ...)
        seen.gradOutput = nested.rebuild(output, { ... })
        if not isTracked then call(nil) end
        return ...
      end,
    }
    return nested.rebuild(output, { mark(unpack(results)) })
  end
end

-- Computes on the caller's tape with all hooks: `compute` returns the output for an input.
local function onTape(self, input, compute)
  local state = rawget(self, '_hooks')
  if state.inside then return compute(input) end
  input = callAll(state.pre, input, function(f, value) return f(self, value) end)
  local mark = nil
  if #state.backward > 0 and C.gradMode() then input, mark = marked(self, state, input) end
  local output = callAll(state.post, compute(input), function(f, value) return f(self, input, value) end)
  return mark and mark(output) or output
end

function replaced.onTape(self, input)
  return onTape(self, input, function(given) return self._hooks.former.onTape(self, given) end)
end

local function pack(...) return { n = select('#', ...), ... } end

-- The call of a plain module, which may have several arguments and results.
function replaced._called(self, ...)
  local call = require('nn.support.plain').call
  local count, several, input = select('#', ...), false, ...
  if count > 1 then input = { ... } end
  local output = onTape(self, input, function(given)
    local results = count > 1 and pack(call(self, unpack(given, 1, count))) or pack(call(self, given))
    several = results.n > 1
    return several and { unpack(results, 1, results.n) } or results[1]
  end)
  if several and not isTensor(output) then return unpack(output, 1, table.maxn(output)) end
  return output
end

function replaced.keepsNothing() return false end

-- Puts the methods into the fields of a module.
local function install(module)
  local state = { pre = {}, post = {}, backward = {}, former = {}, own = {}, inside = false }
  local derived, own = module.derived, {}
  for name, value in pairs(derived) do own[name] = value end
  for name, method in pairs(replaced) do
    state.own[name], state.former[name] = rawget(module, name) or false, module[name]
    if derived[name] ~= nil and derived[name] == module[name] then own[name] = method end
  end
  state.own.derived = rawget(module, 'derived') or false
  for name, method in pairs(replaced) do rawset(module, name, method) end
  rawset(module, 'derived', own)
  rawset(module, '_hooks', state)
  return state
end

local function remove(module)
  local derived = rawget(module, '_derived')      -- may have put methods over those of hooks
  for name, value in pairs(module._hooks.own) do
    if derived and derived.own[name] == replaced[name] then derived.own[name] = value else rawset(module, name, value or nil) end
  end
  rawset(module, '_hooks', nil)
end

--- Restores, in the fields for a file, those of a module without hooks.
-- @tparam table fields
-- @tparam table state the field `_hooks`
function hooks.hide(fields, state)
  for name, value in pairs(state.own) do
    if fields[name] == replaced[name] or name == 'derived' then fields[name] = value or nil end
  end
  fields._hooks = nil
end

local Handle = {}
Handle.__index = Handle

--- Removes the hook. Further calls do nothing.
function Handle:remove()
  local state, rest = rawget(self.module, '_hooks'), {}
  if not state then return end
  for _, entry in ipairs(state[self.kind]) do
    if entry ~= self.entry then rest[#rest + 1] = entry end
  end
  state[self.kind] = rest      -- the former list may be in use
  if #state.pre + #state.post + #state.backward == 0 then remove(self.module) end
end

--- Registers a hook.
-- @tparam nn.Module module
-- @string kind pre, post or backward
-- @string method for messages
-- @tparam function fn
-- @return a handle
function hooks.register(module, kind, method, fn)
  check.callable(('%s: %s'):format(torch.type(module), method), 'fn', fn)
  local state, entry = rawget(module, '_hooks') or install(module), { fn = fn }
  local list = { unpack(state[kind]) }
  list[#list + 1] = entry
  state[kind] = list
  return setmetatable({ module = module, kind = kind, entry = entry }, Handle)
end

return hooks
