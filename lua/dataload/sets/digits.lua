--- MNIST and CIFAR-10 as loaders.
-- @module dataload.sets.digits
local torch = require 'torch'
local check = require 'torch.check'
local paths = require 'paths'
local dl = require 'dataload'
local fetch = require 'dataload.fetch'
local readers = require 'data.readers'
local scaling = require 'dataload.scaling'

local digits = {}

local parts = { train = 'train', test = 't10k' }

-- The last part of the training samples is for validation.
local function splitOff(where, train, ratio)
  check.that(type(ratio) == 'number' and ratio > 0 and ratio < 1, ('%s: validratio: %s, expected a number between 0 and 1'):format(where,
    tostring(ratio)))
  return train:split(1 - ratio)
end

local function loaderOf(inputs, targets, scale, range)
  if scale ~= false then
    scale = scale or { 0, 1 }
    inputs = scaling.rescale(inputs:float(), scale[1], scale[2], 0, range)
  end
  return dl.TensorLoader(inputs, targets)
end

local function finished(classes, train, valid, test)
  for _, loader in ipairs { train, valid, test } do loader.classes = classes end
  return train, valid, test
end

-- A file of the digits, compressed or not; downloaded in compressed form if there is an address.
local function digitsFile(folder, name, url)
  if paths.filep(paths.concat(folder, name)) then return paths.concat(folder, name) end
  return fetch.files('dataload.loadMNIST', folder, { name .. '.gz' }, url)[1]
end

--- The handwritten digits.
-- @string[opt] datapath the folder of the four IDX files, optionally compressed by gzip; default: DATA_PATH/mnist
-- @number[opt=1/6] validratio fraction of the training samples for validation
-- @tparam[opt] {number,number}|bool scale range of the inputs ({0, 1}); false leaves them from 0 to 255
-- @string[opt] srcurl address of the folder, or of an archive, to download missing files from
-- @treturn dl.TensorLoader for training: inputs n x 1 x 28 x 28, targets from 1 (the digit + 1)
-- @treturn dl.TensorLoader for validation
-- @treturn dl.TensorLoader for testing
function digits.loadMNIST(datapath, validratio, scale, srcurl)
  if datapath ~= nil then datapath = check.name('dataload.loadMNIST', 'datapath', datapath) end
  datapath = datapath or paths.concat(dl.DATA_PATH, 'mnist')
  local loaders = {}
  for part, prefix in pairs(parts) do
    local images = readers.idx.load(digitsFile(datapath, prefix .. '-images-idx3-ubyte', srcurl))
    local labels = readers.idx.load(digitsFile(datapath, prefix .. '-labels-idx1-ubyte', srcurl))
    check.that(images:dim() == 3 and labels:dim() == 1, ('dataload.loadMNIST: %s: %d and %d dimensions, expected images and labels'):format(
      datapath, images:dim(), labels:dim()))
    loaders[part] = loaderOf(images:view(images:size(1), 1, images:size(2), images:size(3)), labels:long():add(1), scale, 255)
  end
  local train, valid = splitOff('dataload.loadMNIST', loaders.train, validratio or 1 / 6)
  return finished({ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 }, train, valid, loaders.test)
end

-- The folder with the batches, which may be a subfolder from the archive.
local function batchesFolder(datapath, url)
  for _, folder in ipairs { datapath, paths.concat(datapath, 'cifar-10-batches-bin') } do
    if paths.filep(paths.concat(folder, 'test_batch.bin')) then return folder end
  end
  check.that(url, ('dataload.loadCIFAR10: test_batch.bin is not in %s; put the binary version of CIFAR-10 there, or give srcurl, from '
    .. 'where it is fetched'):format(datapath))
  fetch.decompressfile(datapath, fetch.downloadfile(datapath, url))
  return batchesFolder(datapath)
end

--- The small photographs of CIFAR-10.
-- @string[opt] datapath the folder of the binary version; default: DATA_PATH/cifar10
-- @number[opt=1/6] validratio fraction of the training samples for validation
-- @tparam[opt] {number,number}|bool scale range of the inputs ({0, 1}); false leaves them from 0 to 255
-- @string[opt] srcurl address of the archive, to download it if it is missing
-- @treturn dl.TensorLoader for training: inputs n x 3 x 32 x 32 (floats), targets from 1 (floats)
-- @treturn dl.TensorLoader for validation
-- @treturn dl.TensorLoader for testing
function digits.loadCIFAR10(datapath, validratio, scale, srcurl)
  if datapath ~= nil then datapath = check.name('dataload.loadCIFAR10', 'datapath', datapath) end
  local folder = batchesFolder(datapath or paths.concat(dl.DATA_PATH, 'cifar10'), srcurl)
  local loaders = {}
  for part in pairs(parts) do
    local found = readers.cifar.load(folder, { classes = 10, part = part })
    loaders[part] = loaderOf(found.data:float(), torch.FloatTensor(found.size):copy(found.label):add(1), scale, 255)
  end
  local train, valid = splitOff('dataload.loadCIFAR10', loaders.train, validratio or 1 / 6)
  return finished(readers.cifar.classes, train, valid, loaders.test)
end

return digits
