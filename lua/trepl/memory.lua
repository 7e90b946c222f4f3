--- Memory in use by tensors, Lua and the process, and the largest variables.
-- @module trepl.memory
local locals = require 'trepl.locals'
local size = require('torch.units').size

local memory = {}

local SHOWN = 5      -- variables

-- The resident bytes of the process; nil if the system doesn't report them.
local function resident()
  local file = io.open '/proc/self/status'
  if not file then return nil end
  local kilobytes = file:read '*a':match 'VmRSS:%s*(%d+)'
  file:close()
  return kilobytes and kilobytes * 1024
end

-- The bytes of a tensor's storage; nil for other values.
local function bytesOf(x)
  local torch = package.loaded.torch
  if type(x) ~= 'userdata' or not torch or not torch.isTensor(x) then return nil end
  local storage = x:storage()
  return storage and #storage * x:elementSize() or 0
end

-- Variables that are tensors, the largest first.
local function variables()
  local found = {}
  local function add(name, value)
    local bytes = bytesOf(value)
    if bytes and not name:find '^_' then found[#found + 1] = { name = name, bytes = bytes, value = value } end
  end
  for name, value in next, _G do
    if type(name) == 'string' then add(name, value) end
  end
  for _, name in ipairs(locals.names()) do add(name, select(2, locals.get(name))) end
  table.sort(found, function(a, b)
    if a.bytes ~= b.bytes then return a.bytes > b.bytes end
    return a.name < b.name
  end)
  return found
end

--- The output of `:mem`.
-- @treturn string
function memory.text()
  local torch, lines = require 'torch', {}
  local function add(name, format, ...) lines[#lines + 1] = ('%-10s %s\n'):format(name, format:format(...)) end
  local tensors = torch.memory()
  add('tensors', '%s in %d blocks; %s more are kept for reuse', size(tensors.live), tensors.blocks, size(tensors.cached))
  add('Lua', '%s', size(collectgarbage 'count' * 1024))
  local process = resident()
  if process then add('process', '%s', size(process)) end
  local largest = variables()
  for i = 1, math.min(#largest, SHOWN) do
    local one = largest[i]
    add(i == 1 and 'largest' or '', '%s of %s: %s', size(one.bytes), one.name,
      require 'torch.tensor.display'.line(one.value, torch.typename(one.value)))
  end
  return table.concat(lines)
end

--- The output of `:mem` for a chunk: the memory of tensors by the line that allocated it, and what the chunk left behind.
-- @tparam function chunk
-- @treturn string
function memory.textOf(chunk)
  local rows = require 'torch'.profiler.memory(chunk)
  return #rows > 0 and tostring(rows) .. '\n' or 'no tensors were allocated\n'
end

return memory
