--- nn modules and criteria from functions, and nn's classes as functions: `autograd.nn`, `autograd.auto`.
-- @module autograd.classic.auto
local torch, rethrow = require 'torch', require 'torch.start.rethrow'
local nn = require 'nn'
local scalars = require 'autograd.scalars'
local nnwrapper = require 'autograd.classic.nnwrapper'
local _ = nn.Module and nn.Criterion

local moduleClasses, criterionClasses = package.loaded['autograd.nn.module'], package.loaded['autograd.nn.criterion']

local function finish(done, ...)
  scalars.leave()
  if not done then rethrow.raise((...)) end
  return ...
end

local function run(f, ...)
  scalars.enter()
  return finish(rethrow.call(f, ...))
end

local function checkFunction(fn, what)
  if type(fn) ~= 'function' and type(fn) ~= 'table' then
    error('An autograd function must be specified as input to ' .. what, 3)
  end
end

-- Defines a class whose forward is its field `fn`, a function of the input and of `weight` and `bias`.
local function defineModule(name)
  local Auto, parent = torch.class('autograd.nn.module.' .. name, 'nn.Module', moduleClasses)

  function Auto:__init(fn, weight, bias)
    checkFunction(fn, 'AutoModule')
    parent.__init(self)
    self.fn = fn
    if weight then self:declare('weight', weight) end
    if bias then self:declare('bias', bias) end
  end

  function Auto:compute(input)
    return (run(self.fn, input, self.weight, self.bias))
  end

  return rawget(moduleClasses, name)
end

-- Defines a class whose loss is its field `fn`, a function of input and target; further results of fn are stored in `predictions`.
local function defineCriterion(name)
  local Auto, parent = torch.class('autograd.nn.criterion.' .. name, 'nn.Criterion', criterionClasses)

  function Auto:__init(fn)
    checkFunction(fn, 'AutoCriterion')
    parent.__init(self)
    self.fn = fn
  end

  function Auto:compute(input, target)
    local loss, predictions = run(self.fn, input, target)
    self.predictions = torch.isTensor(predictions) and predictions:detach() or predictions
    return loss
  end

  return rawget(criterionClasses, name)
end

-- A saved object contains its function: its class is created when a file or a program needs it. (Defining a class looks the class up.)
local function onDemand(define)
  local underWay = {}
  return { __index = function(_, name)
    if underWay[name] then return nil end
    underWay[name] = true
    return define(name)
  end }
end
setmetatable(moduleClasses, onDemand(defineModule))
setmetatable(criterionClasses, onDemand(defineCriterion))

local function named(classes, what)
  return function(name)
    if type(name) ~= 'string' then error(('You must provide a name for your auto-differentiated %s.'):format(what), 2) end
    return function(fn, ...)
      checkFunction(fn, what == 'module' and 'AutoModule' or 'AutoCriterion')
      return classes[name](fn, ...)
    end
  end
end

local own = {
  AutoModule = named(moduleClasses, 'module'),
  AutoCriterion = named(criterionClasses, 'criterion'),
  module = moduleClasses,
  criterion = criterionClasses,
}

return {
  --- nn's constructors, which return functions; AutoModule and AutoCriterion, which return modules and criteria.
  nn = setmetatable(own, { __index = nnwrapper.nn }),
  --- The classes created so far.
  auto = setmetatable({}, { __index = function(_, name) return rawget(moduleClasses, name) or rawget(criterionClasses, name) end }),
}
