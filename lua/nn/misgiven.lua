--- What to say where a module or criterion failed on an input that it doesn't take: a table of numbers, say, where a tensor was expected.
-- A class says by its field `takes` what it takes: 'table', for tensors in a table, or 'any', for a tensor or a table; a tensor
-- unless it says so.
-- @module nn.misgiven
local torch, check = require 'torch', require 'torch.check'
local nested = require 'nn.nested'

local expected = { table = 'a table of tensors', any = 'a tensor or a table of tensors' }

-- How Lua, and ops inside, complain; what a module refuses itself says more.
local accidents = { '[Aa]ttempt to ', 'bad argument #', ': arguments: %(', "^'for' ", ": 'for' " }

local function isAccident(message)
  if type(message) ~= 'string' or message:find '^\nIn %d+ module of ' then return false end
  for _, pattern in ipairs(accidents) do
    if message:find(pattern) then return true end
  end
  return false
end

local function hasTensors(input)
  return torch.isTensor(input) or type(input) == 'table' and #nested.flatten(input, {}) > 0
end

local function described(input)
  if type(input) ~= 'table' or torch.typename(input) then return input == nil and 'nil' or 'a ' .. torch.type(input) end
  if next(input) == nil then return 'an empty table' end
  if hasTensors(input) then return 'a table of tensors' end
  return type(input[1]) == 'number' and 'a table of numbers' or 'a table'
end

--- Raises the error of a `compute` that failed, by the input where it was to blame.
-- @param owner module or criterion
-- @param input what it was given
-- @param message the error
return function(owner, input, message)
  local takes = owner.takes
  local fits = takes and hasTensors(input) and (takes == 'any' or type(input) == 'table') or not takes and torch.isTensor(input)
  if fits or owner.modules or not isAccident(message) or not check.isOurs(owner.compute) then error(message, 0) end
  local came, hint = described(input), ''
  if not takes and came == 'a table of numbers' then hint = ': torch.Tensor(table) makes one' end
  check.raise(('%s: input: %s came, %s was expected%s'):format(torch.type(owner), came, expected[takes] or 'a tensor', hint))
end
