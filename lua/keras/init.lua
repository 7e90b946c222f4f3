--- Weights of Keras by PyTorch's names and in its layouts: of .h5, .weights.h5 and .keras files. Nothing in the files runs as code.
-- @module keras
-- @usage local state = require 'keras'.load 'model.keras'
-- net:loadStateDict(state, { rules = { { '^conv2d%.', '0.' }, { '^dense%.', '3.' } } })
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'

local keras = {}
require 'torch.modules'.publish('keras', keras)

require 'torch.start.lazy_loader'(keras, [[
  keras.load: load config
]])

return keras
