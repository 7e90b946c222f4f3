--- Rows of constant matrices in a network of integers: look-ups, and sums, means and maxima of bags of rows. Each row has a scale.
-- @module quantize.rows
-- @local
local torch = require 'torch'
local scales, steps, values = require 'quantize.scales', require 'quantize.steps', require 'quantize.values'

--- Returns the rules for these steps, functions of the number of the step, the name of the op and its arguments.
-- @tparam table plan of quantize.integers
-- @tparam table tools of quantize.integers: `isConstant`, `create`, `remember`
-- @treturn {function,...}
return function(plan, tools)
  local remember = tools.remember

  -- Returns the rows at some positions as floats, and the integers of all.
  local function rowsAt(weight, index)
    local forms = remember(weight, function() return {} end)
    if not forms.rows then
      local floats = weight:float()
      local scale = scales.ofWeight(floats, true, true)
      forms.rows = { data = torch.quantize(floats, scale, nil, 1, 'torch.CharTensor'), scale = scale }
    end
    local rows = forms.rows
    return torch.dequantize(torch.index(rows.data, 1, index), torch.index(rows.scale, 1, index), nil, 1), rows
  end

  local function lookup(number, name, arguments)
    local operands = steps.lookup(name, arguments, tools.isConstant)
    if not operands or plan.skips(name, operands.weight) then return nil end
    local result, rows = rowsAt(operands.weight, values.resolve(operands.index))
    plan.onLayer(number, name, operands.weight, rows, result)
    return result
  end

  -- The rows that a step needs are a matrix, whose bags have the positions 1, 2, …; behind `padding`, which is its first row.
  local function bag(number, name, arguments)
    local operands = steps.bag(name, arguments, tools.isConstant)
    if not operands or plan.skips(name, operands.weight) then return nil end
    local index, padding = values.resolve(operands.index), operands.padding
    local used = torch.reshape(index, -1):long()
    local places = torch.cumsum(torch.add(torch.mul(used, 0), 1), 1)
    if padding > 0 then
      places = torch.add(places, 1)
      places = torch.where(torch.eq(used, padding), torch.add(torch.mul(used, 0), 1), places)
      used = torch.cat({ remember('padding' .. padding, function() return torch.LongTensor { padding } end), used }, 1)
    end
    local rows, all = rowsAt(operands.weight, used)
    local result = operands.run(rows, torch.viewAs(places, index), math.min(padding, 1))
    plan.onLayer(number, name, operands.weight, all, result)
    if name == 'bagSum' then return result end
    return result, tools.create { makeFloats = function() return (select(2, torch[name](unpack(arguments, 1, arguments.n)))) end }
  end

  return { lookup, bag }
end
