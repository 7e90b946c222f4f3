-- bit32 against Lua 5.2's reference manual: words without sign, displacements of any size.
local program = require 'spec.support.program'

describe('bit32', function()
  it('yields to a module of that name on the path', function()
    local folder = os.tmpname()
    os.remove(folder)
    os.execute('mkdir ' .. folder)
    local file = assert(io.open(folder .. '/bit32.lua', 'w'))
    file:write 'return { rock = true }'
    file:close()
    local code = ("package.path = package.path .. ';%s/?.lua' print(require('bit32').rock, rawget(_G, 'bit32'))"):format(folder)
    local output = program.evaluate(code)
    os.execute('rm -r ' .. folder)
    assert.matches('^true%s+nil', output)
  end)

  it('is a global from when it is required', function()
    assert.is_nil(rawget(_G, 'bit32'))
    assert.equal(require 'bit32', rawget(_G, 'bit32'))
  end)

  local ones = 0xffffffff
  local cases = {      -- name, result, arguments
    { 'band', ones }, { 'band', 0x0f, 0xff, 0x0f }, { 'band', ones, -1 }, { 'band', 4, 7, 12, 0x104 },
    { 'bor', 0 }, { 'bor', 0x80000001, 1, 0x80000000 }, { 'bxor', 0 }, { 'bxor', 0xf0, 0xff, 0x0f }, { 'bxor', 5, 2 ^ 32 + 5 },
    { 'bxor', 7, 1, 2, 4 }, { 'bnot', ones, 0 }, { 'bnot', 0, -1 }, { 'bnot', 0xfffffffe, 2 ^ 32 + 1 },
    { 'btest', true }, { 'btest', true, 3, 2 }, { 'btest', false, 1, 2 }, { 'btest', true, 0x80000000, ones },
    { 'lshift', 0x80000000, 1, 31 }, { 'lshift', 0, 1, 32 }, { 'lshift', 0, ones, 100 }, { 'lshift', 0x0fffffff, ones, -4 },
    { 'lshift', 0, ones, -32 }, { 'lshift', ones - 1, ones, 1 },
    { 'rshift', 1, 0x80000000, 31 }, { 'rshift', 0, ones, 32 }, { 'rshift', 0xfffffff0, ones, -4 }, { 'rshift', ones, -1, 0 },
    { 'arshift', 0xf8000000, 0x80000000, 4 }, { 'arshift', ones, 0x80000000, 32 }, { 'arshift', 0, 0x7fffffff, 99 },
    { 'arshift', 8, 1, -3 }, { 'arshift', 0, ones, -32 }, { 'arshift', ones, 0x80000000, 31 }, { 'arshift', 0x3fffffff, 0x7fffffff, 1 },
    { 'lrotate', 3, 0x80000001, 1 }, { 'lrotate', 0x80000000, 1, -1 }, { 'lrotate', 0x12345678, 0x12345678, 32 },
    { 'lrotate', 0x34567812, 0x12345678, 40 }, { 'rrotate', 0x80000000, 1, 1 }, { 'rrotate', 0x78123456, 0x12345678, 8 },
    { 'rrotate', 2, 1, -1 },
    { 'extract', 0xbc, 0xabcd, 4, 8 }, { 'extract', 1, 0x80000000, 31 }, { 'extract', ones, ones, 0, 32 }, { 'extract', 0, 2, 0 },
    { 'replace', 0xf0000000, 0, 0xff, 28, 4 }, { 'replace', 0xab5d, 0xabcd, 0x55, 4, 4 }, { 'replace', 7, ones, 7, 0, 32 },
    { 'replace', 0xfffffffe, ones, 0, 0 }, { 'band', 3, '7', 3 },
  }
  for _, case in ipairs(cases) do
    it(('%s of %s'):format(case[1], table.concat(case, ', ', 3)), function()
      assert.equal(case[2], require('bit32')[case[1]](unpack(case, 3)))
    end)
  end

  it('refuses what is no number, and bits that there are not, at the line that asks', function()
    local bit32 = require 'bit32'
    for _, case in ipairs {
      { function() bit32.band(1, {}) end, "bad argument #2 to 'band' %(number expected, got table%)" },
      { function() bit32.bnot() end, "bad argument #1 to 'bnot' %(number expected, got no value%)" },
      { function() bit32.lshift(1) end, "bad argument #2 to 'lshift' %(number expected, got no value%)" },
      { function() bit32.extract(1, -1) end, "bad argument #2 to 'extract' %(field cannot be negative%)" },
      { function() bit32.extract(1, 1, 0) end, "bad argument #3 to 'extract' %(width must be positive%)" },
      { function() bit32.replace(1, 1, 31, 2) end, 'trying to access non%-existent bits' },
      { function() bit32.replace(1, 1, {}) end, "bad argument #3 to 'replace' %(number expected, got table%)" },
    } do
      local _, err = pcall(case[1])
      assert.matches('^%S*bit32_spec%.lua:%d+: ' .. case[2], err)
    end
  end)
end)
