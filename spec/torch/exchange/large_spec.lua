-- Files of 10 GB, with holes instead of bytes: they are mapped, and read where they are used.
local torch = require 'torch'

local gigabytes = 10

local function resident()
  local file = io.open '/proc/self/statm'
  local pages = tonumber(file:read '*a':match '^%d+ (%d+)')
  file:close()
  return pages * 4096
end

describe('a file of 10 GB', function()
  it('of safetensors opens without reading its tensors', function()
    local name, elements = os.tmpname(), gigabytes * 2 ^ 30 / 4
    local header = ('{"last":{"dtype":"F32","shape":[2],"data_offsets":[%.0f,%.0f]},"large":{"dtype":"F32","shape":[1024,%.0f],'
      .. '"data_offsets":[0,%.0f]}}'):format(elements * 4, elements * 4 + 8, elements / 1024, elements * 4)
    header = header .. (' '):rep(-#header % 8)
    local file = io.open(name, 'wb')
    file:write(string.char(#header % 256, math.floor(#header / 256), 0, 0, 0, 0, 0, 0), header)
    file:seek('cur', elements * 4)
    file:write '\0\0\128\63\0\0\0\64'      -- 1 and 2 as float32
    file:close()
    local before = resident()
    local tensors = torch.safetensors.load(name)
    assert.equal(elements, tensors.large:nElement())
    assert.equal(3, tensors.last:sum())
    assert.equal(0, tensors.large[500]:sum())
    assert.is_true(resident() - before < 200e6, 'bytes in memory: ' .. resident() - before)
    tensors = nil      -- luacheck: ignore 311
    collectgarbage()
    os.remove(name)
  end)
end)
