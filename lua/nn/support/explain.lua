--- What went wrong in a module or criterion, told as `class: argument: what came, what was expected`.
-- Ops name themselves and their own arguments, and Lua names locals of ours; a program knows its modules and what it gave them.
-- A class says by its field `takes` what it takes: 'table', for tensors in a table, or 'any', for a tensor or a table; a tensor
-- unless it says so.
-- @module nn.support.explain
local torch, accidents, messages = require 'torch', require 'torch.check.accident', require 'torch.check.message'
local nested, refuse, C = require 'nn.nested', require 'torch.check.refuse', require 'libmoontorch'

local explain = {}

local expected = { table = 'a table of tensors', any = 'a tensor or a table of tensors' }

-- How Lua, and ops inside, complain of what they can't take; what a module refuses itself says more.
local function isAccident(line) return accidents.isAccident(line) or line:find ': arguments: %(' ~= nil end

local function hasTensors(input)
  return torch.isTensor(input) or type(input) == 'table' and #nested.flatten(input, {}) > 0
end

local function fits(owner, input)
  local takes = owner.takes
  if not takes then return torch.isTensor(input) end
  return hasTensors(input) and (takes == 'any' or type(input) == 'table')
end

local function kindOf(input)
  if type(input) ~= 'table' or torch.typename(input) then return messages.kind(input) end
  if next(input) == nil then return 'an empty table' end
  if hasTensors(input) then return 'a table of tensors' end
  return type(input[1]) == 'number' and 'a table of numbers' or 'a table'
end

--- A value as messages show it.
explain.value = messages.value

-- What is said of an input that the class doesn't take.
local function refused(owner, input)
  local came, hint = kindOf(input), ''
  if not owner.takes and came == 'a table of numbers' then hint = ': torch.Tensor(table) makes one' end
  return ('%s: input: %s came, %s was expected%s'):format(torch.type(owner), came, expected[owner.takes] or 'a tensor', hint)
end

--- Raises an error that says what the class takes.
-- @param owner module or criterion
-- @param input what it was given instead
function explain.refuse(owner, input) refuse.invalid(refused(owner, input)) end

--- The input, where the class takes it, or an error that says so: for methods that no record is made of.
-- @param owner module or criterion
-- @param input
function explain.input(owner, input)
  if not fits(owner, input) then explain.refuse(owner, input) end
  return input
end

--- The message of an error in `owner`, with the name of its class; errors in a program's own methods stay as they are.
-- @param owner module or criterion
-- @param message what was raised
-- @param input what it was given
-- @param target what a criterion was given
function explain.message(owner, message, input, target)
  if type(message) ~= 'string' or message:find '^\nIn %d+ %a+ of ' then return message end
  local text = accidents.withoutPlace(message)
  if not text then return message end
  local name, line, rest = torch.type(owner), text:match '^([^\n]*)(.*)$'  -- the rest is a trace
  local accident = isAccident(line)
  if accident and not owner.modules and not fits(owner, input) then
    local sentence = refused(owner, input)
    refuse.note('invalid', sentence)
    return sentence .. rest
  end
  if not (line:find 'interrupted!$' or line:find '^not enough memory') then refuse.note(nil, line, message) end
  if not line:find(name, 1, true) then line = ('%s: %s'):format(name, line) end
  if line:find('^' .. name .. ': [Aa]ttempt to ') or not line:find 'came' and not line:find '[Gg]ot' and not line:find 'expect' then
    local came = 'input: ' .. messages.value(input)
    if torch.isTypeOf(owner, 'nn.Criterion') then came = ('%s, target: %s'):format(came, messages.value(target)) end
    line = ('%s (%s)'):format(line, came)
  end
  return line .. rest
end

--- Raises what a function of the owner raised, with the name of its class.
-- @param owner module or criterion
-- @param message what was raised
-- @param ... its input, and a criterion's target
function explain.raise(owner, message, ...) error(explain.message(owner, message, ...), 0) end

--- What a function of the owner's gave, or an error that names it.
-- @param owner module or criterion
-- @tparam boolean done whether it came to an end
-- @param result what it returned, or raised
-- @param ... its input, and a criterion's target
function explain.checked(owner, done, result, ...)
  if done then return result end
  explain.raise(owner, result, ...)
end

--- A message with the place of what raised it in front, a line for each owner from the outside in.
-- @param owner container
-- @int index position of the part
-- @string kind what it is
-- @string message
function explain.within(owner, index, kind, message)
  return ('\nIn %d %s of %s:%s%s'):format(index, kind, torch.type(owner), message:find '^\nIn %d+ %a+ of ' and '' or '\n', message)
end

--- Calls a method of the criterion that another one has at `index`; an error's message begins with that place.
function explain.part(owner, index, criterion, method, ...)
  local done, result = pcall(criterion[method], criterion, ...)
  if done then return result end
  if type(result) == 'string' then
    result = explain.within(owner, index, 'criterion', explain.message(criterion, result, ...))
  end
  error(result, 0)
end

--- A gradient by a module's output must have as many elements, in that order, or be a table where the output is one.
function explain.gradient(owner, gradOutput, output)
  local isTensor = torch.isTensor(output)
  if isTensor and torch.isTensor(gradOutput) and gradOutput:nElement() == output:nElement() then
    if not C.isTurned(gradOutput, output) then return end      -- of a transposed one the elements pair up wrongly
  end
  if not isTensor and (type(output) ~= 'table' or type(gradOutput) == 'table') then return end
  local wanted = isTensor and 'a tensor of sizes ' .. messages.sizes(output) or 'a table'
  refuse.shape(('%s: gradOutput: %s came, %s was expected, as the output%s'):format(torch.type(owner), messages.value(gradOutput), wanted,
    isTensor and output:nElement() == 0 and ' (was there a forward?)' or ''))
end

return explain
