--- Master weights: an algorithm's steps on float32 copies of 16-bit parameters, which would lose steps smaller than half their last bit.
-- With `masterWeights = true` in its config, an algorithm stores the copies in its state, as `masters`; the other state is in float32,
-- too. If the program has written to a parameter since the last step, it is copied again.
-- Source: Micikevicius et al. (2018), "Mixed Precision Training", ICLR, section 3.1.
-- @module optim.masters
local torch, C = require 'torch', require 'libmoontorch'
local noGrad = require('autograd.mode').noGrad

local versionOf = C.versionOf

-- A master -> the versions of parameter and master when they were equal.
local known = setmetatable({}, { __mode = 'k' })

local function isShort(x)
  local kind = torch.isTensor(x) and C.dtypeOf(x)
  return kind == 'BFloat16' or kind == 'Half'
end

local function note(x, master)
  known[master] = { versionOf(x), versionOf(master) }
  return master
end

-- Whether a master from the state belongs to the parameter: one from a file has no versions, so its value decides.
local function serves(master, x)
  if not torch.isTensor(master) or C.dtypeOf(master) ~= 'Float' or master:device() ~= x:device() then return false end
  if not master:isSameSizeAs(x) then return false end
  local versions = known[master]
  if versions then return versions[1] == versionOf(x) end
  return torch.equal(master:type(x:type()), x:detach())
end

local function masterOf(x, held)
  if not isShort(x) then return x end
  return note(x, serves(held, x) and held or x:detach():float())
end

-- Copies a step, or the point at which an algorithm needs the gradient, to the parameter.
local function follow(x, master)
  if rawequal(x, master) or versionOf(master) == known[master][2] then return end
  x:copy(master)
  note(x, master)
end

local function mapped(f, x, y)
  if type(x) ~= 'table' then return f(x, y) end
  local list = {}
  for i = 1, #x do list[i] = f(x[i], type(y) == 'table' and y[i] or nil) end
  return list
end

local function inFloat(gradient) return isShort(gradient) and gradient:float() or gradient end

local function hasShort(x)
  if type(x) ~= 'table' then return isShort(x) end
  for _, each in ipairs(x) do
    if isShort(each) then return true end
  end
  return false
end

local function finish(x, held, _, ...)
  noGrad(mapped, follow, x, held)
  return x, ...
end

local masters = {}

--- Returns whether a value is a tensor in 16 bits.
masters.isShort = isShort

--- Returns the float32 copy of a 16-bit parameter.
-- @tparam torch.Tensor x
-- @tparam ?torch.Tensor held the copy from the last step; a new one is made if it does not belong to x
-- @treturn torch.Tensor
masters.of = masterOf

--- Copies a step to the parameter.
-- @tparam torch.Tensor x parameter
-- @tparam torch.Tensor master its copy
masters.follow = follow

--- Returns whether a step needs copies.
-- @tparam torch.Tensor|{torch.Tensor,...} x
-- @param config
function masters.wanted(x, config) return type(config) == 'table' and config.masterWeights and hasShort(x) end

--- Runs the step on copies.
-- @string name of the algorithm's module, which is the function (opfunc, x, config, state) -> x, ...
-- @tparam function opfunc
-- @tparam torch.Tensor|{torch.Tensor,...} x
-- @tparam table config
-- @tparam ?table state
-- @return what the algorithm returns, x first
function masters.step(name, opfunc, x, config, state)
  state = state or config
  local held = noGrad(mapped, masterOf, x, state.masters)
  state.masters = held
  return finish(x, held, require(name)(function()
    noGrad(mapped, follow, x, held)
    local loss, gradient = opfunc(x)
    return loss, mapped(inFloat, gradient)
  end, held, config, state))
end

return masters
