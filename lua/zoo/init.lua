--- Networks of papers by the names of torchvision's and transformers' builders, with the published weights of these.
-- `zoo.load('resnet18', 'resnet18.pth')` reads a file of PyTorch's or a safetensors file; no code of it runs.
-- @module zoo
-- @usage local zoo = require 'zoo'
-- print(zoo.card 'resnet18')
-- local net = zoo.make('resnet18', { numClasses = 10 })
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'
require 'nn'

local zoo = {}
require 'torch.modules'.publish('zoo', zoo)

-- The classes of networks and their blocks have no public names; files of networks name them.
require 'torch.start.lazy_loader'(zoo, [[
  zoo.catalogue: list make
  zoo.card: card
  zoo.load: load
  zoo.generate: generate
  zoo.replay: replay
  zoo.word2vec: trainWords
  zoo.word_vectors: loadWords
]], function(_, name) return type(name) == 'string' and name:find '^%u' and require('zoo.catalogue').class(name) or nil end)

return zoo
