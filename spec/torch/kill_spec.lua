-- torch.save killed at any moment: the file is the old one or the new one.
local torch = require 'torch'
local ffi = require 'ffi'
local paths = require 'paths'

ffi.cdef [[
int fork(void);
int kill(int pid, int signal);
int waitpid(int pid, int *status, int options);
int usleep(unsigned microseconds);
]]

local kills, signal = 100, 9

-- Saves one value after another until it is killed.
local function saveForEver(name, count)
  while true do
    count = count + 1
    torch.save(name, { count, torch.IntTensor(5000):fill(count), count })
  end
end

-- The number in a file, which must be whole.
local function numberIn(name)
  local object = torch.load(name)
  assert.equal(object[1], object[3])
  assert.equal(5000, object[2]:eq(object[1]):sum())
  return object[1]
end

it('torch.save killed at any of 100 moments leaves a whole file', function()
  local folder = paths.tmpname()
  paths.mkdir(folder)
  local name = folder .. '/file.t7'
  torch.save(name, { 0, torch.IntTensor(5000):fill(0), 0 })
  local last, i = 0, 0
  while i < kills or (last == 0 and i < 20 * kills) do      -- on a busy machine the first saves may be slow
    i = i + 1
    local child = ffi.C.fork()
    if child == 0 then saveForEver(name, last) end
    ffi.C.usleep(i <= kills and 60 * i or 60 * i * i / kills)
    ffi.C.kill(child, signal)
    ffi.C.waitpid(child, nil, 0)
    local now = numberIn(name)
    assert.is_true(now >= last)
    last = now
  end
  assert.is_true(last > 0)      -- otherwise no save has finished
  paths.rmall(folder, 'yes')
end)
