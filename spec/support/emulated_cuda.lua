--- torch.cuda on emulated devices (cuda/emulated), and separate programs that run on them.
local ffi = require 'ffi'

assert(require 'spec.support.with_cuda', 'the build has no plug-in')
require 'torch'
local emulated = { cuda = require 'torch.cuda', api = require 'torch.cuda.api', element = require 'torch.index.element' }
emulated.cuda.load()

--- Waits for all devices and releases all memory, so that a spec begins without allocated memory.
function emulated.clean()
  collectgarbage()
  collectgarbage()
  emulated.cuda.synchronize()
  emulated.cuda.setMemoryLimit(0)
  emulated.cuda.emptyCache()
  emulated.cuda.resetPeakMemory()
end

--- Counts operations of the devices while f runs.
-- @treturn table differences of torch.cuda.counters
function emulated.counted(f)
  local before = emulated.cuda.counters()
  f()
  local counts = emulated.cuda.counters()
  for name, n in pairs(before) do counts[name] = counts[name] - n end
  return counts
end

--- The address of a tensor's first element.
function emulated.address(x)
  return ffi.cast('char *', emulated.element.storageOf(x).data) + (x:storageOffset() - 1) * x:elementSize()
end

--- Runs a program in a separate process, with additional environment variables, and returns its output.
function emulated.run(program, environment)
  local path = os.tmpname()
  local file = assert(io.open(path, 'w'))
  file:write("local torch = require 'torch'\n", program)
  file:close()
  local th = ('build/%s/bin/th'):format(os.getenv 'MT_PRESET' or 'release')
  local pipe = assert(io.popen(('MOONTORCH_CUDA=%s %s %s %s 2>&1'):format(require('spec.support.gpu').wish, environment or '', th, path)))
  local text = pipe:read '*a'
  pipe:close()
  os.remove(path)
  return text
end

return emulated
