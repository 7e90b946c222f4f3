-- Children of fork() of a process that has used CUDA: an error if they would wait for resources that only the parent has; the parent
-- continues.
local emulated = require 'spec.support.emulated_cuda'

local noLeaks = 'ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0'      -- the child has no threads that would free the parent's memory

-- A program whose child runs `child`, a chunk of code, with x and y on a device; the parent waits for it, 20 s at most, and continues.
local function run(child)
  return emulated.run(([[
    local ffi = require 'ffi'
    ffi.cdef 'int fork(void); int waitpid(int, int *, int); unsigned alarm(unsigned); int usleep(unsigned);'
    local cuda = require 'torch.cuda'
    local x, y = torch.ones(3):to 'cuda:1', torch.range(1, 1000):to 'cuda:1'
    local stream, event = cuda.Stream(1), cuda.Event()
    event:record(stream)
    local z = torch.exp(y)      -- under way at the fork
    io.stdout:flush()
    local id = ffi.C.fork()
    if id == 0 then
      ffi.C.alarm(20)           -- ends a child that waits
      local function try(f, ...)
        local done, message = pcall(f, ...)
        io.write(done and 'done' or message:match '(%%w+: CUDA can.t be used in a child of fork)' or message, '\n')
      end
      %s
      io.stdout:flush()
      os.exit(0, true)          -- finalisers run
    end
    local status = ffi.new 'int[1]'
    ffi.C.waitpid(id, status, 0)
    io.write(('child %%d, parent %%d of %%d\n'):format(status[0], torch.add(x, x):to('cpu'):sum(), z:nElement()))
  ]]):format(child), noLeaks)
end

local refused = ': CUDA can.t be used in a child of fork\n'

describe('a child of fork() after CUDA was used', function()
  it('gets an error of whatever would use a device, and ends', function()
    local text = run [[
      try(function() return x + x end)
      try(function() return x:sum() end)
      try(function() return x:to 'cpu' end)
      try(function() return x[1] end)
      try(function() return torch.zeros(3):to 'cuda:1' end)
      try(function() return torch.zeros(3, 'cuda:2') end)
      try(function() x:fill(1) end)
      try(cuda.synchronize)
      try(function() stream:synchronize() end)
      try(function() event:synchronize() end)
      try(cuda.emptyCache)
    ]]
    assert.equal(11, select(2, text:gsub(refused, '')), text)
    assert.matches('child 0, parent 6 of 1000\n$', text)
  end)

  it('computes on the CPU, and releases what is on a device', function()
    local text = run [[
      try(function() assert(torch.ones(1000, 100):sum() == 100000) end)
      x, y, z, stream, event = nil, nil, nil, nil, nil
      collectgarbage() collectgarbage()
      try(function() assert(torch.ones(1000, 100):tanh():sum() > 76000) end)
    ]]
    assert.equal('done\ndone\nchild 0, parent 6 of 1000\n', text)
  end)

  it('uses a device where its parent has not', function()
    local text = emulated.run([[
      local ffi = require 'ffi'
      ffi.cdef 'int fork(void); int waitpid(int, int *, int); unsigned alarm(unsigned);'
      local cuda = require 'torch.cuda'
      io.write(cuda.deviceCount() > 0 and 'devices\n' or 'none\n')
      io.stdout:flush()
      local id = ffi.C.fork()
      if id == 0 then
        ffi.C.alarm(20)
        io.write(torch.ones(3):to('cuda:1'):sum(), '\n')
        io.stdout:flush()
        os.exit(0, true)
      end
      local status = ffi.new 'int[1]'
      ffi.C.waitpid(id, status, 0)
      io.write('child ', status[0], '\n')
    ]], noLeaks)
    assert.equal('devices\n3\nchild 0\n', text)
  end)
end)
