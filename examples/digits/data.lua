--- The pictures to learn from: drawn by digits.strokes, or MNIST's files from a folder.
-- A set has `images` (ByteTensor N x 28 x 28) and `labels` (LongTensor N, the digit + 1).
-- @module digits.data
local ffi = require 'ffi'
local torch = require 'torch'
local idx, strokes = require 'digits.idx', require 'digits.strokes'

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

local function readSet(folder, prefix)
  local imagePath = idx.find(folder, prefix .. '-images-idx3-ubyte')
  local labelPath = idx.find(folder, prefix .. '-labels-idx1-ubyte')
  if not imagePath or not labelPath then return nil end
  local pixels, sizes = idx.read(imagePath, 3)
  local digits, labelSizes = idx.read(labelPath, 1)
  local count = sizes[1]
  if sizes[2] ~= side or sizes[3] ~= side or labelSizes[1] ~= count then
    error(('digits: %s: pictures of %d x %d and %d labels for %d, expected 28 x 28 and one label each'):format(folder, sizes[2], sizes[3],
      labelSizes[1], count), 0)
  end
  local images, labels = torch.ByteTensor(count, side, side), torch.LongTensor(count)
  ffi.copy(images:data(), pixels, count * side * side)
  local classes = labels:data()
  for i = 0, count - 1 do
    if digits[i] > 9 then error(('digits: %s: label %d, expected 0 to 9'):format(labelPath, digits[i]), 0) end
    classes[i] = digits[i] + 1
  end
  return { images = images, labels = labels }
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
