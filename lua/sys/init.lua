--- Clock, shell commands and terminal colours.
-- @module sys
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch.start.luajit'

local sys = {}
rawset(_G, 'sys', sys)

--- Whether x is not a number.
function sys.isNaN(x) return x ~= x end

require 'torch.start.lazy_loader'(sys, [[
  sys.time: clock sleep usleep tic toc
  sys.shell: execute fexecute ls ll la lla
  sys.place: uname OS prefix fpath
  paths: dirname concat
  COLORS = sys.colors
  split = sys.split
]])

return sys
