--- Loss scaling for float16, whose smallest gradients would be 0: the loss is multiplied, and the gradients are divided before the step. If
-- gradients are not finite, the step is skipped and the scale decreases; after many finite ones, it increases.
-- Source: Micikevicius et al. (2018), "Mixed Precision Training", ICLR, section 3.2; the rule is that of PyTorch's torch.amp.GradScaler.
-- @usage local scaler = optim.GradScaler()
-- local loss = torch.autocast('float16', function() return criterion(net(x), y) end)
-- scaler:scale(loss):backward()
-- scaler:step(optimiser)      -- or, by Torch7's protocol, scaler:step(optim.sgd, opfunc, x, config): opfunc's gradients are scaled
-- scaler:update()
-- @classmod optim.GradScaler
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
local optim, lists = require 'optim', require 'optim.lists'
local RowGradient = require 'autograd.row_gradient'
local noGrad = require('autograd.mode').noGrad
local kindOf = require('torch.check.message').kind

local GradScaler = torch.class 'optim.GradScaler'

local largest = 3.4028234663852886e38                              -- of float32

-- scaler -> its calls since the last update: optimiser or gradients -> {found by device, stepped}
local records = setmetatable({}, { __mode = 'k' })

local fields = { 'scale', 'growthFactor', 'backoffFactor', 'growthInterval', 'growthTracker' }

local function set(scaler, where, options)
  local function number(name, bounds) return check.number(where, name, options[name], bounds) end
  scaler.currentScale = number('scale', { min = 1e-45, max = largest })
  scaler.growthFactor = number('growthFactor', { min = 1 })
  scaler.backoffFactor = number('backoffFactor', { min = 0, max = 1 })
  scaler.growthInterval = check.int(where, 'growthInterval', options.growthInterval, { min = 1 })
  scaler.growthTracker = check.int(where, 'growthTracker', options.growthTracker, { min = 0 })
end

--- @tparam[opt] table options scale (65536), the start value; growthFactor (2), by which the scale grows after growthInterval (2000) steps
--   with finite gradients; backoffFactor (0.5), by which it shrinks after one without; enabled (true): with false, all methods return their
--   arguments unchanged
function GradScaler:__init(options)
  options = check.options('optim.GradScaler', options, { 'scale', 'growthFactor', 'backoffFactor', 'growthInterval', 'enabled' })
  check.flag('optim.GradScaler', 'enabled', options.enabled)
  self.enabled = options.enabled ~= false
  set(self, 'optim.GradScaler', {
    scale = options.scale or 65536, growthFactor = options.growthFactor or 2, backoffFactor = options.backoffFactor or 0.5,
    growthInterval = options.growthInterval or 2000, growthTracker = 0,
  })
end

--- Returns the scale.
-- @treturn number 1 if it is not enabled
function GradScaler:getScale() return self.enabled and self.currentScale or 1 end

local function scaled(value, scale)
  if type(value) == 'number' then return value * scale end
  if torch.isTensor(value) and value:isFloatingPoint() then
    -- A 16-bit loss would overflow.
    if value:nElement() == 1 and value:elementSize() == 2 then
      value = torch.to(value, 'float32')
    end
    return torch.mul(value, scale)
  end
  if type(value) ~= 'table' or torch.typename(value) then
    check.raise(('optim.GradScaler.scale: loss: %s, expected a number, a tensor of floats or a list of them'):format(kindOf(value)))
  end
  local list = {}
  for i, part in ipairs(value) do list[i] = scaled(part, scale) end
  return list
end

--- Multiplies a loss by the scale, or the gradient of one, from Torch7's criteria.
-- @param loss a number, a tensor, or a list of them; not changed. The result for a single 16-bit element is in float32
-- @return the same, scaled
function GradScaler:scale(loss)
  if not self.enabled then return loss end
  return scaled(loss, self.currentScale)
end

local function recordOf(scaler, key)
  local all = records[scaler] or {}
  records[scaler] = all
  all[key] = all[key] or {}
  return all[key]
end

-- Returns the gradients of an optimiser's parameters; for a tensor or list of them, those of tracked ones, and others unchanged.
local function gradientsOf(where, what)
  local isObject = type(what) == 'table' and torch.typename(what) ~= nil
  local tensors = torch.isTensor(what) and { what } or isObject and what.parameters or what
  if type(tensors) ~= 'table' then
    check.raise(('%s: optimiser: %s, expected an optimiser, or a list of parameters or gradients'):format(where, kindOf(what)))
  end
  local list, met = {}, {}                                         -- tied parameters may occur twice
  for i, x in ipairs(tensors) do
    check.tensor(where, 'optimiser: tensor ' .. i, x)
    local gradient = x
    if isObject or C.tracked(x) then gradient = x.grad end
    if RowGradient.is(gradient) then gradient = gradient:coalesce():values() end
    if gradient and not met[x] then list[#list + 1] = gradient end
    met[x] = true
    if gradient and C.dtypeOf(gradient) == 'Half' then
      check.raise(('%s: gradient %d: a %s, expected one of float32: what is too small there is lost with the scale; '
        .. 'parameters stay in float32 under torch.autocast'):format(where, i, gradient:type()))
    end
  end
  return list
end

local function unscaleInto(record, scaler, gradients)
  record.found = noGrad(lists.scale, gradients, 1 / scaler.currentScale)
end

-- Whether something was not finite; only here the host waits.
local function isFound(record)
  if record.any == nil then
    record.any = false
    for _, flag in ipairs(record.found) do record.any = record.any or flag[1] ~= 0 end
  end
  return record.any
end

--- Divides gradients by the scale, in place, for code that reads them before the step: optim.clipGradNorm, for example.
-- @param optimiser an object of a class such as optim.Adam, for the gradients of its parameters; or the tensor or list of gradients that
--   an opfunc returns
-- @raise if they have already been divided since the last update
function GradScaler:unscale(optimiser)
  if not self.enabled then return end
  local where = 'optim.GradScaler.unscale'
  local gradients = gradientsOf(where, optimiser)
  local record = recordOf(self, optimiser)
  if record.found then
    check.raise(where .. ': optimiser: ' .. (record.stepped and 'its step was made' or 'its gradients were unscaled')
      .. ' already since the last update')
  end
  unscaleInto(record, self, gradients)
end

-- Lets processes with different gradients decide alike: `f` gets whether something was not finite here, returns whether it was anywhere.
function GradScaler:_agree(optimiser, f)
  local record = recordOf(self, optimiser)
  record.any = f(isFound(record))
end

local function stepOfObject(scaler, optimiser)
  local where = 'optim.GradScaler.step'
  if not scaler.enabled then
    optimiser:step()
    return true
  end
  local gradients = gradientsOf(where, optimiser)
  local record = recordOf(scaler, optimiser)
  if record.stepped then check.raise(where .. ': optimiser: its step was made already since the last update') end
  if not record.found then
    if #gradients == 0 then check.raise(where .. ': optimiser: none of its parameters has a gradient') end
    unscaleInto(record, scaler, gradients)
  end
  record.stepped = true
  if isFound(record) then return false end
  optimiser:step()
  return true
end

-- Algorithms that use no gradient at x, or more than one.
local function refuseSearch(algorithm)
  for name in ('nag lbfgs cg cmaes de FistaLS'):gmatch '%S+' do
    if algorithm == rawget(optim, name) then
      check.raise(('optim.GradScaler.step: optimiser: optim.%s, expected an algorithm that takes one gradient, at x'):format(name))
    end
  end
end

local function stepOfFunction(scaler, algorithm, opfunc, x, ...)
  refuseSearch(algorithm)
  check.callable('optim.GradScaler.step', 'opfunc', opfunc)
  if not scaler.enabled then
    local same, losses = algorithm(opfunc, x, ...)
    return same, losses, true
  end
  local loss, gradient = opfunc(x)
  local gradients = gradientsOf('optim.GradScaler.step', gradient)
  local record = recordOf(scaler, gradient)
  if not record.found then unscaleInto(record, scaler, gradients) end
  record.stepped = true
  if isFound(record) then return x, { loss }, false end
  local asked = false
  local same, losses = algorithm(function()
    if asked then check.raise 'optim.GradScaler.step: optimiser: it takes a second gradient, expected an algorithm that takes one, at x' end
    asked = true
    return loss, gradient
  end, x, ...)
  return same, losses, true
end

--- Runs a step of an optimiser, unless a gradient is infinite or NaN. Unscales the gradients first, unless that is done.
-- @param optimiser an object of a class such as optim.Adam; or a function such as optim.adam, followed by its arguments: opfunc, x,
--   config, state, where opfunc returns scaled gradients, which are changed
-- @treturn boolean whether the step ran; for a function, its results, x and the losses, come first
-- @raise if that optimiser's step has already run since the last update, or none of its parameters has a gradient
function GradScaler:step(optimiser, ...)
  if type(optimiser) == 'table' and type(optimiser.step) == 'function' then return stepOfObject(self, optimiser) end
  check.callable('optim.GradScaler.step', 'optimiser', optimiser)
  return stepOfFunction(self, optimiser, ...)
end

--- Updates the scale: it shrinks after a gradient that was not finite, and grows after growthInterval updates without one. Call it once per
-- iteration, after the steps of all optimisers.
-- @tparam[opt] number scale sets the scale instead
-- @raise if no gradients were checked since the last update
function GradScaler:update(scale)
  if not self.enabled then return end
  local all, found = records[self] or {}, false
  if scale ~= nil then
    self.currentScale = check.number('optim.GradScaler.update', 'scale', scale, { min = 1e-45, max = largest })
  else
    if next(all) == nil then check.raise 'optim.GradScaler.update: no step was made since the last update' end
    for _, record in pairs(all) do found = isFound(record) or found end
    self:_adapt(found)
  end
  records[self] = nil
end

function GradScaler:_adapt(found)
  if found then
    self.currentScale, self.growthTracker = self.currentScale * self.backoffFactor, 0
    return
  end
  self.growthTracker = self.growthTracker + 1
  if self.growthTracker < self.growthInterval then return end
  local grown = self.currentScale * self.growthFactor
  if grown <= largest then self.currentScale = grown end
  self.growthTracker = 0
end

--- Returns the state that a program needs to continue later: scale, growthFactor, backoffFactor, growthInterval, growthTracker. torch.save
-- also accepts the scaler itself.
-- @treturn table a new one
function GradScaler:state()
  local state = {}
  for _, name in ipairs(fields) do state[name] = self[name] end
  state.scale = self.currentScale
  return state
end

--- Restores a state.
-- @tparam table state result of `state`
function GradScaler:setState(state)
  local where = 'optim.GradScaler.setState'
  check.table(where, 'state', state)
  set(self, where, check.options(where, state, fields))
  records[self] = nil
end

return GradScaler
