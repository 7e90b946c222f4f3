--- What a child process runs: it joins the program that has started it, waits for code, and runs it.
-- @module parallel.child
local libc = require 'torch.file.libc'
local ipc, Post = require 'ipc', require 'parallel.post'
local parallel = require 'parallel'

local port, key = io.read('*l'):match '^(%d+) (%x+)$'
local client = ipc.client('127.0.0.1', tonumber(port), { secret = key })
local me = client:recv()
client:send(libc.pid())

-- Arguments are numbers or Lua source.
local function argument(text)
  local chunk = type(text) == 'string' and loadstring('return ' .. text)
  if chunk then return setfenv(chunk, _G)() end
  return text
end

parallel.id, parallel.ip, parallel.parent, parallel.args = me.id, me.ip, Post.new(client._stream, 'the parent'), {}
for i, text in ipairs(me.args) do parallel.args[i] = argument(text) end

local parent = parallel.parent
parent.id = 0

--- Waits for the parent's `join`.
-- @treturn string its message
function parallel.yield()
  parent:put('yield', 'yield', true)
  return (select(2, parent:take('yield', 'join')))
end

-- A program that ends, or has no code, leaves a child without a word.
local isThere, _, code = pcall(parent.take, parent, 'exec', 'code')
if not isThere then os.exit(0, true) end
local chunk, problem = loadstring(code, code:sub(1, 1) ~= '\27' and '=parallel' or nil)
local good = chunk ~= nil
if good then good, problem = xpcall(setfenv(chunk, _G), debug.traceback) end
if not good then io.stderr:write(('<parallel#%03d> %s\n'):format(parallel.id, tostring(problem))) end
io.stdout:flush()
client:close()
os.exit(good and 0 or 1, true)
