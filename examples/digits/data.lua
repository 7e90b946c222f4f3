--- The pictures to learn from: drawn by digits.strokes, or MNIST's files from a folder.
-- A set has `images` (ByteTensor N x 28 x 28) and `labels` (LongTensor N, the digit + 1).
-- @module digits.data
local torch = require 'torch'
local paths = require 'paths'
local idx, strokes = require('data.readers').idx, require 'digits.strokes'

local data = {}
local side = strokes.side

--- Draws a set.
-- @tparam int count number of pictures, the digits in turn
-- @tparam int seed
function data.draw(count, seed)
  local images, labels = torch.ByteTensor(count, side, side), torch.LongTensor(count)
  local pixels, classes = images:data(), labels:data()
  local source = strokes.source(seed)
  for i = 0, count - 1 do
    strokes.draw(i % 10, pixels + i * side * side, source)
    classes[i] = i % 10 + 1
  end
  return { images = images, labels = labels }
end

-- The path of a file, packed by gzip or not; nil if there is none.
local function find(folder, name)
  for _, ending in ipairs { '', '.gz' } do
    local path = paths.concat(folder, name .. ending)
    if paths.filep(path) then return path end
  end
end

local function readSet(folder, prefix)
  local imagePath, labelPath = find(folder, prefix .. '-images-idx3-ubyte'), find(folder, prefix .. '-labels-idx1-ubyte')
  if not imagePath or not labelPath then return nil end
  local images, labels = idx.load(imagePath):byte(), idx.load(labelPath):long()
  if images:dim() ~= 3 or images:size(2) ~= side or images:size(3) ~= side or labels:dim() ~= 1 or labels:size(1) ~= images:size(1) then
    error(('digits: %s: pictures of %s and labels of %s, expected N x 28 x 28 and N'):format(folder,
      table.concat(images:size():totable(), ' x '), table.concat(labels:size():totable(), ' x ')), 0)
  end
  if labels:nElement() > 0 and labels:max() > 9 then
    error(('digits: %s: label %d, expected 0 to 9'):format(labelPath, labels:max()), 0)
  end
  return { images = images, labels = labels:add(1) }
end

local function part(set, first, count)
  return { images = set.images:narrow(1, first, count), labels = set.labels:narrow(1, first, count) }
end

--- Reads MNIST's files, gzipped or not. Of the test files alone, the first four fifths train.
-- @tparam string folder
-- @return training set
-- @return test set
function data.read(folder)
  local test = readSet(folder, 't10k')
  if not test then
    error(('digits: %s: no t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte (or .gz), expected MNIST files'):format(folder), 0)
  end
  local train = readSet(folder, 'train')
  if train then return train, test end
  local count = test.labels:size(1)
  local training = math.floor(count * 0.8)
  return part(test, 1, training), part(test, training + 1, count - training)
end

--- The sets of a program: MNIST's files, or 8,000 pictures drawn to learn from and 2,000 drawn to test on.
-- @tparam ?string folder of MNIST's files; none or '' draws
-- @tparam int seed of the drawing
-- @return training set
-- @return test set
function data.sets(folder, seed)
  if folder and folder ~= '' then return data.read(folder) end
  return data.draw(8000, seed), data.draw(2000, seed + 1e6)
end

--- The first samples of a set, at most `count`.
-- @tparam table set
-- @tparam int count
-- @treturn table
function data.first(set, count) return part(set, 1, math.min(count, set.labels:size(1))) end

--- The samples at some positions as a batch: grey values with mean 0 and deviation 1 over MNIST.
-- @tparam table set
-- @tparam torch.LongTensor positions
-- @treturn torch.FloatTensor N x 1 x 28 x 28
-- @treturn torch.LongTensor N classes
function data.batch(set, positions)
  local images = set.images:index(1, positions):float():add(-0.1307 * 255):div(0.3081 * 255)
  return images:view(positions:size(1), 1, side, side), set.labels:index(1, positions)
end

return data
