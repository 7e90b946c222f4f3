--- `df = autograd(f, options)`: creates the function that returns f's gradient, in torch-autograd's form.
-- f runs on the tape with new leaves instead of its parameters; the backward pass returns the gradients in the parameters' structure.
-- @module autograd.classic.differentiate
local torch, C = require 'torch', require 'libmoontorch'
local check, rethrow = require 'torch.check', require 'torch.start.rethrow'
local mode = require 'autograd.mode'
local node = require 'autograd.node'
local tape = require 'autograd.tape'
local grad = require('autograd.backward').grad
local trees, scalars = require 'autograd.classic.trees', require 'autograd.scalars'

local isTensor, tracked, detach = torch.isTensor, C.tracked, C.detach
local unpack = unpack

local differentiate = {}

-- Settings for functions created later.
local settings = { optimize = false, protected = false }

--- Sets or returns whether `optimize` is on for functions without this option. The tape does the work in either case.
-- @bool[opt] value
-- @treturn bool
function differentiate.optimize(value)
  if value ~= nil then settings.optimize = value end
  return settings.optimize
end

--- Sets or returns whether `protected` is on for functions without this option.
-- @bool[opt] value
-- @treturn bool
function differentiate.protected(value)
  if value ~= nil then settings.protected = value end
  return settings.protected
end

-- Returns a tracked result as a new result, so that gradients by it exclude its other uses.
local passOn = tape.declare('autograd input', detach, function(g) return g end)

local function leafOf(x)
  if tracked(x) then return passOn(x) end
  local leaf = detach(x)
  C.setNode(leaf, node.leaf(leaf))
  return leaf
end

-- Returns the type of the tensors that represent numbers: that of the first tensor among the arguments.
local function numberType(arguments)
  local found
  for i = 1, arguments.n do
    trees.each(arguments[i], function(x) found = found or (isTensor(x) and x:isFloatingPoint() and x:type()) end)
  end
  return found or torch.getdefaulttensortype()
end

-- Returns the parameters with leaves in place of tensors and numbers, and the leaves by their positions.
local function trackParameters(value, typename)
  local leaves = {}
  local followed = trees.map(value, function(x)
    local leaf
    if isTensor(x) and x:isFloatingPoint() then
      leaf = leafOf(x)
    elseif type(x) == 'number' then
      leaf = torch.getmetatable(typename).new { x }
      C.setNode(leaf, node.leaf(leaf))
    else
      return x
    end
    leaves[#leaves + 1] = leaf
    leaves[leaf] = { index = #leaves, number = type(x) == 'number' }
    return leaf
  end)
  return followed, leaves
end

-- Returns results for f's caller: plain tensors, and numbers for tensors that represent numbers.
local function plain(value)
  return trees.map(value, function(x)
    if scalars.is(x) then return x:item() end
    if isTensor(x) and tracked(x) then return detach(x) end
    return x
  end)
end

local function pack(...) return { n = select('#', ...), ... } end

-- Returns gradients of `loss` by the leaves in the structure of the parameters. If the loss doesn't depend on a leaf, its gradient is nil,
-- or zeros in optimized mode.
local function gradientsOf(loss, start, leaves, followed, create, since, optimize)
  local list = {}
  for i = 1, #leaves do list[i] = leaves[i] end
  local options = { gradOutputs = start, allowUnused = true, createGraph = create, retainGraph = create }
  if not create then options.since = since end
  local found = #list > 0 and tracked(loss) and grad(loss, list, options) or {}
  return trees.map(followed, function(x)
    local leaf = isTensor(x) and leaves[x]
    local g = leaf and found[leaf.index]
    if not g then
      if not leaf or not optimize then return nil end
      return leaf.number and 0 or x.new():resize(x:size()):zero()
    end
    return leaf.number and not create and g:item() or g
  end)
end

-- Checks f's first result.
local function checkLoss(loss, options)
  if isTensor(loss) and tracked(loss) and loss:nElement() == 1 then return end
  if type(loss) == 'number' or (isTensor(loss) and loss:nElement() == 1) then
    if options.optimize then return end
    error('A node type was not returned. This is either because a gradient was not defined, or the input is independent of the output', 0)
  end
  if options.optimize then
    error('invalid return value type from autograd function, autograd only supports scalar return values', 0)
  end
  print(loss)
  error('Autograd only supports scalar return values. Output is not scalar', 0)
end

local function anyTracked(arguments)
  local found = false
  for i = 1, arguments.n do
    trees.each(arguments[i], function(x) found = found or (type(x) == 'userdata' and isTensor(x) and tracked(x)) end)
  end
  return found
end

-- Runs `work` with tensors of one element as numbers; an error in it leaves torch unchanged.
local function withScalars(work, ...)
  scalars.enter()
  local results = pack(rethrow.call(mode.enableGrad, work, ...))
  scalars.leave()
  if not results[1] then rethrow.raise(results[2]) end
  return unpack(results, 2, results.n)
end

local function callPlain(f, arguments)
  local results = pack(f(unpack(arguments, 1, arguments.n)))
  for i = 1, results.n do results[i] = plain(results[i]) end
  return unpack(results, 1, results.n)
end

-- Copies new gradients into the same tensors at each call.
local function keepStable(kept, gradients)
  if torch.isTensor(gradients) then return kept and kept:copy(gradients) or gradients end
  if type(gradients) ~= 'table' then return gradients end
  kept = kept or {}
  for key in pairs(kept) do
    if gradients[key] == nil then kept[key] = nil end
  end
  for key, g in pairs(gradients) do kept[key] = keepStable(kept[key], g) end
  return kept
end

local function checkOptions(options)
  if options.stableGradients and not options.optimize then error('stable gradient tensors only available in optimized mode', 3) end
  if options.profile == 'detailed' and options.optimize then error('detailed profile not available in optimized mode', 3) end
end

local function withDefaults(options)
  local all = {}
  for name, value in pairs(check.table('autograd', 'options', options or {})) do all[name] = value end
  if all.optimize == nil then all.optimize = settings.optimize end
  if all.protected == nil then all.protected = settings.protected end
  all.gradArg = all.gradArg or 1
  if all.withForward == nil then all.withForward = true end
  if all.withGradients == nil then all.withGradients = true end
  all.partialGrad = all.partialGrad or not all.withForward
  return all
end

-- Calls df once. `stages` receives the completed stages, for profiles.
local function run(f, options, stages, arguments)
  local start
  if options.partialGrad then
    start = arguments[arguments.n]
    arguments.n = arguments.n - 1
  end
  local create = scalars.inside() and C.gradMode() or anyTracked(arguments)
  return withScalars(function()
    local position, since = options.gradArg, node.lastNumber()
    local followed, leaves = trackParameters(arguments[position], numberType(arguments))
    arguments[position] = followed
    stages 'forward'
    local results = pack(f(unpack(arguments, 1, arguments.n)))
    stages 'backward'
    if start == nil then
      checkLoss(results[1], options)
    elseif not isTensor(results[1]) or not tracked(results[1]) then
      checkLoss(0, options)
    end
    if options.inspect then options.inspect(results[1]) end
    local gradients = gradientsOf(results[1], start, leaves, followed, create, since, options.optimize)
    if not create then
      for i = 1, results.n do results[i] = plain(results[i]) end
    end
    stages 'done'
    if not options.withForward then return gradients end
    return gradients, unpack(results, 1, results.n)
  end)
end

local function noStages() end

local function finishStable(keep, gradients, ...) return keep(gradients), ... end

--- Makes the function that computes f's gradient.
-- @tparam function f (parameters, ...) -> loss, anything...; the loss is a number: `torch.sum(x)`, for example
-- @tparam[opt] table options gradArg (1): which argument is differentiated, a tensor, a number, or tables of them to any depth;
--   withForward, withGradients (true): what df returns; partialGrad (false): f may return a tensor, whose gradient is df's last argument;
--   stableGradients: the same tensors each time (with optimize); profile, profileReportFrequency, debugHook, showCode, dotFile: see
--   autograd.classic.inspection. optimize changes messages, and returns zeros for parameters that the loss doesn't depend on;
--   reduceFootprint, signatureFn and protected change nothing
-- @treturn function (parameters, ...) -> gradients, then all that f returned. Gradients have the parameters' structure; nil for one
--   that the loss doesn't depend on. Inside another differentiated function they are tracked
-- @raise when called: if the loss is not a number, or, without optimize, doesn't depend on the parameters
-- @usage local df = autograd(function(w, x) return torch.sum(torch.cmul(w, x)) end)
-- local gradient, loss = df(torch.ones(2), torch.Tensor { 3, 4 })   --> 3 4 and 7
function differentiate.make(f, options)
  if type(f) ~= 'function' and not (type(f) == 'table' and getmetatable(f) and getmetatable(f).__call) then
    error(('autograd: f: a %s, expected a function'):format(torch.type(f)), 2)
  end
  options = withDefaults(options)
  checkOptions(options)
  if not options.withGradients then
    return function(...) return callPlain(f, pack(...)) end
  end
  local stages = noStages
  if options.profile and options.profile ~= 'off' or options.showCode or options.dotFile then
    f, stages, options.inspect = require 'autograd.classic.inspection'.wrap(f, options)
  end
  local function df(...) return run(f, options, stages, pack(...)) end
  if options.stableGradients then
    local kept
    local function keep(gradients)
      kept = keepStable(kept, gradients)
      return kept
    end
    df = function(...) return finishStable(keep, run(f, options, stages, pack(...))) end
  end
  if not options.debugHook then return df end
  return function(...) return require('autograd.classic.inspection').debug(options.debugHook, df, ...) end
end

return differentiate
