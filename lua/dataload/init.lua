--- Loaders of batches: tensors, sequences, pictures in folders, loading in several threads, and classic data sets, with the interface
-- of Element-Research's dataload.
-- @module dataload
-- @usage local dl = require 'dataload'
-- local loader = dl.TensorLoader(inputs, targets)
-- for k, inputs, targets in loader:sampleiter(32, 1000) do step(inputs, targets) end
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'

local dl = {}
package.loaded.dataload = dl

require 'torch.start.lazy_loader'(dl, [[
  dataload.folders: TORCH_PATH DATA_PATH SAVE_PATH
  dataload.fetch: load downloadfile decompressfile untar
  dataload.identity: hostname uniqueid
  dataload.words: splitString buildVocab text2tensor buildBigrams
  dataload.scaling: rescale binarize fitImageNormalize
  dataload.sets.digits: loadMNIST loadCIFAR10
  dataload.sets.language: loadPTB loadGBW loadSentiment140
  dataload.sets.imagenet: loadImageNet
]])

for _, name in ipairs { 'DataLoader', 'TensorLoader', 'SequenceLoader', 'MultiSequence', 'ImageClass', 'MultiImageSequence',
                        'AsyncIterator' } do
  require('dataload.' .. name)      -- files with serialised loaders need the classes
end

-- Programs of the package rnn use it to print their options.
if rawget(table, 'print') == nil then
  rawset(table, 'print', function(t)
    for key, value in pairs(t) do print(key, value) end
  end)
end

return dl
