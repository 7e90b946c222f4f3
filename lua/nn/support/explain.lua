--- Error messages of modules and criteria, in the form `class: argument: actual, expected`.
-- Messages of ops name the op and its arguments, and Lua's name Moontorch's local variables; a program knows only its modules and their
-- arguments.
-- The field `takes` of a class says what inputs it accepts: 'table' for tensors in a table, or 'any' for a tensor or a table; by default a
-- tensor.
-- @module nn.support.explain
local torch, accidents, messages = require 'torch', require 'torch.check.accident', require 'torch.check.message'
local nested, refuse, C = require 'nn.nested', require 'torch.check.refuse', require 'libmoontorch'

local explain = {}

local expected = { table = 'a table of tensors', any = 'a tensor or a table of tensors' }

-- Whether a message is from Lua, or from an op inside, for an unsupported argument. Messages of a module's own checks say more.
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

--- Returns the text for a value in messages.
explain.value = messages.value

-- Returns the message for an input that the class doesn't accept.
local function refused(owner, input)
  local actual, hint = kindOf(input), ''
  if not owner.takes and actual == 'a table of numbers' then hint = ': torch.Tensor(table) makes one' end
  return ('%s: input: %s, expected %s%s'):format(torch.type(owner), actual, expected[owner.takes] or 'a tensor', hint)
end

--- Raises an error that says what the class accepts.
-- @param owner module or criterion
-- @param input the actual input
function explain.refuse(owner, input) refuse.invalid(refused(owner, input)) end

--- Returns the input if the class accepts it, or raises an error: for methods that don't make a record.
-- @param owner module or criterion
-- @param input
function explain.input(owner, input)
  if not fits(owner, input) then explain.refuse(owner, input) end
  return input
end

--- Returns the message of an error in `owner`, with the name of its class. Errors in a program's methods stay unchanged.
-- @param owner module or criterion
-- @param message what was raised
-- @param input its input
-- @param target the target, for a criterion
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
  if line:find('^' .. name .. ': [Aa]ttempt to ') or not line:find '[Gg]ot' and not line:find 'expect' then
    local actual = 'input: ' .. messages.value(input)
    if torch.isTypeOf(owner, 'nn.Criterion') then actual = ('%s, target: %s'):format(actual, messages.value(target)) end
    line = ('%s (%s)'):format(line, actual)
  end
  return line .. rest
end

--- Raises again an error of a function of the owner, with the name of its class.
-- @param owner module or criterion
-- @param message what was raised
-- @param ... its input, and a criterion's target
function explain.raise(owner, message, ...) error(explain.message(owner, message, ...), 0) end

--- Returns the result of a function of the owner, or raises an error that names the owner.
-- @param owner module or criterion
-- @tparam boolean done whether it succeeded
-- @param result its result or error
-- @param ... its input, and a criterion's target
function explain.checked(owner, done, result, ...)
  if done then return result end
  explain.raise(owner, result, ...)
end

--- Returns a message after the position of its source in the network: one line per container, outermost first.
-- @param owner container
-- @int index position of the part
-- @string kind of the part, for example criterion
-- @string message
function explain.within(owner, index, kind, message)
  return ('\nIn %d %s of %s:%s%s'):format(index, kind, torch.type(owner), message:find '^\nIn %d+ %a+ of ' and '' or '\n', message)
end

--- Calls a method of the child criterion at `index`. Messages of errors start with that position.
function explain.part(owner, index, criterion, method, ...)
  local done, result = pcall(criterion[method], criterion, ...)
  if done then return result end
  if type(result) == 'string' then
    result = explain.within(owner, index, 'criterion', explain.message(criterion, result, ...))
  end
  error(result, 0)
end

--- Checks a gradient with respect to a module's output: it must have as many elements, in the same order, or be a table if the output is
-- one.
function explain.gradient(owner, gradOutput, output)
  local isTensor = torch.isTensor(output)
  if isTensor and torch.isTensor(gradOutput) and gradOutput:nElement() == output:nElement() then
    if not C.isTurned(gradOutput, output) then return end      -- if one is transposed, the elements don't correspond
  end
  if not isTensor and (type(output) ~= 'table' or type(gradOutput) == 'table') then return end
  local wanted = isTensor and 'a tensor of sizes ' .. messages.sizes(output) or 'a table'
  refuse.shape(('%s: gradOutput: %s, expected %s, as the output%s'):format(torch.type(owner), messages.value(gradOutput), wanted,
    isTensor and output:nElement() == 0 and ' (was there a forward?)' or ''))
end

return explain
