--- The handwritten digits of MNIST, from local files.
--
-- The package searches the files in the given folder, in the folder of the environment variable MOONTORCH_MNIST_DATA, and in `data`
-- next to this file; they may be compressed by gzip (`train-images-idx3-ubyte.gz`). Nothing is downloaded.
-- @module mnist
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local torch = require 'torch'
local check = require 'torch.check'
local paths = require 'paths'

local mnist = {}

local own = paths.concat(paths.dirname(paths.thisfile()), 'data')
local endings = { '', '.gz' }

-- Names of the data set, and names after decompression by some programs.
local function spellings(base) return { base, (base:gsub('%-idx', '.idx', 1)) } end

local function find(folder, base)
  for _, spelled in ipairs(spellings(base)) do
    for _, ending in ipairs(endings) do
      local name = paths.concat(folder, spelled .. ending)
      if paths.filep(name) then return name end
    end
  end
end

-- The file with this name in the first folder that has it.
local function locate(op, folder, base)
  local named = os.getenv 'MOONTORCH_MNIST_DATA' or os.getenv 'MNIST_DATA'      -- the earlier name
  local places = folder and { folder } or { named or own, named and own }
  for _, place in ipairs(places) do
    local name = find(place, base)
    if name then return name end
  end
  check.raise(('%s: %s[.gz] is not in %s; put the four files of MNIST there, or give the folder that has them'):format(op, base,
    table.concat(places, ' or ')))
end

local Set = {}

-- set[i]: a digit and its label.
function Set.__index(set, i)
  if type(i) ~= 'number' then return nil end
  check.that(i >= 1 and i <= set.size and i % 1 == 0, ('mnist: index: %s, expected a whole number from 1 to %d'):format(i, set.size))
  return { x = set.data[i], y = set.label[i] }
end

local function load(op, folder, part)
  if folder ~= nil then folder = check.name(op, 'folder', folder) end
  local idx = require('data.readers').idx
  local imagesName, labelsName = locate(op, folder, part .. '-images-idx3-ubyte'), locate(op, folder, part .. '-labels-idx1-ubyte')
  local data, label = idx.load(imagesName), idx.load(labelsName)
  local isBytes = torch.type(data) == 'torch.ByteTensor' and torch.type(label) == 'torch.ByteTensor'
  check.that(isBytes and data:dim() == 3 and label:dim() == 1 and data:size(1) == label:size(1),
    ('%s: %s has %s of %s, %s %s of %s, expected as many bytes of labels as images of bytes'):format(op, imagesName, data:type(),
      table.concat(data:size():totable(), ' x '), labelsName, label:type(), table.concat(label:size():totable(), ' x ')))
  return setmetatable({ data = data, label = label, size = data:size(1) }, Set)
end

--- The 60,000 training digits.
-- @string[opt] folder that has the files
-- @treturn table `data` (ByteTensor n x 28 x 28, from 0 to 255), `label` (ByteTensor n, from 0 to 9) and `size` (n); `set[i]` is
-- `{ x = ByteTensor 28 x 28, y = number }`, where x shares memory with the data
-- @usage local train = require('mnist').traindataset(); print(train[1].y)
function mnist.traindataset(folder) return load('mnist.traindataset', folder, 'train') end

--- The 10,000 test digits; otherwise like `traindataset`.
-- @string[opt] folder that has the files
-- @treturn table
function mnist.testdataset(folder) return load('mnist.testdataset', folder, 't10k') end

return mnist
