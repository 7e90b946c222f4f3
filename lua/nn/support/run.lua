--- Torch7's protocol for modules and criteria that say what they do as `compute`: a small private tape an object.
-- A forward runs `compute` on a tracked alias of the input while the parameters carry private leaves, then puts the parameters back as they
-- were; a backward walks from the output to those leaves. The record is kept until the next forward, apart from the object's fields, so
-- that copies and files don't see it.
-- Like Torch7, a backward takes parameters and buffers as they are now: changes since the forward raise nothing.
-- @module nn.support.run
local torch, check, C = require 'torch', require 'torch.check', require 'libmoontorch'
local autograd = require 'autograd.core'
local node, tape = require 'autograd.node', require 'autograd.tape'
local walk, onPaths = require 'autograd.walk', node.onPaths
local nested, sized, explain = require 'nn.nested', require 'nn.support.sized', require 'nn.support.explain'

local run = {}

local getNode, setNode, gradMode, detach, sameSizes, isTensor = C.node, C.setNode, C.gradMode, C.detach, C.sameSizes, C.isTensor
local sharesStorage, isExclusive, alike, addByRule = C.sharesStorage, C.isExclusive, C.alike, node.addByRule
local versionOf, noGrad, takeOver, release = C.versionOf, autograd.noGrad, C.takeOver, C.release
local newLeaf, map = node.leaf, nested.map

-- module -> record of its last forward: `input`, what compute got for it (`target`, a criterion's), and the `versions` that its tensors had
-- (`targetVersions`); `inputs` and `parameters` (lists of leaves; `inputs` of a table has them by alias, too), `covered` (the parameters
-- themselves), `output`, and `only`, the node of the output where it hangs on leaves alone.
-- A compute of a program's may put its module into functions that the record keeps, hooks for example: such a record lies in a field of the
-- module, since a table with weak keys keeps what its values lead to.
local records = setmetatable({}, { __mode = 'k' })

-- compute -> whether it is a program's.
local isPrograms = setmetatable({}, { __mode = 'k', __index = function(known, compute)
  known[compute] = type(compute) == 'function' and check.isPrograms(compute)
  return known[compute]
end })

local function hasOwn(owner) return isPrograms[owner.compute] and owner.parameters ~= nil end

-- module -> what its last forward left in the field that its gradient is made of (`forward`), and the `call` on the tape that has written
-- over it since, for others to read: the indices of a pooling, for example.
local overwritten = setmetatable({}, { __mode = 'k' })

--- The field that such a record lies in, which is not to be written to files.
run.field = '_record'

local function recordOf(owner)
  if not hasOwn(owner) then return records[owner] end
  local made = rawget(owner, run.field)
  return made and made.owner == owner and made or nil               -- a program's copy of all fields has another's
end

local function setRecord(owner, made)
  if not hasOwn(owner) then
    records[owner] = made
  else
    if made then made.owner = owner end
    rawset(owner, run.field, made)
  end
end

--- Lets go of the last forward's record.
function run.forget(owner)
  records[owner], overwritten[owner] = nil, nil
  rawset(owner, run.field, nil)
end

-- An alias on a private tape, which `compute` may even overwrite.
local passOn = tape.declare('nn input', detach, function(g) return g end)

local function track(tensor, leaves, inplace)
  local alias = detach(tensor)
  if not tensor:isFloatingPoint() then return alias end
  local leaf = newLeaf(alias)
  leaves[#leaves + 1] = leaf
  setNode(alias, leaf)
  if inplace then alias = passOn(alias) end
  return alias
end

local function trackEach(tensor, leaves, inplace)
  local count = #leaves
  local alias = track(tensor, leaves, inplace)
  leaves[alias] = leaves[count + 1]
  return alias
end

local none = {}

-- Whether what an object computes is known to nobody but its caller here, and so may be let go with its successor: left to the collector,
-- results of many passes would go round through memory that no cache holds.
local function keepsNothing(owner) return owner.keepsNothing ~= nil and owner:keepsNothing() end

-- A record whose successor is to be made.
local function letGo(made)
  release(made.output)
  if isTensor(made.input) then release(made.input) end
end

-- Puts private leaves on the parameters, of which a leaf made for the same tensor before serves again. Returns the nodes that were
-- there, if any.
local function cover(parameters, leaves)
  local before
  for i = 1, #parameters do
    local parameter = parameters[i]
    local leaf, own = leaves[i], getNode(parameter)
    if not leaf or not rawequal(node.tensor(leaf), parameter) then
      leaf = newLeaf(parameter)
      leaves[i] = leaf
    end
    if own then
      before = before or {}
      before[i] = own
    end
    setNode(parameter, leaf)
  end
  for i = #parameters + 1, #leaves do leaves[i] = nil end
  return before
end

-- Puts back what was on the parameters, backwards: one that is there twice was covered twice.
local function uncover(parameters, before)
  for i = #parameters, 1, -1 do setNode(parameters[i], before and before[i] or nil) end
end

-- The node of a result that came from leaves by one op: the usual layer. Its rule alone makes the gradients then.
local function onlyNode(output)
  local root = getNode(output)
  return root and node.hangsOnLeaves(root) and root or nil
end

-- The versions of a value's tensors: a number for a tensor, for tables by their aliases.
local function versionsOf(value, alias)
  if isTensor(value) then return versionOf(value) end
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

local recording = 0                                                -- how many computes are under way

-- Calls compute; its gradient is wanted, where gradients are on.
local function computed(owner, input, target)
  recording = recording + 1
  local done, output = pcall(owner.compute, owner, input, target)
  recording = recording - 1
  return done, output
end

--- Whether a `compute` is under way whose gradient is wanted.
function run.isRecording()
  return recording > 0 and gradMode()
end

-- Computes and records; a gradInput set to nil says that no gradient by the input is wanted.
local function record(owner, parameters, input, extra)
  local made = recordOf(owner) or { parameters = {} }
  setRecord(owner, nil)
  if made.isOurs then letGo(made) end
  local previous, inputs = gradMode(true), {}
  local alias
  if owner.gradInput == nil then
    alias = map(input, detach)
  elseif isTensor(input) then
    alias = track(input, inputs, owner.inplace)
  else
    alias = map(input, trackEach, inputs, owner.inplace)
  end
  made.versions = versionsOf(input, alias)
  made.target = map(extra, detach)
  made.targetVersions = extra ~= nil and versionsOf(extra, made.target) or nil
  local before = cover(parameters, made.parameters)
  local done, output = computed(owner, alias, extra)
  uncover(parameters, before)
  gradMode(previous)
  explain.checked(owner, done, output, input, extra)
  made.inputs, made.input, made.output, made.covered = inputs, alias, output, parameters
  made.only = isTensor(output) and onlyNode(output) or nil
  made.isOurs = isTensor(output) and keepsNothing(owner)
  setRecord(owner, made)
  return made
end

local function serves(held, value)
  return isTensor(held) and (alike(held, value) or held:type() == value:type()) and not getNode(held)
end

-- `value` as plain tensors: what is held becomes views of it, in the same tables.
local function settled(held, value)
  if isTensor(value) then return serves(held, value) and held:set(value) or detach(value) end
  if not nested.isPlain(value) then return value end
  if not nested.isPlain(held) then held = {} end
  for key, element in pairs(value) do held[key] = settled(held[key], element) end
  return nested.trim(held, value)
end

-- Puts `value` into the object's field, whose tensor, or the tables of a gradInput, become views of it, so that who holds them sees it.
-- Tables of outputs are new: states of recurrent layers are kept, and given back to them. `isOurs`: nobody else has the tensor `value`, and
-- we will not use it.
local function publish(owner, field, value, isOurs)
  local held = owner[field]
  if not isTensor(value) then
    local previous = gradMode(false)
    owner[field] = settled(field == 'gradInput' and held or nil, value)
    gradMode(previous)
  elseif serves(held, value) then
    takeOver(held, value, isOurs)
  else
    owner[field] = detach(value)
  end
  return owner[field]
end

-- Where a pass starts: nodes of the outputs and their gradients.
local function startsOf(owner, made, gradOutput)
  local output, roots, starts = made.output, {}, {}
  local outputs = isTensor(output) and { output } or nested.flatten(output, {})
  local given = {}
  if not isTensor(output) then explain.gradient(owner, gradOutput, output) end
  nested.alongside(output, gradOutput, given, 0)                   -- an entry that is not there has no gradient
  for i = 1, #outputs do
    local root, g = getNode(outputs[i]), given[i]
    if root and (g or isTensor(output)) then
      explain.gradient(owner, g, outputs[i])
      roots[#roots + 1], starts[#starts + 1] = root, sized(g, outputs[i])
    end
  end
  return roots, starts
end

-- The gradients of one op's leaves by its rule; nothing is recorded. Those of parameters are added to `sums` at once where they can be.
local function byRule(owner, made, g, byInput, byParameters, sums)
  local root, parameters, found = made.only, made.parameters, {}
  explain.gradient(owner, g, made.output)
  g = sized(g, made.output)
  for i = 1, node.arity(root) do
    local leaf = node.edge(root, i)
    local wanted, sum = byInput, nil
    for k = 1, #parameters do
      if leaf == parameters[k] then wanted, sum = byParameters, sums and sums[k] end
    end
    if leaf and wanted and not (sum and sameSizes(sum, node.tensor(leaf)) and addByRule(root, i, g, sum)) then
      local gradient = node.gradientBy(root, i, g)
      found[leaf] = found[leaf] and torch.add(found[leaf], gradient) or gradient
    end
  end
  return found
end

-- Gradients of what was recorded, by leaf; false where the output doesn't depend on one.
local function gradientsOf(owner, made, gradOutput, byInput, byParameters, sums)
  if made.only and isTensor(gradOutput) then return noGrad(byRule, owner, made, gradOutput, byInput, byParameters, sums) end
  local wanted, inputs, parameters = {}, made.inputs, made.parameters
  for i = 1, byInput and #inputs or 0 do wanted[inputs[i]] = false end
  for i = 1, byParameters and #parameters or 0 do wanted[parameters[i]] = false end
  if next(wanted) == nil then return wanted end
  local roots, starts = startsOf(owner, made, gradOutput)
  local all = (byInput or #inputs == 0) and (byParameters or #parameters == 0)
  local options = { retain = true, current = true, wanted = wanted, needed = not all and onPaths(roots, wanted) or nil }
  if not byParameters then
    walk(roots, starts, options)
    return wanted
  end
  -- Rules ask whether a parameter is tracked.
  local before = cover(made.covered, parameters)
  local done, message = pcall(walk, roots, starts, options)
  uncover(made.covered, before)
  if not done then error(message, 0) end
  return wanted
end

-- A single zero, expanded.
local function zeroLike(x)
  local sizes = {}
  for d = 1, x:dim() do sizes[d] = 1 end
  return x.new(torch.LongStorage(sizes)):zero():expandAs(x)
end

local function byTensor(alias, leaves, found, taken, asOne)
  local leaf = leaves[alias]
  local g = leaf and found[leaf]
  if not g then return asOne and zeroLike(alias) or alias.new():resize(alias:size()):zero() end
  if taken[g] or not isExclusive(g) then return g:clone() end
  taken[g] = true
  return g
end

-- The gradient by each tensor of the input; zeros where the output doesn't depend on it, as on integers. They are dense and share no memory
-- with gradOutput or each other: programs change them in place. Of a class with the field `unusedAsOne` what the output doesn't depend on
-- has a single zero, expanded.
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

-- Whether `now` is what a record was made of, unchanged: the same tensors or others that show the same memory in the same way.
local function isSame(now, alias, versions)
  if isTensor(now) then
    if not isTensor(alias) or not sharesStorage(now, alias) or not sameSizes(now, alias) then return false end
    return versionOf(now) == (type(versions) == 'table' and versions[alias] or versions)
  end
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

-- The record that a backward for `input` needs: that of the last forward, or a new one where that had another input, one that has changed
-- since, or other parameters.
-- What draws numbers or changes state in a forward (`once`), or overwrites its input, is not computed again.
local function recordFor(owner, parameters, input, extra)
  local made = recordOf(owner)
  if made and (owner.once or owner.inplace or input == nil) then return made end
  if made and isSame(input, made.input, made.versions) and isSame(extra, made.target, made.targetVersions)
    and sameParameters(parameters, made.covered) then
    return made
  end
  if not owner.once then return record(owner, parameters, input, extra) end
  owner.repeated = true                                            -- the forward was another object's, of which this is a copy
  local done, again = pcall(record, owner, parameters, input, extra)
  owner.repeated = nil
  if not done then error(again, 0) end
  return again
end

-- The forward of a module whose gradient is made of its fields: nothing need be recorded.
local function unrecorded(module, saved, input)
  setRecord(module, nil)
  local field, previous = saved.field, gradMode(false)
  local before = field and module[field]
  local done, output = pcall(saved.of, module, input)
  gradMode(previous)
  output = explain.checked(module, done, output, input)
  local isOurs = keepsNothing(module)
  if isOurs and field then
    local now = module[field]
    if isTensor(before) and isTensor(now) and not rawequal(before, now) and serves(before, now) then
      takeOver(before, now, true)
      module[field] = before
    end
  end
  return publish(module, 'output', output, isOurs and not rawequal(output, input))
end

-- An empty field is no forward's: then a backward goes by the call.
local function keepForward(module, before, now)
  local held = overwritten[module]
  if not held or not rawequal(held.call, before) then
    held = { forward = isTensor(before) and before:nElement() > 0 and before or nil }
    overwritten[module] = held
  end
  held.call = now
end

-- What a module draws for a call stays in its field where that holds no forward's.
local function keepDrawn(module, before, now)
  local held = overwritten[module]
  if isTensor(before) and before:nElement() > 0 and not (held and rawequal(held.call, before)) then
    module[module.draws] = before
  else
    module[module.draws] = detach(now)                             -- the tape may keep what was drawn: that stays as it is
    overwritten[module] = { call = module[module.draws] }
  end
end

--- `compute` on the caller's tape.
function run.onTape(owner, input, target)
  local drawn = owner.draws
  if drawn then
    local before = owner[drawn]
    local done, output = computed(owner, input, target)
    if not rawequal(before, owner[drawn]) then keepDrawn(owner, before, owner[drawn]) end
    return explain.checked(owner, done, output, input, target)
  end
  local field = owner.saved and owner.saved.field
  local before = field and owner[field]
  local done, output = computed(owner, input, target)
  if field and not rawequal(before, owner[field]) then
    if isTensor(owner[field]) then owner[field] = detach(owner[field]) end      -- the tape may keep what compute made: that stays as it is
    keepForward(owner, before, owner[field])
  end
  return explain.checked(owner, done, output, input, target)
end

--- A module's forward inside another's `compute`: it is part of what is recorded.
function run.inside(module, input)
  local output = module:onTape(input)
  overwritten[module] = nil
  module.output = map(output, detach)
  return output
end

--- Torch7's updateOutput.
function run.forward(module, input)
  local saved = module.saved
  overwritten[module] = nil
  if saved and saved.of == module.compute and (not module.inplace or saved.inplace) and isTensor(input) and not module.takes then
    return unrecorded(module, saved, input)
  end
  return publish(module, 'output', record(module, module:parameters() or none, input).output)
end

-- What a module that works in place gives: the gradient, written over gradOutput.
local function written(gradOutput, gradient)
  if not isTensor(gradient) or not sameSizes(gradient, gradOutput) then return gradient end
  return gradOutput:copy(gradient)
end

-- The gradient by the input as Torch7's module makes it: from what the last forward left in the fields, which programs may change, whatever
-- input is given now. `module.saved` is { of = the compute that it belongs to, gradient = what makes it, or nil where fields don't fit,
-- inplace = whether it does so in place, too, field = the field that compute writes }.
local function bySaved(module, saved, input, gradOutput)
  local held, field = overwritten[module], saved.field
  local isCalls = held and held.forward and rawequal(held.call, module[field])
  if isCalls then module[field] = held.forward end
  local gradient = saved.gradient(module, input, gradOutput)
  if isCalls then module[field] = held.call end
  if gradient and module.inplace then return written(gradOutput, gradient) end
  return gradient
end

-- gradients[i] = gradients[i] + scale * what was found for each leaf.
local function accumulate(gradients, scale, leaves, found)
  for i = 1, #leaves do
    local gradient = found[leaves[i]]
    if gradient and gradients[i] then gradients[i]:add(scale, gradient) end
  end
end

--- Torch7's updateGradInput (byInput), accGradParameters (scale), or both in one pass.
function run.backward(module, input, gradOutput, byInput, scale)
  local saved = module.saved
  if saved and byInput and saved.of == module.compute and module.gradInput ~= nil and isTensor(gradOutput) then
    local gradInput = noGrad(bySaved, module, saved, input, gradOutput)
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
  if scale and gradients then noGrad(accumulate, gradients, scale, made.parameters, found) end
  if not byInput then return module.gradInput end
  local gradInput = inputGradient(made, found, gradOutput, module.unusedAsOne)
  if module.inplace and isTensor(gradOutput) then gradInput = noGrad(written, gradOutput, gradInput) end
  return publish(module, 'gradInput', gradInput, not rawequal(gradInput, gradOutput) and keepsNothing(module))
end

--- A criterion's updateOutput.
-- @treturn number
function run.loss(criterion, input, target)
  local made = record(criterion, none, input, target)
  local loss = made.output
  return isTensor(loss) and loss:item() or loss
end

--- A criterion's updateGradInput.
function run.lossGradient(criterion, input, target)
  local made = recordFor(criterion, none, input, target)
  local start = isTensor(made.output) and detach(made.output):clone():fill(1) or nil
  return publish(criterion, 'gradInput', inputGradient(made, start and gradientsOf(criterion, made, start, true, false) or none, start))
end

-- The last call on the tape of each module that writes the three methods itself: its fields are that call's.
local lastCall = setmetatable({}, { __mode = 'k' })

local function cloned(tensor)
  return detach(tensor):clone()
end

local function memoryOf(tensor)
  local storage = tensor:storage()
  return storage and ('%d %d %d'):format(torch.pointer(storage), tensor:storageOffset(), tensor:nElement())
end

-- Lets the gradients of some parameters start from zeros, where they lie, since copies of a module may share them; returns what gives the
-- new ones and puts the old ones back. What shares memory with one before it has no gradient: the first has all of it.
local function isolate(gradients)
  local kept, met, first = {}, {}, {}
  for i = 1, #gradients do
    local memory = memoryOf(gradients[i])
    first[i] = memory and not met[memory]
    met[memory or i] = true
    kept[i] = cloned(gradients[i])
  end
  for i = 1, #gradients do gradients[i]:zero() end
  return function()
    local collected = {}
    for i = 1, #gradients do collected[i] = first[i] and cloned(gradients[i]) or nil end
    for i = 1, #gradients do gradients[i]:copy(kept[i]) end
    return collected
  end
end

--- A module with methods of its own as one node of the caller's tape.
-- What it does in backward is not recorded: gradients of gradients take its gradient as constant.
function run.asNode(module, input)
  local plain = map(input, detach)
  local arguments = nested.flatten(input, {})
  local inputCount = #arguments
  local parameters, gradients = module:parameters()
  for i = 1, parameters and #parameters or 0 do arguments[inputCount + i] = parameters[i] end
  local call, output = {}, nil

  local function forward(ctx)
    lastCall[module], call.random = call, torch.getRNGState()
    output = map(module:forward(plain), cloned)
    ctx:save(unpack(arguments, 1, inputCount))                     -- which says where one was written to since
    return unpack(nested.flatten(output, {}))
  end

  -- The same forward once more, with the same random numbers.
  local function repeated()
    local random = torch.getRNGState()
    torch.setRNGState(call.random)
    lastCall[module] = call
    local done, message = pcall(module.forward, module, plain)
    torch.setRNGState(random)
    if not done then error(message, 0) end
  end

  local function backward(ctx, ...)
    ctx:saved()
    local given, results = { ... }, nested.flatten(output, {})
    for i = 1, #results do                                       -- the module may write over them, others may have them too
      given[i] = given[i] and cloned(given[i]) or results[i].new():resizeAs(results[i]):zero()
    end
    if lastCall[module] ~= call then repeated() end
    local collect = isolate(gradients or none)
    local done, gradInput = pcall(module.backward, module, plain, nested.rebuild(output, given))
    local collected = collect()
    if not done then error(gradInput, 0) end
    local byArgument = {}
    nested.alongside(plain, map(gradInput, cloned), byArgument, 0)
    local count = gradients and #gradients or 0
    for i = 1, count do byArgument[inputCount + i] = collected[i] end
    return unpack(byArgument, 1, inputCount + count)
  end

  local apply = autograd.Function {
    name = torch.type(module), forward = forward,
    backward = function(ctx, ...) return noGrad(backward, ctx, ...) end,
  }
  local results = { apply(unpack(arguments)) }
  return nested.rebuild(output, results)
end

--- A criterion with methods of its own as one node.
function run.lossAsNode(criterion, input, target)
  local plain, plainTarget = map(input, detach), map(target, detach)
  local arguments = nested.flatten(input, {})

  local function backward(ctx, g)
    ctx:saved()
    criterion:forward(plain, plainTarget)
    local function scaled(gradient) return torch.mul(gradient, g:item()) end
    local byArgument = {}
    nested.alongside(plain, map(criterion:backward(plain, plainTarget), scaled), byArgument, 0)
    return unpack(byArgument, 1, #arguments)
  end

  local loss = autograd.Function {
    name = torch.type(criterion),
    forward = function(ctx)
      local value = criterion:forward(plain, plainTarget)
      ctx:save(unpack(arguments))
      return arguments[1].new { value }
    end,
    backward = function(ctx, g) return noGrad(backward, ctx, g) end,
  }
  return loss(unpack(arguments))
end

return run
