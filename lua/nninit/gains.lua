--- The factor by which weights should be larger for an activation function.
-- @module nninit.gains
local factors = { linear = 1, sigmoid = 1, tanh = 5 / 3, relu = math.sqrt(2) }

--- A gain as a number.
-- @tparam ?number|string|table gain a number; the name of an activation; {'lrelu', leakiness = a}
-- @treturn number sqrt(2 / (1 + a^2)) for a leaky rectifier; 1 for none and for unknown names
return function(gain)
  if type(gain) == 'number' then return gain end
  if type(gain) == 'table' then
    if gain[1] == 'lrelu' then return math.sqrt(2 / (1 + (gain.leakiness or 0) ^ 2)) end
    gain = gain[1]
  end
  return factors[gain] or 1
end
