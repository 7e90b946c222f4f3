--- Formulas that combine the tensors of a table, from the first to the last, by an op of two.
-- @module nn.support.fold

--- @tparam string op
-- @tparam[opt] int most how many entries of the table count; all unless given
-- @treturn function (self, input) -> the formula
return function(op, most)
  local known = {}  -- by number of tensors
  return function(_, input)
    local count = math.min(#input, most or math.huge)
    local text = known[count]
    if not text then
      text = count == 1 and 'clone(input[1])' or 'input[1]'
      for i = 2, count do text = ('%s(%s, input[%d])'):format(op, text, i) end
      known[count] = text
    end
    return text
  end
end
