-- Child processes of the package parallel.
local torch = require 'torch'
require 'parallel'
local top = parallel
local files, program = require 'spec.support.files', require 'spec.support.program'

local function fails(expected, f, ...)
  local good, problem = pcall(f, ...)
  assert.is_false(good)
  assert.truthy(tostring(problem):find(expected, 1, true), tostring(problem))
end

local function fork(...) return parallel.fork(nil, nil, program.path, ...) end

describe('parallel', function()
  before_each(function() parallel.reset() end)

  it('is a global, with the fields of the top', function()
    assert.equal(top, require 'parallel')
    assert.equal(0, parallel.id)
    assert.equal(-1, parallel.parent.id)
    assert.equal(0, parallel.nchildren)
    assert.equal('127.0.0.1', parallel.ip)
  end)

  it('exchanges values with functions in processes', function()
    local child = fork(5, '{ a = "x" }')
    assert.equal(1, child.id)
    assert.equal(1, parallel.nchildren)
    assert.equal(child, parallel.children[1])
    child:exec(function()
      local me, there = parallel, require 'torch'
      local x = me.parent:receive()
      me.parent:send { x * 2, me.id, me.args[1], me.args[2].a, unixid = tonumber(io.open('/proc/self/stat'):read '*n') }
      me.parent:send(there.FloatStorage { 1, 2, 3 })
      me.parent:send(nil)
    end)
    assert.is_nil(child:receive 'noblock')
    child:send(torch.ones(3))
    local answer = child:receive()
    assert.equal(6, answer[1]:sum())
    assert.same({ 1, 5, 'x' }, { answer[2], answer[3], answer[4] })
    assert.equal(child.unixid, answer.unixid)
    local storage = torch.CharStorage()
    assert.equal(storage, child:receive(storage))
    assert.equal(12, storage:size())
    assert.equal(0x40, storage[8])      -- 2 as a float, its last byte
    assert.is_nil(child:receive())
    fails('<parallel.exec> process already running code, cannot exec again', child.exec, child, '')
    parallel.children:sync()
    assert.is_nil(parallel.children[1])
    fails('parallel: child 1: receive: the connection is closed', child.receive, child)
  end)

  it('speaks to all children', function()
    fork()
    fork()
    parallel.children:exec [[
      local sum = 0
      while true do
        local word = parallel.yield()
        if word == 'break' then break end
        sum = sum + parallel.parent:receive() * parallel.id
        parallel.parent:send(sum)
      end
    ]]
    for i = 1, 3 do
      parallel.children:join()
      parallel.children:send(i)
    end
    parallel.children:join 'break'
    local results
    for _ = 1, 3 do results = parallel.children:receive() end
    assert.same({ 6, 12 }, results)
    parallel.children:sync()
  end)

  it('ends children that run', function()
    local output, status, errors = program.run { '-e', ([[
      require 'parallel'
      parallel.nfork { 2, lua = '%s' }
      parallel.children:exec 'parallel.parent:send(parallel.id) while true do os.execute "sleep 0.05" end'
      parallel.children:receive()
      parallel.close()
      print(parallel.nchildren, next(parallel.children))
    ]]):format(program.path) }
    assert.equal('<parallel#000> closing session\t\n0\tnil\t\n', output)
    assert.equal('', errors)
    assert.equal(0, status)
  end)

  it('says where code of a child has failed', function()
    local output, _, errors = program.run { '-e', ([[
      require 'parallel'
      local child = parallel.fork(nil, nil, '%s')
      child:exec "error 'broken'"
      print(select(2, pcall(child.receive, child)))
      parallel.children:sync()
    ]]):format(program.path) }
    assert.truthy(output:find('parallel: child 1: receive: remote peer disconnected', 1, true), output)
    assert.truthy(errors:find('<parallel#001> parallel:1: broken\nstack traceback:', 1, true), errors)
  end)

  it('receives no functions', function()
    local child = fork()
    child:exec(function()
      local _, problem = pcall(parallel.parent.send, parallel.parent, { f = function() end })
      parallel.parent:send(problem)
      require('torch.file.plain_bytes').write = function(_, x)      -- as another program may send it
        local bytes = _G.torch.serializeToStorage(x)
        return bytes, bytes:size()
      end
      parallel.parent:send { f = function() end }
    end)
    local said = child:receive()
    assert.truthy(said:find('parallel: the parent: send: message.f: a function, expected values that torch.save accepts', 1, true), said)
    fails('damaged message', child.receive, child)
    local up = 1
    fails('a function with the upvalue up', child.exec, fork(), function() return up end)
    local shown = _G.print
    _G.print = function() end
    parallel.close()
    _G.print = shown
  end)

  it('brings the connections of other machines here by ssh', function()
    local folder = os.tmpname()
    os.remove(folder)
    os.execute('mkdir ' .. folder)
    local name = folder .. '/ssh'
    local file = assert(io.open(name, 'w'))
    file:write('#!/bin/sh\necho "$@" >' .. name .. '.log\nwhile [ $# -gt 1 ]; do shift; done\nexec sh -c "$1"\n')
    file:close()
    os.execute('chmod +x ' .. name)
    parallel.addremote { ip = 'far', cores = 2, protocol = name .. ' -q', lua = program.path }
    local child = parallel.sfork(1)[1]
    child:exec 'parallel.parent:send(parallel.ip)'
    assert.equal('far', child:receive())
    parallel.children:sync()
    assert.truthy(files.read(name .. '.log'):find '^%-q %-R (%d+):127%.0%.0%.1:%1 far exec ')
    os.execute('rm -r ' .. folder)
    fails("protocol: 'rsh', expected ssh", parallel.fork, 'far', 'rsh')
  end)

  it('measures the speed of machines', function()
    local child = fork()
    child.speed = 0
    parallel.calibrate()
    assert.equal(1, child.speed)      -- this machine is the fastest of those there are
    assert.equal(1, fork().speed)
    assert.equal(2, parallel.nchildren)
    assert.is_nil(parallel.children[3])
    local shown = _G.print
    _G.print = function() end
    parallel.close()
    _G.print = shown
  end)

  it('ends a child that has no code', function()
    local child = fork()
    child:sync()
    assert.is_nil(parallel.children[child.id])
    assert.is_nil(io.open(('/proc/%d/cmdline'):format(child.unixid)))
  end)

  it('says what is wrong with an argument', function()
    local child = fork()
    fails('parallel.fork: lua: /nonexistent/lua, expected a command that the shell finds', parallel.fork, nil, nil, '/nonexistent/lua')
    fails("parallel.fork: protocol: 'telnet', expected ssh", parallel.fork, 'host', 'telnet')
    fails('parallel.fork: protocol: /nonexistent/ssh, expected a command', parallel.fork, 'host', '/nonexistent/ssh')
    fails('parallel.nfork: n: nil, expected a number', parallel.nfork)
    fails("parallel.nfork: n: 'x', expected a whole number", parallel.nfork, 'x')
    fails('parallel.addremote: machine: 3, expected a table', parallel.addremote, 3)
    fails('parallel.addremote: cores: nil, expected a whole number', parallel.addremote, { ip = 'x' })
    fails('parallel.sfork: n: nil, expected a whole number', parallel.sfork)
    fails('parallel.run: code: 3, expected Lua code', parallel.run, 3)
    fails('parallel: exec: code: nil, expected Lua code', child.exec, child)
    fails("parallel: exec: code:1: '=' expected near 'x', expected Lua code", child.exec, child, 'x x')
    fails('send: self: nil, expected a child of parallel.fork', child.send)
    fails('receive: self: expected parallel.children:receive', parallel.children.receive)
    fails('parallel: join: message: a table, expected a string', child.join, child, {})
    assert.equal(1, parallel.nchildren)      -- what fails starts nothing
    local shown = _G.print
    _G.print = function() end
    parallel.close()
    _G.print = shown
  end)
end)
