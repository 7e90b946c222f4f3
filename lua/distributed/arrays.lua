--- The functions that make arrays over ranks, with all of their methods.
-- @module distributed.arrays
local meta = require 'distributed.array'
require 'distributed.array_reductions'
require 'distributed.array_moves'
require 'distributed.array_products'
require 'distributed.array_solvers'
local files = require 'distributed.array_files'
local guard = require 'torch.check.guard'

for name, method in pairs(meta._class) do
  meta._class[name] = meta._checked(name, method)
  guard.written[meta._class[name]] = method
end

return { array = meta._new, loadArray = files.load, scatterArray = files.scatter }
