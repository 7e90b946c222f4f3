--- Utilities: tables, lists of files, networks.
-- @module torchnet.utils
local utils = {}

require 'torch.start.lazy_loader'(utils, [[
  table = torchnet.utils.table
  sys = torchnet.utils.sys
  nn = torchnet.utils.nn
]])

return utils
