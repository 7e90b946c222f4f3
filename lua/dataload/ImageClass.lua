--- Pictures in one folder per class, read on demand: `datapath/class/picture.jpg`.
-- @classmod dl.ImageClass
local torch = require 'torch'
local check = require 'torch.check'
local paths = require 'paths'
local dl = require 'dataload'
local nested = require 'dataload.nested'
local pictures = require 'dataload.pictures'

local ImageClass, parent = torch.class('dl.ImageClass', 'dl.DataLoader', dl)

local where = 'dl.ImageClass'
local extensions = { jpg = true, png = true, jpeg = true, ppm = true, bmp = true }

-- Unique names of classes, and the folders of each.
local function findClasses(folders, excluded)
  local names, places = {}, {}
  for _, folder in ipairs(folders) do
    check.that(paths.dirp(folder), ('%s: datapath: %s, expected a folder'):format(where, folder))
    for name in paths.iterdirs(folder) do
      if not (excluded and name:find(excluded)) then
        if not places[name] then names[#names + 1], places[name] = name, {} end
        table.insert(places[name], paths.concat(folder, name))
      end
    end
  end
  return names, places
end

local function findPictures(folder, excluded)
  local found = {}
  for name in paths.iterfiles(folder) do
    local isPicture = extensions[(name:match '%.(%w+)$' or ''):lower()] and not (excluded and name:find(excluded))
    if isPicture then found[#found + 1] = paths.concat(folder, name) end
  end
  table.sort(found)
  return found
end

--- @tparam string|{string,...} datapath a folder, or several, with folders of classes
-- @tparam {int,int,int} loadsize channels, height and width: pictures are scaled so that their shorter side matches this size
-- @tparam[opt] {int,int,int} samplesize size of samples; default: loadsize
-- @tparam[opt='sampleDefault'] string|function samplefunc 'sampleDefault' (scaled), 'sampleTrain' (a random part, possibly
-- mirrored), 'sampleTest' (ten parts: the middle and corners, and their mirror images, so ten rows per picture), or a function
-- `f(self, dst, path)`, which returns dst or another tensor with samplesize
-- @tparam[opt] function sortfunc compares names of classes; default: alphabetical
-- @bool[opt=true] verbose whether to print the number of pictures
-- @string[opt] excludeFile Lua pattern of files to leave out
-- @string[opt] excludeDir Lua pattern of classes to leave out
function ImageClass:__init(datapath, loadsize, samplesize, samplefunc, sortfunc, verbose, excludeFile, excludeDir)
  parent.__init(self)
  self.datapath = type(datapath) == 'table' and datapath or { check.name(where, 'datapath', datapath) }
  self.loadsize = pictures.size(where, 'loadsize', loadsize)
  self.samplesize = samplesize and pictures.size(where, 'samplesize', samplesize) or self.loadsize
  self.samplefunc, self.verbose = samplefunc or 'sampleDefault', verbose ~= false
  local names, places = findClasses(self.datapath, excludeDir)
  table.sort(names, sortfunc)
  self.classes, self.iclasses, self.classList, self.imagePath = names, {}, {}, {}
  local classOf = {}
  for class, name in ipairs(names) do
    local own = {}
    for _, folder in ipairs(places[name]) do
      for _, path in ipairs(findPictures(folder, excludeFile)) do
        self.imagePath[#self.imagePath + 1], classOf[#classOf + 1] = path, class
        own[#own + 1] = #classOf
      end
    end
    self.iclasses[name], self.classList[class] = class, torch.LongTensor(own)
  end
  self.nsample = #classOf
  check.that(self.nsample > 0, where .. ': Could not find any image file in the given input paths')
  self.imageClass = torch.LongTensor(classOf)
  if self.verbose then print(('%d pictures of %d classes'):format(self.nsample, #names)) end
end

--- The number of pictures, in total or in a class.
-- @tparam[opt] string|int class its name or number
function ImageClass:size(class)
  if class == nil then return self.nsample end
  local list = self.classList[self.iclasses[class] or class]
  return check.that(list, ('%s: class: %s, expected the name or number of a class'):format(where, tostring(class))):nElement()
end

function ImageClass:isize(excludedim)
  local sizes = { -1, unpack(self.samplesize) }
  table.remove(sizes, excludedim or 1)
  return sizes
end

function ImageClass.tsize() return {} end

-- The samples of a picture.
local function samplesOf(self, path, samplefunc)
  local channels, height, width = unpack(self.samplesize)
  if type(samplefunc) == 'function' then
    local dst = torch.FloatTensor(channels, height, width)
    return { samplefunc(self, dst, path) or dst }
  end
  local make = check.that(pictures.samples[samplefunc], ("%s: samplefunc: %s, expected 'sampleDefault', 'sampleTrain', 'sampleTest' or a "
    .. 'function'):format(where, tostring(samplefunc)))
  return make(pictures.load(path, self.loadsize), height, width)
end

--- Pictures by their numbers.
-- @tparam torch.LongTensor indices
-- @tparam[opt] torch.FloatTensor inputs to write to
-- @tparam[opt] torch.LongTensor targets to write to
-- @tparam[opt] string|function samplefunc default: the loader's
-- @treturn torch.FloatTensor n x channels x height x width, from 0 to 1
-- @treturn torch.LongTensor the numbers of the classes
-- @treturn {string,...} the files
function ImageClass:index(indices, inputs, targets, samplefunc)
  check.tensor(where, 'indices', indices)
  local count, files = indices:nElement(), {}
  local perPicture
  for i = 1, count do
    local path = check.that(self.imagePath[indices[i]], ('%s: index: %s, expected 1 to %d'):format(where, indices[i], self.nsample))
    local samples = samplesOf(self, path, samplefunc or self.samplefunc)
    if not perPicture then
      perPicture = #samples
      inputs = nested.buffer(inputs, torch.FloatTensor(), count * perPicture, unpack(self.samplesize))
      targets = nested.buffer(targets, torch.LongTensor(), count * perPicture)
    end
    for j, sample in ipairs(samples) do
      local row = (i - 1) * perPicture + j
      inputs[row]:copy(sample)
      targets[row], files[row] = self.imageClass[indices[i]], path
    end
  end
  return inputs, targets, files
end

--- Random pictures: draws the class uniformly, then one of its pictures.
-- @int batchsize
-- @tparam[opt] torch.FloatTensor inputs to write to
-- @tparam[opt] torch.LongTensor targets to write to
-- @tparam[opt] string|function samplefunc default: the loader's
function ImageClass:sample(batchsize, inputs, targets, samplefunc)
  local indices = torch.LongTensor(check.int(where, 'batchsize', batchsize, { min = 1 }))
  for i = 1, batchsize do
    local class = torch.random(1, #self.classes)
    local list = self.classList[class]
    check.that(list:nElement() > 0, ('%s: sample: %s: Class has zero samples'):format(where, self.classes[class]))
    indices[i] = list[torch.random(1, list:nElement())]
  end
  return self:index(indices, inputs, targets, samplefunc)
end

return ImageClass
