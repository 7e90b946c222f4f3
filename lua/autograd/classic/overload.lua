--- Functions of other packages on the tape: `autograd.overload.module(name, package, fn)`.
-- A registered function accepts tracked tensors like an op: it runs on plain tensors and is recorded as one node with the registered
-- derivatives.
-- @module autograd.classic.overload
local torch, C = require 'torch', require 'libmoontorch'
local tape, saving = require 'autograd.tape', require('autograd.rules').saving
local nested = require 'nn.nested'
local mode = require 'autograd.mode'

local overload = {}

-- All replacements: {table, key, original, replacement}.
local replaced = {}

local function replace(container, key, make)
  local original = rawget(container, key)
  if original == nil then original = container[key] end
  if type(original) ~= 'function' then return end
  local replacement = make(original)
  rawset(container, key, replacement)
  replaced[#replaced + 1] = { container, key, original, replacement }
end

local function anyTracked(...)
  for i = 1, select('#', ...) do
    if nested.isTracked((select(i, ...))) then return true end
  end
  return false
end

-- Names of the arguments for rules.
local arguments = { 'a', 'b', 'c', 'd', 'e', 'f', 'h', 'i' }

-- Returns the rule of an argument whose gradient function uses the result and all arguments.
local function ruleOf(gradient)
  return saving('result, ...', function(g, ...) return gradient(g, ...) end)
end

local function missing(name, i)
  return function() error(('missing gradient for argument %d in function %s'):format(i, name), 0) end
end

-- Returns a plain result that is not one of the arguments, so that it can have a new node.
local function fresh(original)
  return function(...)
    local y = original(...)
    if type(y) == 'number' then
      local x
      for i = 1, select('#', ...) do
        local argument = select(i, ...)
        x = x or (torch.isTensor(argument) and argument:isFloatingPoint() and argument)
      end
      return x.new { y }
    end
    for i = 1, select('#', ...) do
      if rawequal(y, (select(i, ...))) then return C.detach(y) end
    end
    return y
  end
end

local function withGradients(name, gradients)
  return function(original)
    local rules = { arguments = arguments }
    for i = 1, #arguments do rules[i] = gradients[i] and ruleOf(gradients[i]) or missing(name, i) end
    local recorded = tape.declare(name, fresh(original), rules)
    return function(...)
      if C.gradMode() and anyTracked(...) then return recorded(...) end
      return original(...)
    end
  end
end

local function unsupported(name)
  return function(original)
    return function(...)
      if C.gradMode() and anyTracked(...) then error(('function %s not currently supported by autograd'):format(name), 0) end
      return original(...)
    end
  end
end

-- Runs on plain tensors; the result is a constant to the tape.
local function constant(original)
  return function(...) return mode.noGrad(original, ...) end
end

-- Returns methods of the object for registrations of functions of `container`; `prefix` goes before their names in messages.
local function registrar(container, prefix, named)
  local m = {}

  --- Registers derivatives: functions (g, result, arguments...); number k returns the gradient of argument k.
  function m.gradient(name, gradients)
    named[name] = true
    replace(container, name, withGradients(prefix .. name, gradients))
  end

  local function each(make)
    return function(...)
      for _, name in ipairs { ... } do
        named[name] = true
        if make then replace(container, name, make(prefix .. name)) end
      end
    end
  end

  --- Functions that call recorded ones: their calls are recorded.
  m.dynamic = each()
  m.ignore = each()
  --- Functions that create tensors, and functions of sizes: constants.
  m.initializer = each(function() return constant end)
  m.static = each(function() return constant end)
  --- Functions that raise an error for tracked tensors.
  m.unsupported = each(unsupported)

  --- All other functions of the table raise an error for tracked tensors.
  function m.defaultUnsupported()
    local names = {}
    for name, value in pairs(container) do
      if type(value) == 'function' and type(name) == 'string' and not named[name] then names[#names + 1] = name end
    end
    m.unsupported(unpack(names))
  end

  return m
end

local metamethods = { add = '__add', sub = '__sub', mul = '__mul', div = '__div', pow = '__pow', unm = '__unm' }

--- Registers functions of a package.
-- @tparam string name for messages
-- @tparam table container the package
-- @tparam function fn receives an object with gradient(name, {f1, f2, ...}), operator(name, gradients), dynamic(names...),
--   initializer(...), static(...), unsupported(...), ignore(...), defaultUnsupported(), and class(className, fn), whose fn receives such an
--   object for methods
function overload.module(name, container, fn)
  local m = registrar(container, name .. '.', {})

  --- Derivatives of an operator ('add', 'mul', ...) of the package's classes.
  function m.operator(operator, gradients)
    replace(container, metamethods[operator] or operator, withGradients(operator, gradients))
  end

  function m.class(className, define)
    local metatable = torch.getmetatable(className)
    if not metatable then error(('autograd.overload: class: %s is not known'):format(tostring(className)), 2) end
    local c = registrar(metatable, className .. '.', {})
    function c.operator(operator, gradients)
      replace(metatable, metamethods[operator] or '__' .. operator, withGradients(className .. '.' .. operator, gradients))
    end
    define(c)
  end

  fn(m)
end

local installed = {}

--- For custom runtimes: routes every registered function through `apply(original, ...)` until `uninstall`. Calls may be nested.
-- @tparam function apply
function overload.install(apply)
  local layer = {}
  for i, entry in ipairs(replaced) do
    local container, key, original = entry[1], entry[2], entry[3]
    layer[i] = { container, key, rawget(container, key) }
    rawset(container, key, function(...) return apply(original, ...) end)
  end
  installed[#installed + 1] = layer
end

--- Undoes the last `install`.
function overload.uninstall()
  local layer = table.remove(installed)
  for i = layer and #layer or 0, 1, -1 do rawset(layer[i][1], layer[i][2], layer[i][3]) end
end

return overload
