-- Files of 10 GB, with holes instead of bytes: they are mapped, and read where they are used.
local torch = require 'torch'

local gigabytes = 10

local function resident()
  local file = io.open '/proc/self/statm'
  local pages = tonumber(file:read '*a':match '^%d+ (%d+)')
  file:close()
  return pages * 4096
end

local function little(value, size)
  local bytes = {}
  for i = 1, size do bytes[i], value = string.char(value % 256), math.floor(value / 256) end
  return table.concat(bytes)
end

-- A pickle of { large = 1024 rows of a storage, last = its last two elements }, as PyTorch writes it.
local function pickled(elements)
  local function text(word) return 'X' .. little(#word, 4) .. word end
  local function number(value) return '\138\6' .. little(value, 6) end
  local function tensor(offset, ...)
    local sizes, strides = '', ''
    for i, size in ipairs { ... } do
      sizes, strides = sizes .. number(size), strides .. number(i == 1 and select('#', ...) == 2 and select(2, ...) or 1)
    end
    local storage = text 'storage' .. 'ctorch\nFloatStorage\n' .. text '0' .. text 'cpu' .. number(elements + 2)
    local order = '(' .. sizes .. 't(' .. strides .. 't\137ccollections\nOrderedDict\n)RtR'
    return 'ctorch._utils\n_rebuild_tensor_v2\n((' .. storage .. 'tQ' .. number(offset) .. order
  end
  return '\128\2}(' .. text 'large' .. tensor(0, 1024, elements / 1024) .. text 'last' .. tensor(elements, 2) .. 'u.'
end

-- Writes a ZIP archive of stored members with sizes of 64 bits, at multiples of 64 bytes as PyTorch does; `hole` bytes are not written,
-- before `data`.
local function writeArchive(name, members)
  local file, directory, unknown = io.open(name, 'wb'), {}, '\255\255\255\255'
  for i, member in ipairs(members) do
    local at, size = file:seek(), (member.hole or 0) + #member.data
    local common = '\45\0\0\0\0\0\0\0\0\0' .. little(0, 4) .. unknown .. unknown .. little(#member.name, 2)
    local sizes = little(size, 8) .. little(size, 8)
    local padding = -(at + 30 + #member.name + 20 + 4) % 64
    file:write('PK\3\4', common, little(24 + padding, 2), member.name, '\1\0\16\0', sizes, 'FB', little(padding, 2), ('Z'):rep(padding))
    file:seek('cur', member.hole or 0)
    file:write(member.data)
    directory[i] = 'PK\1\2\45\0' .. common .. little(28, 2) .. little(0, 2 + 2 + 2 + 4) .. unknown .. member.name .. '\1\0\24\0' .. sizes
      .. little(at, 8)
  end
  local at, list = file:seek(), table.concat(directory)
  local count = little(#members, 8)
  file:write(list, 'PK\6\6', little(44, 8), '\45\0\45\0', little(0, 8), count, count, little(#list, 8), little(at, 8))
  file:write('PK\6\7', little(0, 4), little(at + #list, 8), little(1, 4))
  file:write('PK\5\6', little(0, 4), little(#members, 2), little(#members, 2), unknown, unknown, little(0, 2))
  file:close()
end

describe('a file of 10 GB', function()
  it('of PyTorch opens without reading its tensors', function()
    local name, elements = os.tmpname(), gigabytes * 2 ^ 30 / 4
    writeArchive(name, { { name = 'a/data.pkl', data = pickled(elements) },
                         { name = 'a/data/0', hole = elements * 4, data = '\0\0\128\63\0\0\0\64' } })
    local before = resident()
    local tensors = torch.pt.load(name)
    assert.is_true(resident() - before < 50e6, 'bytes in memory: ' .. resident() - before)
    assert.same({ 1024, elements / 1024 }, tensors.large:size():totable())
    assert.equal(3, tensors.last:sum())
    assert.equal(0, tensors.large[500]:sum())
    assert.equal(tensors.last:storage():data(), tensors.large:storage():data())
    assert.is_true(resident() - before < 200e6, 'bytes in memory: ' .. resident() - before)
    tensors = nil      -- luacheck: ignore 311
    collectgarbage()
    os.remove(name)
  end)

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
