--- The input and target of a batch.
-- @module trainer.batch
local torch, check = require 'torch', require 'torch.check'
local nested = require 'nn.nested'
local kindOf = require('torch.check.message').kind

local batch = {}

local function moved(x, device) return torch.to(x, device) end

--- Returns the input and target of a batch: its fields `input` and `target`, or its first two entries; or what the program's function
-- returns.
-- @param given the batch
-- @tparam ?function prepare of the program
-- @tparam ?string device on which they must be
function batch.read(given, prepare, device)
  local input, target
  if prepare then
    input, target = prepare(given)
    check.that(input ~= nil, 'Trainer: prepare: it returned nothing, expected an input and a target')
  elseif type(given) == 'table' and not torch.typename(given) then
    input, target = given.input, given.target
    if input == nil then input, target = given[1], given[2] end
  end
  if input == nil then
    local isTable = type(given) == 'table' and not torch.typename(given)
    check.raise(('Trainer: data: a batch that is %s, expected { input =, target = } or { input, target }; the option prepare reads others')
      :format(isTable and 'a table without an input' or kindOf(given)))
  end
  if device then input, target = nested.map(input, moved, device), nested.map(target, moved, device) end
  return input, target
end

--- Returns this rank's part of a batch.
-- @param given the batch
-- @tparam trainer.Trainer self
-- @tparam table source of the batch
-- @return input, nil if the rank has no part
-- @return target
-- @treturn int number of samples
function batch.part(given, self, source)
  local ranks = self._ranks
  if ranks.count > 1 and type(given) == 'table' and next(given) == nil then return nil, nil, 0 end
  local input, target = batch.read(given, self._prepare, self._device)
  if source.isWhole then
    local size = batch.count(input)
    input, target = ranks:rows(input, size), ranks:rows(target, size)
    if input == nil then return nil, nil, 0 end
  end
  return input, target, batch.count(input)
end

--- Returns the number of samples in an input: the size of its first tensor's first dimension.
-- @param input
-- @treturn int 1 if there is no tensor
function batch.count(input)
  local first = torch.isTensor(input) and input or nested.flatten(input, {})[1]
  return first and first:dim() > 0 and math.max(1, first:size(1)) or 1
end

return batch
