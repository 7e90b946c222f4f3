--- Formulas that combine the tensors of a table, from the first to the last, by a binary op.
-- @module nn.support.fold
local torch = require 'torch'

local longest = 12  -- number of entries that one expression may combine

--- @tparam string op
-- @tparam[opt] int most number of entries that are used, and must exist; by default all
-- @treturn function (self, input) -> the formula, or nil for too few or too many entries
-- @treturn function (self, input) -> the result, for any number of entries
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
