-- How pools end: collected, left when the program ends, in the middle of jobs, in a child of fork().
local program = require 'spec.support.program'
local threads = require 'threads'

local isRelease = (os.getenv 'MT_PRESET' or 'release') == 'release'

-- How many entries a folder of this process in /proc has.
local function count(folder)
  local pipe, n = io.popen('ls /proc/$PPID/' .. folder), 0
  for _ in pipe:lines() do n = n + 1 end
  pipe:close()
  return n
end

-- The output and the exit status of a program.
local function outcome(code, environment)
  local output, status, errors = program.run({ '-e', "local threads = require 'threads' " .. code }, '', environment)
  return { output, status, errors }
end

describe('a pool that is left', function()
  it('does its jobs when the program ends', function()
    assert.same({ '1234', 0, '' }, outcome [[
      local pool = threads.Threads(2)
      pool:ordered(true)
      for i = 1, 4 do pool:addjob(function() return i end, function(n) io.write(n) end) end
    ]])
  end)

  it('does its jobs when the program ends with an error', function()
    local ended = outcome [[
      local pool = threads.Threads(1)
      pool:addjob(function() return 'done' end, function(text) io.write(text) end)
      error('of the program', 0)
    ]]
    assert.equal('done', ended[1])
    assert.equal(1, ended[2])
    assert.matches('of the program', ended[3])
  end)

  it('tells of errors that nobody asked for', function()
    local ended = outcome "threads.Threads(1):addjob(function() error 'unseen' end)"
    assert.equal(0, ended[2])
    assert.matches('^threads: a pool was collected that had errors: \n%[thread 1 callback%] .*unseen\n', ended[3])
  end)

  it('is stopped by os.exit, in the middle of whatever it does', function()
    local jobs = {
      idle = '',
      waiting = "require('threads').Condition():wait((function() local m = require('threads').Mutex() m:lock() return m end)())",
      interpreted = 'jit.off() while true do pcall(function() while true do end end) end',
      compiled = 'while true do end',
      sleeping = "require('sys').sleep(1000)",
      torch = "local x = require('torch').ones(1000) while true do x:mul(2) x = x * 2 end",
      nested = "local p = require('threads').Threads(2) for i = 1, 9 do p:addjob(function() while true do end end) end p:synchronize()",
      starting = "while true do require('threads').Threads(2) end",
    }
    for name, job in pairs(jobs) do
      local ended = outcome(([[
        local pool = threads.Threads(2)
        for i = 1, 4 do pool:addjob(function() %s end) end
        io.write 'here'
        require('sys').sleep(0.05)
        os.exit(7)
      ]]):format(job), 'ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0')      -- os.exit does not close states
      assert.same({ 'here', 7, '' }, ended, name)
    end
  end)

  it('may hold threads of any state when the program ends', function()
    assert.same({ 'ok', 0, '' }, outcome [[
      local pool = threads.Threads(2, function() require 'torch' end)
      local inner = threads.Threads(1)
      inner:addjob(function() return require('threads').Threads(2) end)
      io.write(pcall(inner.synchronize, inner) and 'no' or 'ok')
      pool:addjob(function() left = require('threads').Threads(3) left:addjob(function() return 1 end) end)
      threads.Thread 'x = 1'
    ]])
  end)

  it('ends its threads when it is collected', function()
    threads.Threads(1):terminate()      -- a sanitizer's own thread comes with the first one
    local before, done = count 'task', 0
    do
      local pool = threads.Threads(3)
      assert.equal(before + 3, count 'task')
      for _ = 1, 5 do pool:addjob(function() end, function() done = done + 1 end) end
      pool = nil      -- luacheck: ignore 311
    end
    collectgarbage()
    collectgarbage()
    assert.equal(before, count 'task')
    assert.equal(5, done)
  end)

  it('leaves a child of fork() alone', function()
    assert.same({ 'child parent 3', 0, '' }, outcome([[
      local ffi = require 'ffi'
      ffi.cdef 'int fork(void); int waitpid(int, int *, int);'
      local pool = threads.Threads(2)
      pool:addjob(function() return 3 end, function(n) three = n end)
      local child = ffi.C.fork()
      if child == 0 then
        local good, message = pcall(pool.synchronize, pool)
        io.write(not good and message:find 'fork' and 'child ' or 'wrong ')
        io.stdout:flush()
        return
      end
      ffi.C.waitpid(child, nil, 0)
      pool:synchronize()
      io.write('parent ', three)
    ]], 'ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0'))      -- the child has no threads that would free their memory
  end)

  it('is stopped by Ctrl-C', function()
    for _, first in ipairs { 'jit.off()', '' } do      -- compiled loops can't be stopped; the program ends all the same
      local script = program.script(first .. [[
        local threads, ffi = require 'threads', require 'ffi'
        ffi.cdef 'int getpid(void); int kill(int, int);'
        local pool = threads.Threads(2)
        for i = 1, 2 do
          pool:addjob(function(pid)
            local ffi = require 'ffi'
            ffi.cdef 'int kill(int, int);'
            if i == 2 then
              require('sys').sleep(0.1)
              ffi.C.kill(pid, 2)
            end
            while true do end
          end, nil, ffi.C.getpid())
        end
        pool:synchronize()
      ]])
      -- (Work of a stopped thread is left unfinished.)
      local _, status, errors = program.run({ script }, '', 'ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0')
      os.remove(script)
      assert.equal(130, status)
      assert.matches('interrupted!', errors)
    end
  end)
end)

describe('memory that is not there', function()
  it('is an error of the job, after which the thread goes on', function()
    if not isRelease then return pending 'sanitizers take all addresses there are' end
    assert.same({ '11', 0, '' }, outcome([[
      local pool = threads.Threads(1)
      for _ = 1, 2 do
        pool:addjob(function()
          local t = {}
          for i = 1, 1e9 do t[i] = { i } end
        end)
        pool:addjob(function() return 1 end, function(n) io.write(n) end)
        local good, message = pcall(pool.synchronize, pool)
        assert(not good and message:find 'not enough memory')
      end
    ]], 'ulimit -v 500000;'))
  end)
end)

describe('a hundred pools', function()
  it('release all their resources', function()
    local function resources()
      collectgarbage()
      collectgarbage()
      local file = io.open '/proc/self/status'
      local memory = tonumber(file:read '*a':match 'VmRSS:%s*(%d+)')
      file:close()
      local files = math.huge
      for _ = 1, 5 do files = math.min(files, count 'fd') end      -- the system's libraries open one for a moment
      return memory, files
    end
    local function open(n)
      for i = 1, n do
        local pool = threads.Threads(2, function() require 'torch' end)
        for j = 1, 3 do pool:addjob(function() return torch.zeros(1000), j end, function() end) end      -- luacheck: ignore 113
        if i % 2 == 0 then pool:terminate() else pool:synchronize() end      -- the latter is collected, sooner or later
      end
    end
    open(100)      -- the allocators of threads keep memory for the next ones
    local memory, files = resources()
    open(100)
    local memoryAfter, filesAfter = resources()
    assert.is_true(filesAfter <= files, ('%d files, %d before'):format(filesAfter, files))
    local most = isRelease and 4096 or math.huge      -- sanitizers keep much
    assert.is_true(memoryAfter - memory < most, ('%d KiB more'):format(memoryAfter - memory))
  end)
end)
