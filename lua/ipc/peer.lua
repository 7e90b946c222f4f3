--- One end of a connection that has joined: sends and receives messages, with errors that name the function.
-- @module ipc.peer
local torch = require 'torch'
local check = require 'torch.check'
local message = require 'ipc.message'

local peer = {}

-- The names of options of all ends.
peer.options = { 'secret', 'timeout', 'limit', 'wait' }

local mostBytes = 2 ^ 32

--- Checks the options `secret`, `timeout` and `wait` (seconds), and `limit` (bytes).
-- @string where
-- @tparam ?table options
-- @treturn table a copy
function peer.check(where, options)
  options = check.options(where, options, peer.options)
  if options.secret ~= nil then check.text(where, 'secret', options.secret) end
  for _, name in ipairs { 'timeout', 'wait' } do
    if options[name] ~= nil then check.number(where, name, options[name], { min = 0 }) end
  end
  check.number(where, 'limit', options.limit or mostBytes, { min = 0 })
  local own = {}
  for name, value in pairs(options) do own[name] = value end
  return own
end

local function raised(where, good, ...)
  if good then return ... end
  check.raise(('%s: %s'):format(where, tostring((...))))
end

--- Calls f, whose errors become errors of `where`.
function peer.call(where, f, ...) return raised(where, pcall(f, ...)) end

--- Sends a message.
-- @string where
-- @tparam ipc.stream stream
-- @param x
-- @tparam table options
function peer.send(where, stream, x, options) return peer.call(where, message.send, stream, x, options.timeout) end

--- Receives a message.
-- @string where
-- @tparam ipc.stream stream
-- @tparam[opt] torch.Tensor|torch.Storage into
-- @tparam table options
function peer.receive(where, stream, into, options)
  if into ~= nil and not torch.isTensor(into) and not torch.isStorage(into) then
    check.raise(('%s: tensor: %s, expected a tensor or a storage to receive into'):format(where, torch.type(into)))
  end
  return peer.call(where, message.receive, stream, into, options.timeout, options.limit or mostBytes)
end

return peer
