--- Modules and criteria with 16-bit tensors compute in float32, and round once, at the end.
-- A single op does this by itself. A computation of several ops would round after each, and overflow if a float16 can represent the result
-- but not an intermediate value. Therefore the input and the tensors in the fields are converted to float32 while `compute` runs, and the
-- tape has them as conversions of the 16-bit tensors.
-- @module nn.support.wide
local C, torch = require 'libmoontorch', require 'torch'
local formula, nested = require 'autograd.formula', require 'nn.nested'
local noGrad = require('autograd.mode').noGrad

local wide = {}

local isTensor, dtypeOf, versionOf, detach = C.isTensor, C.dtypeOf, C.versionOf, C.detach
local narrowTypeOf = C.narrowTypeOf

--- Returns the type of the first float tensor in an input if that type has 16 bits, else nil.
function wide.typeOf(value)
  if isTensor(value) then return narrowTypeOf(value) end
  if type(value) ~= 'table' then return nil end
  for _, x in ipairs(nested.flatten(value, {})) do
    if x:isFloatingPoint() then return narrowTypeOf(x) end
  end
end

local views = {
  view = true, viewAs = true, reshape = true, squeeze = true, unsqueeze = true, expand = true, expandAs = true, contiguous = true,
  channelsLast = true, transpose = true, t = true, permute = true, narrow = true, select = true, unfold = true, clone = true, cat = true,
  neg = true, abs = true, relu = true, relu_grad = true, flip = true, sub_grad = true, select_grad = true,
}

-- Whether a program has a step that reads the rounded result of another one, directly or through ops that only move elements or are exact.
local function rounds(steps, outputs)
  local first, depths = 1, {}
  for _, step in ipairs(steps) do
    local depth = 0
    for i = 1, #step do
      if step[i][1] == 'step' then depth = math.max(depth, depths[step[i][2]]) end
    end
    if not views[step.op] then depth = depth + 1 end
    local results = C.opInfo(step.op, 'results')
    for k = first, first + results - 1 do depths[k] = depth end
    first = first + results
  end
  for _, output in ipairs(outputs) do
    if output[1] == 'step' and depths[output[2]] > 1 then return true end
  end
  return false
end

--- Returns whether a formula, or one of its gradients, consists of several ops, each of which would round.
-- @tparam table compiled result of autograd.formula.compile
function wide.isComposed(compiled)
  return rounds(compiled.forward, compiled.forward.outputs) or rounds(compiled.backward, compiled.backward.outputs)
end

--- Returns a table that does the same for a formula's text, which is its index. Results are cached.
-- @tparam function gradientOf returns the declared gradient with respect to the input for a text
-- @tparam function wantedOf returns the names of the tensors whose gradients are needed
function wide.composedTexts(gradientOf, wantedOf)
  return setmetatable({}, { __index = function(known, text)
    local done, compiled = pcall(formula.compile, text, wantedOf(text), nil, gradientOf(text))
    known[text] = not done or wide.isComposed(compiled)
    return known[text]
  end })
end

local left = { output = true, gradInput = true, _record = true }

-- Appends the 16-bit tensors in the fields of an object, and of objects in it, to `swapped`: {object, key, tensor}.
local function collect(object, swapped, seen, depth)
  seen[object] = true
  local isModule = torch.typename(object) ~= nil
  for key, value in next, object do
    if isTensor(value) then
      local isGradient = isModule and type(key) == 'string' and key:find '^grad%u'
      if not left[key] and not isGradient and narrowTypeOf(value) then swapped[#swapped + 1] = { object, key, value } end
    elseif type(value) == 'table' and not left[key] and not seen[value] and depth < 8 then
      collect(value, swapped, seen, depth + 1)
    end
  end
end

local function toFloat(x) return narrowTypeOf(x) and x:_as 'Float' or x end

-- Restores the fields. Tensors that `compute` modified or stored there are rounded.
local function restore(swapped, objects, dtype)
  for object in pairs(objects) do
    for key, value in next, object do
      if isTensor(value) and objects[object][key] ~= value and dtypeOf(value) == 'Float' and not left[key] then
        object[key] = detach(value):_as(dtype)
      end
    end
  end
  for _, field in ipairs(swapped) do
    local object, key, tensor, float = field[1], field[2], field[3], field[4]
    if rawequal(field.now, float) then
      object[key] = tensor
      if versionOf(float) ~= field.version then tensor:copy(float) end
    end
  end
end

-- Returns the float32 tensors in the fields of all visited objects.
local function floatsIn(seen)
  local objects = {}
  for object in pairs(seen) do
    objects[object] = {}
    for key, value in next, object do
      if isTensor(value) and dtypeOf(value) == 'Float' then objects[object][key] = value end
    end
  end
  return objects
end

--- Calls `compute` in float32.
-- @tparam table owner module or criterion
-- @string dtype the 16-bit type
-- @param input
-- @param target a criterion's
-- @return the output in that type; the input itself if it is modified in place
function wide.compute(owner, dtype, input, target)
  local swapped, seen, floats = {}, {}, {}
  collect(owner, swapped, seen, 0)
  for _, field in ipairs(swapped) do
    local float = floats[field[3]] or toFloat(field[3])
    floats[field[3]] = float
    field[4], field.version = float, versionOf(float)
  end
  for _, field in ipairs(swapped) do field[1][field[2]] = field[4] end
  local objects, given = floatsIn(seen), nested.map(input, toFloat)
  local done, output = pcall(owner.compute, owner, given, nested.map(target, toFloat))
  for _, field in ipairs(swapped) do field.now = field[1][field[2]] end
  noGrad(restore, swapped, objects, dtype)
  if not done then error(output, 0) end
  if isTensor(output) and rawequal(output, given) then return owner.inplace and input:copy(output) or input end
  return nested.map(output, function(x) return x:isFloatingPoint() and x:_as(dtype) or x end)
end

-- Whether a tensor in a field has more bits than the input; then the result has them, too.
local function hasWider(owner)
  for key, value in next, owner do
    if isTensor(value) and not left[key] and not narrowTypeOf(value) and value:isFloatingPoint() and value:nElement() > 0
      and not (type(key) == 'string' and key:find '^grad%u') then
      return true
    end
  end
  return false
end

--- Returns the function to call for an object: `compute`, or the same in float32.
-- @tparam table owner
-- @param input
-- @param target
-- @treturn function (owner, input, target)
function wide.functionOf(owner, input, target)
  local widens = owner.widens
  local dtype = widens and (narrowTypeOf(input) or type(input) == 'table' and wide.typeOf(input))
  if not dtype or C.autocast() or hasWider(owner) or widens ~= true and not widens(owner, input, target) then return owner.compute end
  return function(self, given, wanted) return wide.compute(self, dtype, given, wanted) end
end

return wide
