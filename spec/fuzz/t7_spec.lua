-- Damaged t7 files: for a cut or a change at every byte, loading returns a value or raises one sentence, without a large allocation.
local torch = require 'torch'
local ffi = require 'ffi'
local search = require 'spec.fuzz.search'

local given, damaged = {}, {}
rawset(_G, 'damaged', damaged)
torch.class('damaged.Class')

local function corpus()
  local object = damaged.Class()
  object.field = 'value'
  local shared = { 1, 'text', true }
  local files = {
    number = 1.5, text = 'hello', nested = { shared, shared, a = { b = { false } } }, object = { object, object },
    closure = function() return shared end,
  }
  if torch.FloatTensor then
    files.float = torch.FloatTensor { { 1, 2, 3 }, { 4, 5, 6 } }
    files.views = { files.float:t(), files.float:narrow(1, 2, 1), torch.LongTensor { 7 }, torch.DoubleTensor() }
    files.storage = torch.ByteStorage { 1, 2, 3 }
    files.bool = torch.BoolTensor { true, false }
  end
  return files
end

local changes = {
  function(byte) return 255 - byte end,
  function(byte) return (byte + 128) % 256 end,
  function() return 0x7f end,
}

-- Tries to load; collects failures other than errors of one sentence.
local function try(name, text, mode)
  os.remove(given.name)      -- some file systems flush a file that is emptied and written again
  local file = io.open(given.name, 'wb')
  file:write(text)
  file:close()
  local good, err = pcall(torch.load, given.name, mode)
  if good then return end
  local prefix = 'torch.load: ' .. given.name .. ': at byte '
  if type(err) ~= 'string' or err:sub(1, #prefix) ~= prefix or #err > 400 then
    error(('%s (%s): %s'):format(name, mode, tostring(err)))
  end
end

describe('a damaged file', function()
  local stderr = io.stderr
  setup(function()
    given.name = search.scratch()
    rawset(io, 'stderr', { write = function() end })      -- names of classes change to unknown ones, which is reported
  end)
  teardown(function()
    os.remove(given.name)
    rawset(io, 'stderr', stderr)
  end)

  for _, mode in ipairs { 'binary', 'ascii' } do
    it('cut anywhere gives a sentence or a value: ' .. mode, function()
      for name, object in pairs(corpus()) do
        local text = torch.serialize(object, mode)
        for length = 0, #text - 1 do try(name, text:sub(1, length), mode) end
      end
    end)

    it('changed anywhere gives a sentence or a value: ' .. mode, function()
      collectgarbage()
      local before = collectgarbage 'count'
      for name, object in pairs(corpus()) do
        local text = torch.serialize(object, mode)
        for at = 1, #text do
          for _, change in ipairs(changes) do
            try(name, text:sub(1, at - 1) .. string.char(change(text:byte(at))) .. text:sub(at + 1), mode)
          end
        end
      end
      collectgarbage()
      assert.is_true(collectgarbage 'count' - before < 4096)
    end)
  end

  it('cannot make the loader allocate more than the file could hold', function()
    local int = ffi.typeof 'int32_t[1]'
    local function ints(...)
      local parts = {}
      for i, value in ipairs { ... } do parts[i] = ffi.string(int(value), 4) end
      return table.concat(parts)
    end
    local huge = 0x7fffffff
    try('string', ints(2, huge), 'binary')
    try('table', ints(3, 1, huge), 'binary')
    try('class', ints(4, 1, huge), 'binary')
    try('storage', ints(4, 1, 3) .. 'V 1' .. ints(18) .. 'torch.FloatStorage' .. ints(0, huge), 'binary')
    try('storage', ints(4, 1, 3) .. 'V 1' .. ints(18) .. 'torch.FloatStorage' .. ints(-1, -1), 'binary')
    try('dimensions', ints(4, 1, 3) .. 'V 1' .. ints(17) .. 'torch.FloatTensor' .. ints(huge), 'binary')
  end)

  it('nested without end is an error or a value, not a crash', function()
    local int = ffi.typeof 'int32_t[6]'
    local parts = {}
    for i = 1, 200000 do parts[i] = ffi.string(int(3, i, 1, 5, 1), 20) end
    try('tables', table.concat(parts), 'binary')
  end)
end)
