--- CIFAR-10 and CIFAR-100: the binary version, records of labels and 3 x 32 x 32 bytes; the version for Python is in cifar_pickle.lua.
-- Format: A. Krizhevsky, "Learning Multiple Layers of Features from Tiny Images" (2009), and its data's page.
-- @module data.readers.cifar
local ffi = require 'ffi'
local torch = require 'torch'
local check = require 'torch.check'
local cifarPickle = require 'data.readers.cifar_pickle'
local damage = require 'torch.file.damage'
local outside = require 'torch.file.outside'
local paths = require 'paths'

local cifar = {}

local pixels = 3 * 32 * 32
-- Bytes before a record's pixels: their names and numbers of classes.
local formats = {
  [10] = { fields = { 'label' }, classes = { 10 } },
  [100] = { fields = { 'coarse', 'label' }, classes = { 20, 100 } },
}

--- The names of CIFAR-10's classes, in the order of the labels.
cifar.classes = { 'airplane', 'automobile', 'bird', 'cat', 'deer', 'dog', 'frog', 'horse', 'ship', 'truck' }

local function recordBytes(format) return #format.fields + pixels end

-- Most sizes are a multiple of only one format's record: the smallest multiple of both is 3074 records of CIFAR-10.
local function formatFor(bytes, wanted)
  for _, classes in ipairs { 10, 100 } do
    local format = formats[classes]
    if (not wanted or wanted == classes) and bytes > 0 and bytes % recordBytes(format) == 0 then return format end
  end
  local expected = wanted and ('of %d bytes (CIFAR-%d)'):format(recordBytes(formats[wanted]), wanted)
    or 'of 3073 bytes (CIFAR-10) or 3074 bytes (CIFAR-100)'
  damage.raise(1, 'a whole number of records ' .. expected, ('a file of %.0f bytes'):format(bytes))
end

-- Splits records into pixels and labels, and checks the labels.
local function split(bytes, format, first)
  local n, width = bytes:size(1), recordBytes(format)
  local found = { data = bytes:narrow(2, width - pixels + 1, pixels):contiguous():view(n, 3, 32, 32) }
  for i, field in ipairs(format.fields) do
    local labels, classes = bytes:select(2, i):clone(), format.classes[i]
    found[field] = labels
    local wrong = torch.ge(labels, classes):nonzero()
    if wrong:nElement() > 0 then
      local at = wrong[1][1]
      damage.raise(first + (at - 1) * width + i - 1, ('a label from 0 to %d in record %d'):format(classes - 1, at), tostring(labels[at]))
    end
  end
  return found
end

local function readFrom(channel, wanted)
  if cifarPickle.isNext(channel) then return cifarPickle.read(channel, wanted) end
  local format = formatFor(channel:size(), wanted)
  local n = channel:size() / recordBytes(format)
  local storage = torch.ByteStorage(channel:size())
  outside.fill(channel, ffi.cast('uint8_t *', storage:data()), channel:size(), 'the records')
  return split(torch.ByteTensor(storage, 1, torch.LongStorage { n, recordBytes(format) }), format, 1)
end

-- Files of a part, without the ending of the binary version.
local parts = {
  train = { 'data_batch_1', 'data_batch_2', 'data_batch_3', 'data_batch_4', 'data_batch_5' },
  test = { 'test_batch' },
}

-- The files of a part of the data set in a folder: CIFAR-10's batches, or CIFAR-100's one file, in the binary version or that for Python.
local function filesIn(folder, part)
  for _, ending in ipairs { '.bin', '' } do
    local names = {}
    for _, base in ipairs(parts[part]) do
      local name = paths.concat(folder, base .. ending)
      if paths.filep(name) then names[#names + 1] = name end
    end
    if #names > 0 then return names end
    local whole = paths.concat(folder, part .. ending)
    if paths.filep(whole) then return { whole } end
  end
  check.raise(('data.cifar.load: name: %s has no %s.bin and no %s.bin, expected the files of CIFAR-10 or CIFAR-100, with .bin or without')
    :format(folder, parts[part][1], part))
end

local function joined(all)
  if #all == 1 then return all[1] end
  local whole = {}
  for field in pairs(all[1]) do
    local list = {}
    for i, each in ipairs(all) do
      list[i] = check.that(each[field], 'data.cifar.load: name: files of CIFAR-10 and of CIFAR-100, expected those of one')
    end
    whole[field] = torch.cat(list, 1)
  end
  return whole
end

--- Reads images and labels, of the binary version or of that for Python, whose pickles are read without running code.
-- @tparam string|{string,...} name a file, a list of files, or the folder of the data set
-- @tparam[opt] table options
--
-- - `classes`: the format, 10 or 100; default: from the file's size, or its names
-- - `part`: for a folder, 'train' (the default) or 'test'
-- @treturn table `data` (ByteTensor n x 3 x 32 x 32, red, green, blue), `label` (ByteTensor n, from 0 as in the file), for CIFAR-100 also
-- `coarse` (from 0 to 19), and `size`
-- @raise `data.cifar.load: <name>: at byte N: expected ..., read ...`
-- @usage local train = require('data').cifar.load('cifar-10-batches-bin', { part = 'train' })
function cifar.load(name, options)
  options = check.options('data.cifar.load', options, { 'classes', 'part' })
  local wanted, part = options.classes, options.part or 'train'
  check.that(wanted == nil or formats[wanted], ('data.cifar.load: classes: %s, expected 10 or 100'):format(tostring(wanted)))
  check.that(parts[part], ("data.cifar.load: part: %s, expected 'train' or 'test'"):format(tostring(part)))
  local names = name
  if type(name) ~= 'table' then
    name = check.name('data.cifar.load', 'name', name)
    names = paths.dirp(name) and filesIn(name, part) or { name }
  end
  check.that(#names > 0, 'data.cifar.load: name: an empty list, expected files')
  local all = {}
  for i, each in ipairs(names) do
    all[i] = outside.open('data.cifar.load', each, function(channel) return readFrom(channel, wanted) end)
  end
  local found = joined(all)
  found.size = found.data:size(1)
  return found
end

return cifar
