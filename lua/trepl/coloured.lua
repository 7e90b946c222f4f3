--- Whether th writes in colour: not where the output is no terminal, when TERM is `dumb` or missing, or when NO_COLOR is set.
-- @module trepl.coloured
local terminal = require 'trepl.terminal'

local term = os.getenv 'TERM'

return { on = terminal.isTerminal(1) and term and term ~= 'dumb' and not os.getenv 'NO_COLOR' }
