--- A file with a checksum: a line with its kind, the number and the checksum of the bytes that follow it, which are one table in the t7
-- format. Writing is atomic; files with functions are neither written nor read.
-- @module torch.file.checked
local ffi = require 'ffi'
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
local serializeToStorage = torch.serializeToStorage      -- reading the field loads the parts of torch.file in their order
local atomic, Disk, Memory = require 'torch.file.atomic', require 'torch.file.disk_channel', require 'torch.file.memory_channel'
local oneObject = require 'torch.file.one_object'

local checked = {}

local heading, sizeOfNumbers, pattern = 'moontorch %s 1 %020.0f %010.0f\n', 32, '^moontorch (%w+) 1 (%d+) (%d+)\n$'
local piece = 2 ^ 20

-- The checksum of a storage's first bytes.
local function checksum(storage, size)
  local sum, bytes = 0, ffi.cast('const char *', storage:data())
  for first = 0, size - 1, piece do sum = C.crc32c(ffi.string(bytes + first, math.min(piece, size - first)), sum) end
  return sum
end

-- Files with functions are not read, because functions are code.
local function refuseFunctions(where, value, path, seen)
  if type(value) == 'function' then check.raise(('%s: %s: a function, expected values without functions'):format(where, path:sub(2))) end
  if type(value) ~= 'table' or seen[value] then return end
  seen[value] = true
  for key, part in next, value do refuseFunctions(where, part, ('%s.%s'):format(path, tostring(key)), seen) end
end

--- Writes a table, completely or not at all.
-- @string where the start of messages
-- @string kind of the file, a word
-- @string name
-- @tparam table state
-- @raise if it contains a function, or the file can't be written
function checked.write(where, kind, name, state)
  refuseFunctions(where, state, '', {})
  local storage = serializeToStorage(state)
  local size = storage:size()
  local head = heading:format(kind, size, checksum(storage, size))
  atomic.write(where, name, function(channel)
    for _, part in ipairs { { head, #head }, { ffi.cast('const char *', storage:data()), size } } do
      local _, message = channel:write(part[1], part[2])
      if message then error(message, 0) end
    end
  end)
end

-- Reads up to n bytes into a storage; returns their number.
local function readBytes(channel, storage, n)
  local bytes, count = ffi.cast('uint8_t *', storage:data()), 0
  while count < n do
    local more = channel:read(bytes + count, n - count)
    if more == 0 then break end
    count = count + more
  end
  return count
end

local function contents(channel, kind)
  local headingSize = #'moontorch  1 ' + #kind + sizeOfNumbers
  local head = torch.CharStorage(headingSize)
  local got = readBytes(channel, head, headingSize)
  local found, size, sum = ffi.string(head:data(), got):match(pattern)
  if found ~= kind then return nil, ('no %s of Moontorch'):format(kind) end
  size, sum = tonumber(size), tonumber(sum)
  local expected = headingSize + size
  if channel:size() ~= expected then return nil, ('%.0f bytes, expected %.0f'):format(channel:size(), expected) end
  local storage = torch.CharStorage(size)
  got = readBytes(channel, storage, size)
  local actual = checksum(storage, got)
  if actual ~= sum then return nil, ('damaged: its bytes have the checksum %.0f, expected %.0f'):format(actual, sum) end
  local good, state = oneObject.read(Memory.ofStorage(storage, size), kind, 'binary', { functions = false })
  if not good then return nil, state end
  return state
end

--- Reads a table.
-- @string where the start of messages
-- @string kind of the file
-- @string name
-- @treturn table
-- @raise `where: kind: name: ...` if it is none, or damaged
function checked.read(where, kind, name)
  local channel, message = Disk.open(name, 'r')
  if not channel then check.raise(('%s: %s: %s: %s'):format(where, kind, name, message)) end
  local good, state, problem = pcall(contents, channel, kind)
  channel:close()
  if not good then state, problem = nil, state end
  if type(state) ~= 'table' then check.raise(('%s: %s: %s: %s'):format(where, kind, name, tostring(problem or 'no table'))) end
  return state
end

return checked
