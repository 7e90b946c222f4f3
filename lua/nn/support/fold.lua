--- Formulas that combine the tensors of a table, from the first to the last, by an op of two.
-- @module nn.support.fold
local torch = require 'torch'

local longest = 12  -- number of entries that are folded in one expression

--- @tparam string op
-- @tparam[opt] int most how many entries of the table count, and must be there; all unless given
-- @treturn function (self, input) -> the formula, or nil of too few entries or of many
-- @treturn function (self, input) -> what it stands for, of any number
return function(op, most)
  local known = {}  -- by number of tensors
  local function formula(_, input)
    local count = math.min(#input, most or math.huge)
    if count < (most or 1) or count > longest then return nil end
    local text = known[count]
    if not text then
      text = count == 1 and 'clone(input[1])' or 'input[1]'
      for i = 2, count do text = ('%s(%s, input[%d])'):format(op, text, i) end
      known[count] = text
    end
    return text
  end
  local function loop(_, input)
    local result = #input == 1 and torch.clone(input[1]) or input[1]
    for i = 2, most or #input do result = torch[op](result, input[i]) end
    return result
  end
  return formula, loop
end
