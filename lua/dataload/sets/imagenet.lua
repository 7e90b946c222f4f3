--- ImageNet as loaders with several threads.
-- @module dataload.sets.imagenet
local check = require 'torch.check'
local paths = require 'paths'
local dl = require 'dataload'

local imagenet = {}

local parts = { { 'ILSVRC2012_img_train', 'train' }, { 'ILSVRC2012_img_val', 'val' } }

local function folderOf(datapath, names)
  for _, name in ipairs(names) do
    if paths.dirp(paths.concat(datapath, name)) then return paths.concat(datapath, name) end
  end
  check.raise(('dataload.loadImageNet: %s has neither %s, expected folders of classes there'):format(datapath,
    table.concat(names, ' nor ')))
end

--- Pictures of ImageNet, or others in its format: a folder for training (ILSVRC2012_img_train or train) and one for validation
-- (ILSVRC2012_img_val or val), each with one folder per class.
-- @string datapath
-- @int[opt=2] nthread number of threads of each loader
-- @tparam[opt] {int,int,int} loadsize size of loaded pictures ({3, 256, 256})
-- @tparam[opt] {int,int,int} samplesize size of samples ({3, 224, 224})
-- @bool[opt] verbose whether to print their number
-- @treturn dl.AsyncIterator of dl.ImageClass with 'sampleTrain'
-- @treturn dl.AsyncIterator of dl.ImageClass with 'sampleTest'
function imagenet.loadImageNet(datapath, nthread, loadsize, samplesize, verbose)
  datapath = check.name('dataload.loadImageNet', 'datapath', datapath)
  loadsize, samplesize = loadsize or { 3, 256, 256 }, samplesize or { 3, 224, 224 }
  local loaders = {}
  for i, sample in ipairs { 'sampleTrain', 'sampleTest' } do
    local set = dl.ImageClass(folderOf(datapath, parts[i]), loadsize, samplesize, sample, nil, verbose or false)
    loaders[i] = dl.AsyncIterator(set, nthread or 2)
  end
  return loaders[1], loaders[2]
end

return imagenet
