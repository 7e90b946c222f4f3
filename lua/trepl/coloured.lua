--- Whether th writes in colour: not if the output isn't a terminal, if TERM is `dumb` or missing, or if NO_COLOR is set.
-- @module trepl.coloured
local terminal = require 'trepl.terminal'

local term = os.getenv 'TERM'

return { on = terminal.isTerminal(1) and term and term ~= 'dumb' and not os.getenv 'NO_COLOR' }
