--- Torch7's protocol for modules and criteria that define `compute`: a small private tape per object.
-- A forward runs `compute` on a tracked alias of the input, with private leaves in the parameters, and then restores the parameters. A
-- backward starts at the output and ends at those leaves. The record of a forward exists until the next forward, outside the object's
-- fields, so that copies and files don't include it.
-- As in Torch7, a backward uses the current parameters and buffers: changes since the forward raise no error.
-- @module nn.support.run
local torch, check, C = require 'torch', require 'torch.check', require 'libmoontorch'
local autograd = require 'autograd.core'
local private = require 'autograd.private_tape'
local nested, reshapeLike, explain = require 'nn.nested', require 'nn.support.reshape_like', require 'nn.support.explain'
local functionOf = require('nn.support.wide').functionOf

local run = {}

local gradMode, detach, sameSizes, isTensor, tracked = C.gradMode, C.detach, C.sameSizes, C.isTensor, C.tracked
local showsSame, isExclusive, alike, add = C.showsSame, C.isExclusive, C.alike, C.methods.add
local autocast = C.autocast
local versionOf, noGrad, takeOver, release = C.versionOf, autograd.noGrad, C.takeOver, C.release
local rawequal, rawget = rawequal, rawget
local map = nested.map

-- module -> record of its last forward: its private tape, with `input` and `target` (of a criterion), the arguments of compute; `versions`
-- and `targetVersions`, the versions of their tensors; and `output`.
-- A program's compute may store its module in functions that the record references, for example hooks. Such a record is in a field of the
-- module, because tables with weak keys keep all objects alive that their values reference.
local records = setmetatable({}, { __mode = 'k' })

-- compute -> whether a program defined it.
local isPrograms = setmetatable({}, { __mode = 'k', __index = function(known, compute)
  known[compute] = type(compute) == 'function' and check.isPrograms(compute)
  return known[compute]
end })

--- Declares that a function of Moontorch calls a program's, for `compute`.
-- @tparam function compute
function run.runsProgram(compute) isPrograms[compute] = true end

--- A tensor that a call on the tape left in a field for a gradient and for readers (for example the indices of a pooling) -> the tensor
-- that the last forward left there, which backward uses; false if there was none.
run.replaced = setmetatable({}, { __mode = 'k' })
local replaced = run.replaced

--- The field for such a record. Files don't include it.
run.field = '_record'

local function recordOf(owner)
  if not isPrograms[owner.compute] or owner.parameters == nil then return records[owner] end
  local made = rawget(owner, run.field)
  return made and made.owner == owner and made or nil               -- if a program copied all fields, the record is another module's
end

local function setRecord(owner, made)
  if not isPrograms[owner.compute] or owner.parameters == nil then
    records[owner] = made
  else
    if made then made.owner = owner end
    rawset(owner, run.field, made)
  end
end

--- Releases the record of the last forward. The next random numbers belong to a forward.
function run.forget(owner)
  local drawn = owner.draws and owner[owner.draws]
  if drawn then replaced[drawn] = nil end
  records[owner] = nil
  rawset(owner, run.field, nil)
end

local none = {}

-- Whether only the caller here refers to the object's results, so that they may be freed when the next one exists. If the collector freed
-- them, results of many passes would use memory that no cache holds.
local function keepsNothing(owner) return owner.letsGo ~= nil and owner.keepsNothing ~= nil and owner:keepsNothing() end

-- Releases a record that another one will replace.
local function letGo(made)
  release(made.output)
  if isTensor(made.input) then release(made.input) end
end

-- The versions of the tensors in tables, by their aliases.
local function versionsIn(value, alias)
  local versions = {}
  local function note(element, elementAlias)
    if isTensor(element) then
      versions[elementAlias] = versionOf(element)
    elseif type(element) == 'table' and type(elementAlias) == 'table' then
      for key, part in pairs(element) do note(part, elementAlias[key]) end
    end
  end
  if type(value) == 'table' then note(value, alias) end
  return versions
end

--- The number of active calls of `compute` whose gradient is needed, if gradients are on.
run.depth = 0

-- Computes and records. A gradInput of nil means that the gradient with respect to the input is not needed.
local function record(owner, parameters, input, extra)
  local former = recordOf(owner)
  if former and former.isOurs then
    setRecord(owner, nil)
    letGo(former)
  end
  local made = private.new(former)
  made.isCast = autocast() ~= false
  if owner.gradInput ~= nil then made.input = private.input(input, made, owner.inplace) end
  if made.input then
    made.versions = versionOf(input)
  else
    made.input = map(input, owner.gradInput == nil and detach or private.input, made, owner.inplace)
    made.versions = isTensor(input) and versionOf(input) or versionsIn(input, made.input)
  end
  if extra ~= nil then
    made.target = map(extra, detach)
    made.targetVersions = isTensor(extra) and versionOf(extra) or versionsIn(extra, made.target)
  end
  run.depth = run.depth + 1
  local done, output = private.call(made, parameters, functionOf(owner, made.input, extra), owner, made.input, extra)
  run.depth = run.depth - 1
  if not done then
    setRecord(owner, nil)
    explain.raise(owner, output, input, extra)
  end
  made.output, made.isOurs = output, owner.letsGo ~= nil and isTensor(output) and keepsNothing(owner)
  setRecord(owner, made)
  return made
end

local function serves(held, value)
  return isTensor(held) and (alike(held, value) or held:type() == value:type()) and not tracked(held)
end

-- Returns `value` as plain tensors. Tensors of `held` become views of them, in the same tables.
local function settled(held, value)
  if isTensor(value) then return serves(held, value) and held:set(value) or detach(value) end
  if not nested.isPlain(value) then return value end
  if not nested.isPlain(held) then held = {} end
  for key, element in pairs(value) do held[key] = settled(held[key], element) end
  return nested.trim(held, value)
end

-- Stores `value` in the object's field. Its former tensor, or the tables of a gradInput, become views of it, so that other references see
-- it. Tables of outputs are new, because programs keep states of recurrent layers and pass them back. `isOurs`: nothing else refers to the
-- tensor `value`, and the caller won't use it.
local function publish(owner, field, value, isOurs)
  local held = owner[field]
  if takeOver(held, value, isOurs) then return held end
  if isTensor(value) then
    owner[field] = detach(value)
  else
    local previous = gradMode(false)
    owner[field] = settled(field == 'gradInput' and held or nil, value)
    gradMode(previous)
  end
  return owner[field]
end

-- Returns the gradients of the record by leaf; false for leaves that the output doesn't depend on.
local function gradientsOf(owner, made, gradOutput, byInput, byParameters, sums)
  local output, given = made.output, {}
  if sameSizes(gradOutput, output) then return private.gradients(made, { output }, { gradOutput }, byInput, byParameters, sums) end
  if isTensor(output) then
    explain.gradient(owner, gradOutput, output)
    return private.gradients(made, { output }, { reshapeLike(gradOutput, output) }, byInput, byParameters, sums)
  end
  local outputs = nested.flatten(output, {})
  explain.gradient(owner, gradOutput, output)
  nested.alongside(output, gradOutput, given, 0)                   -- missing entries have no gradient
  for i = 1, #outputs do
    if given[i] then explain.gradient(owner, given[i], outputs[i]) end
    given[i] = given[i] and reshapeLike(given[i], outputs[i]) or false
  end
  return private.gradients(made, outputs, given, byInput, byParameters)
end

-- A single zero, expanded.
local function zeroLike(x)
  local sizes = {}
  for d = 1, x:dim() do sizes[d] = 1 end
  return x.new():resize(torch.LongStorage(sizes)):zero():expandAs(x)
end

local function byTensor(alias, leaves, found, taken, asOne)
  local leaf = leaves[alias]
  local g = leaf and found[leaf]
  if not g then return asOne and zeroLike(alias) or alias.new():resize(alias:size()):zero() end
  if taken[g] or not isExclusive(g) then return g:clone() end
  taken[g] = true
  return g
end

-- Returns the gradient with respect to each tensor of the input; zeros if the output doesn't depend on it, for example on integers. They
-- are dense and share no memory with gradOutput or each other, because programs modify them in place. In classes with the field
-- `unusedAsOne`, the gradient for inputs that the output doesn't depend on is a single zero, expanded.
local function inputGradient(made, found, gradOutput, asOne)
  if isTensor(made.input) then
    local leaf, input = made.inputs[1], made.input
    local single = leaf and found[leaf]
    if not single then return input.new():resize(input:size()):zero() end
    if rawequal(single, gradOutput) or not isExclusive(single) then return single:clone() end
    return single
  end
  local taken = {}
  for _, g in ipairs(nested.flatten(gradOutput, {})) do taken[g] = true end
  return map(made.input, byTensor, made.inputs, found, taken, asOne)
end

-- Whether `now` is the unchanged input of a record: the same tensors, or others that show the same memory in the same layout.
local function isSame(now, alias, versions)
  if showsSame(now, alias) then
    local version = versionOf(now)
    return version == versions or type(versions) == 'table' and version == versions[alias]
  end
  if isTensor(now) then return false end
  if type(now) ~= 'table' or type(alias) ~= 'table' then return now == alias end
  for key, element in pairs(now) do
    if not isSame(element, alias[key], versions) then return false end
  end
  return true
end

local function sameParameters(now, covered)
  for i = 1, #now do
    if not rawequal(now[i], covered[i]) then return false end
  end
  return #now == #covered
end

-- Returns the record that a backward for `input` needs: that of the last forward, or a new one if that forward had another input or other
-- parameters, or if its input has changed since.
-- Objects that draw numbers or change state in a forward (`once`), or overwrite their input, don't compute again.
local function recordFor(owner, parameters, input, extra)
  local made = recordOf(owner)
  if made and (owner.once or owner.inplace or input == nil) then return made end
  if made and isSame(input, made.input, made.versions) and sameParameters(parameters, made.covered)
    and (extra == nil and made.target == nil or isSame(extra, made.target, made.targetVersions)) then
    return made
  end
  if not owner.once then return record(owner, parameters, input, extra) end
  owner.repeated = true                                            -- another object, of which this is a copy, ran the forward
  local done, again = pcall(record, owner, parameters, input, extra)
  owner.repeated = nil
  if not done then error(again, 0) end
  return again
end

-- The forward of a module whose gradient needs only its fields: no record is necessary.
local function unrecorded(module, input)
  setRecord(module, nil)
  local previous = gradMode(false)
  local done, output = pcall(module.compute, module, input)
  gradMode(previous)
  return publish(module, 'output', explain.checked(module, done, output, input), keepsNothing(module) and not rawequal(output, input))
end

--- Returns whether autocast is on in a forward, or was on in the forward before this backward. A forward outside autocast releases a record
-- made under autocast.
function run.casts(owner, forward)
  if forward and autocast() then return true end
  local made = recordOf(owner)
  local isCast = made ~= nil and made.isCast
  if forward and isCast then setRecord(owner, nil) end
  return isCast and not forward
end

-- Whether the gradient with respect to the input comes from the module's fields, and not from a subclass's compute.
local function goesByFields(module)
  return module.byFields ~= nil and module.derived.compute == module.compute
end

-- The fields that a gradient needs in addition to the output.
local function keptFields(owner)
  return owner.keeps or owner.draws and { owner.draws } or none
end

-- The tape may save the result of compute, so that tensor must not change. An empty field belongs to no forward: then a backward uses the
-- call's tensor.
local function keepForward(owner, field, before)
  local now = owner[field]
  if not isTensor(now) or rawequal(before, now) then return end
  now = detach(now)
  owner[field] = now
  local forward = replaced[before]
  if forward == nil then forward = isTensor(before) and before:nElement() > 0 and before end
  replaced[now] = forward
end

-- The numbers that a module drew for a call stay in its field if no forward left its numbers there.
local function keepDrawn(module, before)
  local now = module[module.draws]
  if rawequal(before, now) then return end
  if isTensor(before) and before:nElement() > 0 and replaced[before] == nil then
    module[module.draws] = before
  else
    now = detach(now)                                              -- the tape may save the drawn numbers, so that tensor must not change
    module[module.draws], replaced[now] = now, false
  end
end

--- Calls `compute` on the caller's tape.
function run.onTape(owner, input, target)
  local drawn, fields, before = owner.draws, nil, nil
  if drawn or owner.keeps then
    fields, before = keptFields(owner), {}
    for i = 1, #fields do before[i] = owner[fields[i]] or false end
  end
  run.depth = run.depth + 1
  local done, output = pcall(functionOf(owner, input, target), owner, input, target)
  run.depth = run.depth - 1
  for i = 1, fields and #fields or 0 do
    if drawn then keepDrawn(owner, before[i]) else keepForward(owner, fields[i], before[i]) end
  end
  if not done then explain.raise(owner, output, input, target) end
  return output
end

-- Marks the tensors in the fields as those of a forward.
local function belongsToForward(owner)
  local fields = keptFields(owner)
  for i = 1, #fields do
    local value = owner[fields[i]]
    if value ~= nil then replaced[value] = nil end
  end
end

--- Runs a module's forward inside the `compute` of another: it becomes part of that record.
function run.inside(module, input)
  local output = module:onTape(input)
  belongsToForward(module)
  module.output = map(output, detach)
  return output
end

--- Torch7's updateOutput.
function run.forward(module, input)
  if module.draws or module.keeps then belongsToForward(module) end
  if module.byFields and goesByFields(module) and isTensor(input) and not autocast() then return unrecorded(module, input) end
  return publish(module, 'output', record(module, module:parameters() or none, input).output)
end

--- Torch7's updateOutput of a module whose methods are derived from `compute`, if no backward follows: it records nothing.
function run.inference(module, input)
  belongsToForward(module)
  return unrecorded(module, input)
end

-- Returns the gradient of a module that works in place: written over gradOutput.
local function inPlaceGradient(gradOutput, gradient)
  if not isTensor(gradient) or not sameSizes(gradient, gradOutput) then return gradient end
  return gradOutput:copy(gradient)
end

-- Returns the gradient with respect to the input from the fields of the last forward, even if a call on the tape has replaced them since.
local function byFields(module, input, gradOutput)
  local fields, now = keptFields(module), {}
  for i = 1, #fields do
    now[i] = module[fields[i]] or false
    module[fields[i]] = now[i] and replaced[now[i]] or module[fields[i]]
  end
  local done, gradient = pcall(module.byFields, module, input, gradOutput)
  for i = 1, #fields do
    if now[i] then module[fields[i]] = now[i] end
  end
  if not done then error(gradient, 0) end
  return gradient
end

-- gradients[i] = gradients[i] + scale * the gradient found for each leaf.
local function accumulate(gradients, scale, leaves, found)
  for i = 1, #leaves do
    local gradient = found[leaves[i]]
    if gradient and gradients[i] then add(gradients[i], scale, gradient) end
  end
end

--- Torch7's updateGradInput (byInput), accGradParameters (scale), or both in one pass.
function run.backward(module, input, gradOutput, byInput, scale)
  local useFields = byInput and module.byFields and module.gradInput ~= nil and goesByFields(module)
  if useFields and isTensor(gradOutput) and not run.casts(module) then
    local gradInput = noGrad(byFields, module, input, gradOutput)
    if gradInput then
      local isOurs = not rawequal(gradInput, gradOutput) and not rawequal(gradInput, input) and keepsNothing(module)
      return publish(module, 'gradInput', gradInput, isOurs)
    end
  end
  local parameters, gradients = module:parameters()
  if not byInput and not (parameters and #parameters > 0) then return module.gradInput end
  local made = recordFor(module, parameters or none, input)
  byInput = byInput and module.gradInput ~= nil
  local found = gradientsOf(module, made, gradOutput, byInput, scale ~= nil, scale == 1 and gradients or nil)
  if scale and gradients then
    local previous = gradMode(false)
    local done, message = pcall(accumulate, gradients, scale, made.parameters, found)
    gradMode(previous)
    if not done then error(message, 0) end
  end
  if not byInput then return module.gradInput end
  local gradInput = inputGradient(made, found, gradOutput, module.unusedAsOne)
  if module.inplace and isTensor(gradOutput) then gradInput = noGrad(inPlaceGradient, gradOutput, gradInput) end
  return publish(module, 'gradInput', gradInput, module.letsGo ~= nil and not rawequal(gradInput, gradOutput) and keepsNothing(module))
end

--- A criterion's updateOutput.
-- @treturn number inside a capture (torch.graph) a tensor with one element
function run.loss(criterion, input, target)
  local made = record(criterion, none, input, target)
  local loss = made.output
  if not isTensor(loss) then return loss end
  return (C.capturing() or criterion.reduction == 'none') and detach(loss) or loss:item()
end

--- A criterion's updateGradInput.
function run.lossGradient(criterion, input, target)
  local made = recordFor(criterion, none, input, target)
  local start = isTensor(made.output) and detach(made.output):clone():fill(1) or nil
  return publish(criterion, 'gradInput', inputGradient(made, start and gradientsOf(criterion, made, start, true, false) or none, start))
end

return run
