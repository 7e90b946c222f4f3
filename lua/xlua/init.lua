--- Conveniences for programs: progress bar, argument handling, option parser, session tools.
-- Loading it sets the globals xlua, xprint, xerror and xrequire and adds functions to table and string, as Torch7's did.
-- @module xlua
require 'torch'
require 'sys'
require 'xlua.tables'

local xlua = { OptionParser = require 'xlua.option_parser', Profiler = require 'xlua.profiler' }

for _, part in ipairs { 'progress', 'text', 'session', 'arguments' } do
  for name, value in pairs(require('xlua.' .. part)) do xlua[name] = value end
end

rawset(_G, 'xlua', xlua)
rawset(_G, 'xprint', xlua.print)
rawset(_G, 'xerror', xlua.error)
rawset(_G, 'xrequire', xlua.require)
xlua.remember()

return xlua
