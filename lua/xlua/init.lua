--- Conveniences for programs: progress bar, argument handling, option parser, session tools.
-- Loading it sets the globals xlua, xprint, xerror and xrequire and adds functions to table and string, as Torch7's did.
-- @module xlua
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'
require 'sys'
require 'xlua.tables'
local globals = require 'xlua.globals'

local xlua = { print = globals.print, error = globals.error, require = globals.require, remember = globals.remember }

require 'torch.start.lazy_loader'(xlua, [[
  xlua.progress: progress formatTime
  xlua.bar: bar Bar
  xlua.text: table2string envparams
  xlua.session: clearall clear who trycatch installed log
  xlua.arguments: usage unpack unpack_class usage_module
  OptionParser = xlua.option_parser
  Profiler = xlua.profiler
]])

rawset(_G, 'xlua', xlua)
rawset(_G, 'xprint', xlua.print)
rawset(_G, 'xerror', xlua.error)
rawset(_G, 'xrequire', xlua.require)
xlua.remember()

return xlua
