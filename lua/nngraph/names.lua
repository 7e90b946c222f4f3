--- Names of nodes, from those of a program's variables.
-- @module nngraph
local torch, check = require 'torch', require 'torch.check'

local names = {}

--- Names each node in a local variable of the caller after that variable; existing names stay.
-- @function nngraph.annotateNodes
-- @tparam[opt=2] int level stack level of the function with the variables: 2 is the caller, 3 its caller
function names.annotateNodes(level)
  level = check.whole('nngraph.annotateNodes', 'level', level or 2, { min = 1, max = 1000000 })
  check.that(debug.getinfo(level, 'f'), ('nngraph.annotateNodes: level: %d, expected the level of a function'):format(level))
  for i = 1, math.huge do
    local name, value = debug.getlocal(level, i)
    if not name then return end
    if type(value) == 'table' and torch.isTypeOf(value, 'nngraph.Node') and not value.data.annotations.name then
      value:annotate { name = name }
    end
  end
end

return names
