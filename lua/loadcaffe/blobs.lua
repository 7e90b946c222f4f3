--- The arrays of a layer's weights, which stay in the file until they are read.
-- @module loadcaffe.blobs
local ffi = require 'ffi'
local torch = require 'torch'

local bytePtr = ffi.typeof 'uint8_t *'

-- Returns the sizes of a blob; files from before `shape` have four numbers.
local function sizesOf(blob)
  if blob.shape then return { unpack(blob.shape.dim or {}) } end
  return { blob.num or 1, blob.channels or 1, blob.height or 1, blob.width or 1 }
end

-- Copies ranges of the file into a tensor.
local function read(p, ranges)
  local tensor = torch[ranges.size == 8 and 'DoubleTensor' or 'FloatTensor'](ranges.count)
  local target = ffi.cast(bytePtr, tensor:data())
  for _, range in ipairs(ranges) do
    ffi.copy(target, p + range[1], range[2])
    target = target + range[2]
  end
  return tensor
end

--- Returns functions that read the blobs of a layer.
-- @tparam torch.ByteStorage file
-- @tparam {table,...} list the messages of the blobs
-- @string words name of the layer, for messages
-- @treturn function tensor(i, sizes): blob i, with these sizes, or those of a vector
-- @treturn function shape(i): its sizes
return function(file, list, words)
  local p = ffi.cast(bytePtr, file:data())
  local function find(i)
    local blob = list[i]
    local ranges = blob and (blob.double_data or blob.data)
    if not ranges then error(('%s: %d blobs with numbers, expected %d or more'):format(words, math.min(#list, i - 1), i), 0) end
    return blob, ranges
  end
  local function shape(i)
    local blob, ranges = find(i)
    local sizes, count = sizesOf(blob), 1
    for _, size in ipairs(sizes) do count = size > 0 and count * size or 0 end
    if count ~= ranges.count then
      error(('%s: blob %d has %.0f numbers, expected %s'):format(words, i, ranges.count, table.concat(sizes, ' x ')), 0)
    end
    return sizes
  end
  local function tensor(i, sizes)
    shape(i)
    local values = read(p, select(2, find(i)))
    if not sizes then return values end
    if torch.isStorage(sizes) then sizes = sizes:totable() end
    local count = 1
    for _, size in ipairs(sizes) do count = count * size end
    if count ~= values:nElement() then
      error(('%s: blob %d has %d numbers, expected %s'):format(words, i, values:nElement(), table.concat(sizes, ' x ')), 0)
    end
    return values:view(unpack(sizes))
  end
  return tensor, shape
end
