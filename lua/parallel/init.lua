--- Child processes that run code and exchange values with the program: the interface of Torch7's package parallel. See
-- docs/packages/parallel.md.
-- @module parallel
-- @usage require 'parallel'
-- local child = parallel.fork()
-- child:exec(function() parallel.parent:send(parallel.parent:receive() * 2) end)
-- child:send(21)
-- print(child:receive())
-- parallel.children:sync()
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'
require 'sys'
local check, Post = require 'torch.check', require 'parallel.post'
local ffi = require 'ffi'

ffi.cdef 'int mt_kill(int pid, int signal) asm("kill");'

local terminate = 15
local here = '127.0.0.1'

local parallel = {}
require 'torch.modules'.publish('parallel', parallel)
_G.parallel = parallel

--- The number of this process: 0 in the program, from 1 in its children.
parallel.id = 0

--- The address of this process, as `fork` was given it.
parallel.ip = here

--- In a child: the program, to which it sends and from which it receives. In the program, only its number, -1.
parallel.parent = { id = -1 }

--- The number of children that have been started.
parallel.nchildren = 0

--- In a child: the arguments of `fork`.
parallel.args = {}

--- A child process.
-- @type Child
local Child = setmetatable({}, { __index = Post })
Child.__index = Child

local children = {}

--- The children by number; `exec`, `send`, `receive`, `join` and `sync` do the same for each of them.
parallel.children = setmetatable({}, { __index = children })

local function each(f)
  for id = 1, parallel.nchildren do
    local child = rawget(parallel.children, id)
    if child then f(child, id) end
  end
end

--- Runs code in the child, once; the child ends with it.
-- @tparam string|function code a function without upvalues; its globals are the child's
function Child:exec(code)
  check.that(type(code) == 'string' or type(code) == 'function',
    ('parallel: exec: code: %s, expected Lua code in a string, or a function'):format(check.describe(code)))
  if self._isRunning then check.raise '<parallel.exec> process already running code, cannot exec again' end
  if type(code) == 'function' then
    local name = debug.getupvalue(code, 1)
    check.that(not name, ('parallel: exec: code: a function with the upvalue %s, expected one without'):format(tostring(name)))
    code = string.dump(code)
  elseif type(code) == 'string' then
    local chunk, problem = loadstring(code, '=code')
    check.that(chunk, ('parallel: exec: %s, expected Lua code'):format(tostring(problem)))
  end
  self:put('exec', 'code', code)
  self._isRunning = true
end

--- Waits for the child's `parallel.yield`, which returns the message.
-- @string[opt=''] text 'break' by custom for the last time
function Child:join(text)
  text = check.text('parallel: join', 'message', text or '')
  self:take('join', 'yield')
  self:put('join', 'join', text)
end

--- Waits until the process has ended. One that has no code to run ends at once.
function Child:sync()
  if not self._isRunning then self._stream:close() end
  self._input:close()
  self._stream:close()
  parallel.children[self.id] = nil
end

Child.send, Child.receive = Post.send, Post.receive
check.methods(Child, 'a child of parallel.fork')

for _, name in ipairs { 'exec', 'send', 'join', 'sync' } do
  children[name] = function(self, ...)
    check.that(self == parallel.children, ('parallel: %s: self: expected parallel.children:%s(...), with a colon'):format(name, name))
    local arguments, count = { ... }, select('#', ...)
    each(function(child) child[name](child, unpack(arguments, 1, count)) end)
  end
end

function children.receive(self, ...)
  check.that(self == parallel.children, 'parallel: receive: self: expected parallel.children:receive(...), with a colon')
  local values, arguments, count = {}, { ... }, select('#', ...)
  each(function(child, id) values[id] = child:receive(unpack(arguments, 1, count)) end)
  return values
end

local speeds = {}      -- by address, since `calibrate`

--- Starts a process, which waits for code.
-- @string[opt='127.0.0.1'] ip another machine is reached by ssh
-- @string[opt='ssh -Y'] protocol
-- @string[opt] lua the command of the child; the program that runs this one, if that is th or luajit
-- @param[opt] ... numbers, or Lua source: `parallel.args` of the child
-- @treturn parallel.Child `send`, `receive`, `exec`, `join`, `sync`; `id`, `unixid`, `ip`, `speed`
function parallel.fork(ip, protocol, lua, ...)
  ip = check.name('parallel.fork', 'ip', ip or here)
  protocol = check.name('parallel.fork', 'protocol', protocol or 'ssh -Y')
  if lua ~= nil then lua = check.name('parallel.fork', 'lua', lua) end
  local id = parallel.nchildren + 1
  local post, unixid, input = require 'parallel.start'(id, ip, protocol, lua, { ... })
  post.id, post.unixid, post.ip, post.speed, post._input = id, unixid, ip, speeds[ip] or 1, input
  parallel.nchildren, parallel.children[id] = id, setmetatable(post, Child)
  return post
end

--- Starts n processes, or several lists of them.
-- @param ... n; or tables { n, ip =, protocol =, lua = }
-- @treturn {parallel.Child,...}
function parallel.nfork(...)
  local list = {}
  check.that(select('#', ...) > 0, 'parallel.nfork: n: nil, expected a number, or a table such as { 2, ip = ... }')
  for _, request in ipairs { ... } do
    local some = type(request) == 'table' and request or { request }
    for _ = 1, check.int('parallel.nfork', 'n', some[1], { min = 0 }) do
      list[#list + 1] = parallel.fork(some.ip, some.protocol, some.lua)
    end
  end
  return list
end

local remotes = {}

--- Names machines for `sfork`.
-- @param ... tables { ip =, cores =, lua =, protocol = }
function parallel.addremote(...)
  for _, machine in ipairs { ... } do
    check.table('parallel.addremote', 'machine', machine)
    check.name('parallel.addremote', 'ip', machine.ip)
    check.int('parallel.addremote', 'cores', machine.cores, { min = 1 })
    remotes[#remotes + 1] = machine
  end
end

--- Starts n processes on the machines of `addremote`, as many as they have cores and then again from the first; here without such.
-- @int n
-- @treturn {parallel.Child,...}
function parallel.sfork(n)
  check.int('parallel.sfork', 'n', n, { min = 0 })
  if #remotes == 0 then return parallel.nfork(n) end
  local list = {}
  while #list < n do
    for _, machine in ipairs(remotes) do
      for _ = 1, math.min(machine.cores, n - #list) do list[#list + 1] = parallel.fork(machine.ip, machine.protocol, machine.lua) end
    end
  end
  return list
end

-- What a child runs to show the speed of its machine: the seconds of a fixed computation, the least of a few times.
local measure = [[
local torch, sys = require 'torch', require 'sys'
local sum, x, least = torch.zeros(1e5), torch.ones(1e5), math.huge
for _ = 1, 5 do
  local start = sys.clock()
  for _ = 1, 100 do sum:add(1e-3, x) end
  least = math.min(least, sys.clock() - start)
end
parallel.parent:send(least)
]]

--- Measures the speed of each machine of `addremote`, or of this one without such, in a process there. `speed` of the children that are
-- there, and of later ones, is then that of their machine, as a part of that of the fastest, which has 1: for dividing work.
function parallel.calibrate()
  local seconds, fastest, count = {}, math.huge, parallel.nchildren
  for _, machine in ipairs(#remotes > 0 and remotes or { { ip = here } }) do
    if not seconds[machine.ip] then
      local child = parallel.fork(machine.ip, machine.protocol, machine.lua)
      child:exec(measure)
      seconds[machine.ip] = child:receive()
      child:sync()
      parallel.nchildren = count
      fastest = math.min(fastest, seconds[machine.ip])
    end
  end
  for ip, time in pairs(seconds) do speeds[ip] = fastest / time end
  each(function(child) child.speed = speeds[child.ip] or child.speed end)
end

--- Starts a process and runs code in it.
-- @tparam string|function code
-- @param ... arguments as of `fork`
-- @treturn parallel.Child
function parallel.run(code, ...)
  check.that(type(code) == 'string' or type(code) == 'function',
    ('parallel.run: code: %s, expected Lua code in a string, or a function'):format(check.describe(code)))
  local child = parallel.fork(nil, nil, nil, ...)
  child:exec(code)
  return child
end

--- Prints values after the number of this process.
function parallel.print(...)
  local words = { ('<parallel#%03d>'):format(parallel.id) }
  for i = 1, select('#', ...) do words[i + 1] = tostring((select(i, ...))) end
  print(table.concat(words, ' '))
end

--- Ends all children.
function parallel.close()
  parallel.print 'closing session'
  each(function(child)
    if child.ip == here then ffi.C.mt_kill(child.unixid, terminate) end
    child._stream:close()
    child:sync()
  end)
  parallel.reset()
end

--- Forgets all children and machines.
function parallel.reset()
  for id in pairs(parallel.children) do parallel.children[id] = nil end
  parallel.nchildren, remotes, speeds = 0, {}, {}
end

return parallel
