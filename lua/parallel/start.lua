--- Starts a child: a new process of th or luajit, which joins a server that listens for it alone, with a secret that it reads from its
-- input.
-- @module parallel.start
local check, libc = require 'torch.check', require 'torch.file.libc'
local ipc, meeting = require 'ipc', require 'ipc.meeting'
local Post, quote = require 'parallel.post', require 'torch.shell_word'

local patience = 60      -- seconds until a child has started
local here = '127.0.0.1'

-- The program that runs this one, if it runs Lua files.
local function interpreter()
  local path = libc.readlink '/proc/self/exe' or ''
  local name = path:match '[^/]*$'
  return (name == 'th' or name:find '^lua') and path or 'luajit'
end

-- Raises an error if the shell doesn't know a command.
local function need(argument, words)
  local status = os.execute(('command -v %s >/dev/null 2>&1'):format(words:match "^'.-'" or words:match '^%S+' or "''"))
  if status ~= 0 and status ~= true then
    check.raise(('parallel.fork: %s: %s, expected a command that the shell finds'):format(argument, words))
  end
end

-- On another machine, ssh brings the child's connection here, so that nothing listens on the network.
local function command(ip, protocol, lua, port)
  lua = lua or ip == here and quote(interpreter()) or 'luajit'
  local run = ('exec %s -e %s'):format(lua, quote "require('parallel.child')")
  if ip == here then
    need('lua', lua)
    return run
  end
  if not protocol:find '^%S*ssh%f[%s%z]' then
    check.raise(("parallel.fork: protocol: '%s', expected ssh with its options"):format(protocol))
  end
  need('protocol', protocol)
  return ('exec %s -R %d:%s:%d %s %s'):format(protocol, port, here, port, quote(ip), quote(run))
end

--- Starts a process.
-- @int id its number
-- @string ip
-- @string protocol
-- @string[opt] lua
-- @tparam table args
-- @treturn parallel.post
-- @treturn int the process's number
-- @treturn file its input, which waits for its end when it is closed
return function(id, ip, protocol, lua, args)
  local key = meeting.newSecret()
  local server, port = ipc.server(here, 0, { secret = key, timeout = patience })
  local good, line = pcall(command, ip, protocol, lua, port)
  if not good then
    server:close()
    error(line, 0)
  end
  io.stdout:flush()
  -- `cat` reads what a process that has failed to start leaves: writing to nobody would end the program. The shell itself says nothing.
  local input = assert(io.popen(('exec 3>&2 2>/dev/null; (%s) 2>&3 3>&-; cat >/dev/null'):format(line), 'w'))
  input:write(('%d %s\n'):format(port, key))
  input:flush()
  local post, unixid
  local joined, problem = pcall(server.clients, server, 1, function(client)
    client:send { id = id, ip = ip, args = args }
    unixid = client:recv()
    post = Post.new(client:_keep()._client.stream, ('child %d'):format(id))
  end)
  if not joined or type(unixid) ~= 'number' or unixid < 2 then
    server:close()
    check.raise(('parallel.fork: the process `%s` has not joined: %s'):format(line, tostring(problem)))
  end
  server:_leave()
  return post, unixid, input
end
