--- Steps of a graph that depend on constants alone: their results are constants, too.
-- @module quantize.folding
-- @local
local torch = require 'torch'
local values = require 'quantize.values'

-- Calls f with each tensor among the arguments and in their lists.
local function eachTensor(arguments, f)
  for i = 1, arguments.n do
    local value = arguments[i]
    if torch.isTensor(value) then
      f(value)
    elseif type(value) == 'table' and not torch.typename(value) then
      for _, each in pairs(value) do
        if torch.isTensor(each) then f(each) end
      end
    end
  end
end

--- Creates the constants of a run.
-- @tparam {torch.Tensor,...} constants of the graph
-- @bool keeps whether results are computed once: constants do not change
-- @treturn table `isConstant(x)`; `transposed`: result of the op t -> its argument; `run(number, name, arguments)`: runs a step with
-- floats, and returns a list of its results with n
return function(constants, keeps)
  local known, transposed, kept = setmetatable({}, { __mode = 'k' }), setmetatable({}, { __mode = 'k' }), {}
  for _, constant in ipairs(constants) do known[constant] = true end

  local function run(number, name, arguments)
    if kept[number] then return kept[number] end
    local resolved, count, fixed = { n = arguments.n }, 0, true
    for i = 1, arguments.n do resolved[i] = values.resolve(arguments[i]) end
    eachTensor(resolved, function(x) count, fixed = count + 1, fixed and known[x] == true end)
    local function pack(...) return { n = select('#', ...), ... } end
    local results = pack(torch[name](unpack(resolved, 1, resolved.n)))
    if count > 0 and fixed then
      eachTensor(results, function(x) known[x] = true end)
      if name == 't' then transposed[results[1]] = resolved[1] end
      if keeps then kept[number] = results end
    end
    return results
  end

  return { isConstant = function(x) return known[x] == true end, transposed = transposed, run = run }
end
