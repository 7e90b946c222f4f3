--- Messages between processes: a value, a tensor or a storage, after a header of 32 bytes.
-- Values are in the format of torch.save, without functions: no value of another process runs as code. Tensors and storages
-- travel as their elements, and fill the receiver's memory. Whatever is wrong in a message is one error; where the bytes of the next
-- message can't be found afterwards, the connection is closed.
-- @module ipc.message
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local plainBytes = require 'torch.file.plain_bytes'

local message = {}

local header = ffi.typeof 'struct { uint8_t kind, dimensions, elementSize, spare[5]; uint64_t bytes; char dtype[16]; }'
local headerSize = ffi.sizeof(header)
local sizesOf = ffi.typeof 'int64_t[?]'
local value, tensor, storage = 1, 2, 3
local mostDimensions = 64

local known = {}      -- the dtypes of memory on the CPU, by the names of tensors and storages
for _, info in ipairs(C.dtypes) do
  known[('torch.%sTensor'):format(info.torch)], known[('torch.%sStorage'):format(info.torch)] = info.torch, info.torch
  known[info.torch] = true
end

-- Returns the kind of a value in messages, and its dtype.
local function kindOf(x)
  local dtype = known[torch.type(x)]
  if not dtype then return value end
  return torch.isTensor(x) and tensor or storage, dtype
end

local function begin(kind, bytes)
  local head = header()
  head.kind, head.bytes = kind, bytes
  return head
end

-- Returns a function that sends the elements of a tensor or storage.
local function elements(kind, dtype, x)
  local dense = kind == tensor and x:contiguous() or x
  local lent = C.lend(dense)
  local count = kind == tensor and x:nElement() or x:size()
  local head = begin(kind, count * x:elementSize())
  head.elementSize, head.dtype = x:elementSize(), dtype
  local sizes
  if kind == tensor then
    head.dimensions = x:dim()
    sizes = ffi.new(sizesOf, x:dim())
    for d = 1, x:dim() do sizes[d - 1] = x:size(d) end
  end
  return function(stream, seconds)
    stream:write(head, headerSize, seconds)
    if sizes then stream:write(sizes, 8 * x:dim(), seconds) end
    if count > 0 then stream:write(lent:data(), tonumber(head.bytes), seconds) end
  end
end

--- Prepares a message.
-- @param x a tensor or storage on the CPU, or a value that torch.save accepts, without functions
-- @treturn function (stream, seconds) sends it
-- @raise for other values
function message.prepare(x)
  local kind, dtype = kindOf(x)
  if kind ~= value then return elements(kind, dtype, x) end
  local bytes, size = plainBytes.write('message', x)
  return function(stream, seconds)
    stream:write(begin(value, size), headerSize, seconds)
    stream:write(C.lend(bytes):data(), size, seconds)
  end
end

--- Sends a message.
-- @tparam ipc.stream stream
-- @param x as of `prepare`
-- @number[opt] seconds the longest pause of the other end
function message.send(stream, x, seconds) message.prepare(x)(stream, seconds) end

-- Closes a connection whose bytes make no sense.
local function refuse(stream, what)
  stream:close()
  error(('damaged message: %s'):format(what), 0)
end

-- Raises an error after the elements of a message, so that the next one can be read.
local function mismatch(stream, bytes, seconds, what)
  stream:drop(bytes, seconds)
  error(what, 0)
end

-- Reads the sizes of a tensor; they must agree with the number of bytes.
local function readSizes(stream, head, seconds)
  local n, count = head.dimensions, 1
  if n > mostDimensions then refuse(stream, ('%d dimensions'):format(n)) end
  local sizes = ffi.new(sizesOf, n)
  if n > 0 then stream:read(sizes, 8 * n, seconds) end
  local list = {}
  for d = 1, n do
    list[d] = tonumber(sizes[d - 1])
    if list[d] < 0 then refuse(stream, ('a size of %d'):format(list[d])) end
    count = count * list[d]
  end
  if n == 0 then count = 0 end
  if count * head.elementSize ~= tonumber(head.bytes) then refuse(stream, 'sizes that do not agree with its bytes') end
  return list
end

-- Checks that a tensor or storage has the memory for a message, as torch-ipc words it.
local function compare(stream, x, kind, dtype, sizes, head, seconds)
  local bytes = tonumber(head.bytes)
  local mine, myType = kindOf(x)
  if mine ~= kind then mismatch(stream, bytes, seconds, ('local %s can not receive a remote %s'):format(
    torch.type(x), kind == tensor and 'tensor' or 'storage')) end
  if x:elementSize() ~= head.elementSize then
    mismatch(stream, bytes, seconds, ('local(%d) and remote(%d) ELEMENT_SIZE mismatch'):format(x:elementSize(), head.elementSize))
  end
  if myType ~= dtype then mismatch(stream, bytes, seconds, ('local(%s) and remote(%s) type mismatch'):format(myType, dtype)) end
  if kind == storage then
    local count = bytes / head.elementSize
    if x:size() ~= count then
      mismatch(stream, bytes, seconds, ('local (%d) and remote (%d) storage size do not match'):format(x:size(), count))
    end
    return
  end
  if x:dim() ~= #sizes then
    mismatch(stream, bytes, seconds, ('local(%d) and remote(%d) number of dimensions mismatch'):format(x:dim(), #sizes))
  end
  for d, size in ipairs(sizes) do
    if x:size(d) ~= size then
      mismatch(stream, bytes, seconds, ('local(%d) and remote(%d) size of dimension(%d) mismatch'):format(x:size(d), size, d))
    end
  end
end

-- Reads elements into a tensor or storage of their sizes.
local function fill(stream, x, bytes, seconds)
  local dense = x
  if torch.isTensor(x) and not x:isContiguous() then dense = torch[x:type():match '%.(.+)$']():resize(x:size()) end
  if bytes > 0 then stream:read(C.lend(dense):data(), bytes, seconds) end
  if dense ~= x then return x:copy(dense) end
  if torch.isTensor(x) then C.bumpVersion(x) end
  return x
end

local function receiveElements(stream, head, into, seconds, limit)
  local kind, dtype, bytes = head.kind, ffi.string(head.dtype, 16):match '^%Z*', tonumber(head.bytes)
  local info = known[dtype] == true and torch[dtype .. 'Storage']()
  if not info or info:elementSize() ~= head.elementSize then refuse(stream, 'an unknown type of elements') end
  if bytes % head.elementSize ~= 0 then refuse(stream, 'a part of an element') end
  local sizes = kind == tensor and readSizes(stream, head, seconds)
  if into ~= nil then
    compare(stream, into, kind, dtype, sizes, head, seconds)
    return fill(stream, into, bytes, seconds)
  end
  if bytes > limit then refuse(stream, ('%.0f bytes, and the limit is %.0f'):format(bytes, limit)) end
  if kind == storage then return fill(stream, info:resize(bytes / head.elementSize), bytes, seconds) end
  return fill(stream, torch[dtype .. 'Tensor']():resize(torch.LongStorage(sizes)), bytes, seconds)
end

local piece = 2 ^ 20

-- Reads a value. Memory grows with what has come, so a wrong size takes none.
local function receiveValue(stream, bytes, seconds)
  local room, done = torch.ByteStorage(), 0
  while done < bytes do
    local count = math.min(bytes - done, math.max(piece, done))
    room:resize(done + count)
    stream:read(C.lend(room):data() + done, count, seconds)
    done = done + count
  end
  local good, x = plainBytes.read('message', room, bytes)
  if not good then error(('damaged message: %s'):format(x), 0) end
  return x
end

--- Receives a message.
-- @tparam ipc.stream stream
-- @tparam[opt] torch.Tensor|torch.Storage into of the message's type and sizes; written
-- @number[opt] seconds the longest pause of the other end
-- @number limit the most bytes of a value, or of a new tensor
-- @return `into`, a new tensor or storage, or the value
function message.receive(stream, into, seconds, limit)
  local head = header()
  stream:read(head, headerSize, seconds)
  if head.kind == tensor or head.kind == storage then return receiveElements(stream, head, into, seconds, limit) end
  local bytes = tonumber(head.bytes)
  if head.kind ~= value then refuse(stream, ('kind %d'):format(head.kind)) end
  if bytes > limit then refuse(stream, ('%.0f bytes, and the limit is %.0f'):format(bytes, limit)) end
  local x = receiveValue(stream, bytes, seconds)
  if into ~= nil then error(('local %s can not receive a remote %s'):format(torch.type(into), torch.type(x)), 0) end
  return x
end

return message
