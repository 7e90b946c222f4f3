--- Classes of programs that define `forward(self, ...)`, and none of Torch7's methods: modules as in PyTorch.
-- Their parameters and children are found by assignment (nn.support.members). Torch7's methods come from `forward` through the tape.
-- @module nn.support.plain
local torch, nn, C, class = require 'torch', require 'nn', require 'libmoontorch', require 'torch.class'
local members, nested, run = require 'nn.support.members', require 'nn.nested', require 'nn.support.run'
local explain = require 'nn.support.explain'

local rawget, rawset, pcall, select, type, unpack = rawget, rawset, pcall, select, type, unpack

local plain = {}

-- The functions that replace `forward` in classes -> those of the program.
local originals = setmetatable({}, { __mode = 'k' })

-- Modules whose forward runs -> how many calls. A call inside, such as that of a parent's method, is a call of the function alone.
local active = setmetatable({}, { __mode = 'k' })

local function pack(...) return { n = select('#', ...), ... } end

-- Several results become a table.
local function collected(results)
  if results.n <= 2 then return results[2] end
  return { unpack(results, 2, results.n) }
end

-- Calls the module's forward on the caller's tape. Returns what pcall does, in a table.
local function compute(module, ...)
  local forward = module.forward
  local before = active[module] or 0
  active[module], run.depth = before + 1, run.depth + 1
  local results = pack(pcall(originals[forward] or forward, module, ...))
  run.depth = run.depth - 1
  active[module] = before > 0 and before or nil
  if not results[1] then explain.raise(module, results[2], (...)) end
  return results
end

-- Calls it with the input of Torch7's protocol: a table has the arguments of a forward with several.
local function computeInput(module, input)
  local count = rawget(module, '_argumentCount')
  if count and type(input) == 'table' then return collected(compute(module, unpack(input, 1, count))) end
  return collected(compute(module, input))
end

run.runsProgram(computeInput)

-- Returns the method `forward` of a class: Torch7's protocol. Several arguments are a table for `backward`.
local function protocol(forward)
  local function method(self, ...)
    if active[self] then return forward(self, ...) end
    local count = select('#', ...)
    rawset(self, '_argumentCount', count > 1 and count or nil)
    local input = ...
    if count > 1 then input = { ... } end
    if run.depth > 0 and C.gradMode() and (nested.isTracked(input) or self:isTracked()) then return run.inside(self, input) end
    return self:updateOutput(input)
  end
  originals[method] = forward
  return method
end

-- The class between nn.Module and plain classes.
local given = torch.class('nn.PlainModule', 'nn.Module', {})
given.compute, given.onTape, given.widens = computeInput, computeInput, false
given.__findsMembers, given.__newindex__ = true, members.assigned

--- `module(...)`: computes on the caller's tape, and returns all results of `forward`.
function given.__call__(self, ...)
  local hooked = rawget(self, '_called')
  if hooked then return hooked(self, ...) end
  return plain.call(self, ...)
end

function given.updateOutput(self, input)
  members.initialise(self)
  return run.forward(self, input)
end

given.parameters = members.parameters

function given.isTracked(self)
  for _, parameter in ipairs((members.parameters(self))) do
    if C.tracked(parameter) then return true end
  end
  return false
end

-- Overrides methods of nn.Module that children should follow.
for _, name in ipairs { 'training', 'evaluate', 'clearState' } do
  given[name] = function(self)
    for _, child in ipairs(members.children(self)) do child[name](child) end
    return nn.Module[name](self)
  end
end

-- The class and its children, with the names of their fields.
function given.__tostring__(self)
  local lines = {}
  for name, child in self:namedChildren() do
    lines[#lines + 1] = ('\n  (%s): %s'):format(name, (tostring(child):gsub('\n', '\n  ')))
  end
  if #lines == 0 then return torch.type(self) end
  return ('%s {%s\n}'):format(torch.type(self), table.concat(lines))
end

function given.accUpdateGradParameters(self, input, gradOutput, lr) self:sharedAccUpdateGradParameters(input, gradOutput, lr) end

--- Calls a plain module on the caller's tape.
-- @tparam nn.Module module
-- @param ... arguments of forward
-- @return its results
function plain.call(module, ...)
  local results = compute(module, ...)
  return unpack(results, 2, results.n)
end

-- Methods of Torch7's protocol: a class that defines one is not plain.
local torch7 = { 'updateOutput', 'updateGradInput', 'accGradParameters', 'backward', 'compute', 'onTape' }
local watched = { forward = true }
for _, name in ipairs(torch7) do watched[name] = true end

local function definesTorch7(metatable)
  for _, name in ipairs(torch7) do
    if rawget(metatable, name) ~= nil then return true end
  end
  return false
end

local moduleRecord, plainRecord

local function isPlain(record)
  return record == plainRecord or record.parent ~= nil and isPlain(record.parent)
end

-- Is called when a class that inherits from nn.Module gets a field: makes it plain, or no longer.
local function defined(metatable, key)
  if not watched[key] then return end
  local record, forward = class.records[metatable], rawget(metatable, 'forward')
  if originals[forward] then
    if not definesTorch7(metatable) then return end
    rawset(metatable, 'forward', originals[forward])
    if record.parent == plainRecord then class.setParent(record, moduleRecord) end
  elseif type(forward) == 'function' and not definesTorch7(metatable) and (record.parent == moduleRecord or isPlain(record.parent)) then
    rawset(metatable, 'forward', protocol(forward))
    if record.parent == moduleRecord then class.setParent(record, plainRecord) end
  end
end

--- Lets classes that programs derive from nn.Module become plain: at the end of its file.
-- @tparam table Module the class
function plain.watch(Module)
  moduleRecord, plainRecord = class.records[Module], class.records[given]
  moduleRecord.added, plainRecord.added = defined, defined
end

return plain
