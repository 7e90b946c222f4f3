--- Tables of text as lists of strings, in the interface of Torch7's csvigo: raw rows, columns by name, queries, and large files.
-- Cells are strings here; `data.csv` returns typed columns.
-- @module csvigo
-- @usage local flowers = csvigo.load { path = 'iris.csv', verbose = false }
-- print(#flowers.species, flowers.species[1])
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'

local csvigo = {}

require 'torch.start.lazy_loader'(csvigo, [[
  csvigo.load: load
  csvigo.save: save
  csvigo.file: File
]])

rawset(_G, 'csvigo', csvigo)

return csvigo
