--- One end between a program and its child: values, and turns of join and yield, which don't get in each other's way.
-- @classmod parallel.post
local ffi = require 'ffi'
local torch, check, C = require 'torch', require 'torch.check', require 'libmoontorch'
local message = require 'ipc.message'

local Post = {}
Post.__index = Post

local limit = 2 ^ 40      -- bytes: the other end belongs to the program

--- @tparam ipc.stream stream
-- @string name of the other end, for messages
function Post.new(stream, name) return setmetatable({ _stream = stream, _name = name, _waiting = {} }, Post) end

local function call(self, what, f, ...)
  local good, value = pcall(f, ...)
  if not good then check.raise(('parallel: %s: %s: %s'):format(self._name, what, tostring(value))) end
  return value
end

--- Sends a value of a kind.
-- @string what the caller, for messages
-- @string kind
-- @param value
function Post:put(what, kind, value)
  local send = call(self, what, message.prepare, value)      -- before the kind, without which the other end would wait for it
  call(self, what, message.send, self._stream, kind)
  call(self, what, send, self._stream)
end

-- Reads the next value, of whatever kind.
local function read(self, what)
  local kind = call(self, what, message.receive, self._stream, nil, nil, limit)
  local list = self._waiting[kind] or {}
  list[#list + 1] = { value = call(self, what, message.receive, self._stream, nil, nil, limit) }
  self._waiting[kind] = list
end

--- Takes the next value of a kind.
-- @string what the caller, for messages
-- @string kind
-- @bool[opt=false] nonblocking does not wait
-- @treturn bool whether there was one
-- @return the value
function Post:take(what, kind, nonblocking)
  while true do
    local list = self._waiting[kind]
    if list and list[1] then return true, table.remove(list, 1).value end
    if nonblocking and not self._stream:isReadable() then return false end
    read(self, what)
  end
end

--- Sends a value.
-- @param x any value that torch.save accepts, without functions
function Post:send(x) self:put('send', 'value', x) end

-- Fills a storage with the bytes of another.
local function fill(into, x)
  if not torch.isStorage(x) then
    check.raise(('parallel: receive: a %s, expected a storage, to fill a storage'):format(torch.type(x)))
  end
  local bytes = x:size() * x:elementSize()
  into:resize(math.ceil(bytes / into:elementSize()))
  if bytes > 0 then ffi.copy(C.lend(into):data(), C.lend(x):data(), bytes) end
  return into
end

--- Waits for a value.
-- @param[opt] how 'noblock' returns nothing if none has come; a storage is filled with the bytes of the storage that comes
-- @return the value
function Post:receive(how)
  local found, x = self:take('receive', 'value', how == 'noblock')
  if not found then return end
  if torch.isStorage(how) then return fill(how, x) end
  return x
end

return Post
