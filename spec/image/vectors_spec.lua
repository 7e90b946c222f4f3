-- Rows of any length, with whole vectors and a remainder: each byte becomes x / 255, correctly rounded, and each float the nearest byte,
-- with every instruction set of the processor.
local program = require 'spec.support.program'

local code = [[
  require 'image'
  local function differ(a, b) return a:ne(b):sum() end
  local wrong = 0
  for _, width in ipairs { 1, 7, 31, 32, 33, 64, 100, 257 } do
    local bytes = torch.range(0, 3 * 9 * width - 1):mul(37):fmod(256):byte():view(3, 9, width)
    local file = image.compressPPM(bytes)
    wrong = wrong + differ(image.decompress(file, nil, 'byte'), bytes)
    wrong = wrong + differ(image.decompress(file, nil, 'float'), (bytes:double() / 255):float())
    wrong = wrong + differ(image.decompress(image.compressPPM(bytes[1]), nil, 'float')[1], (bytes[1]:double() / 255):float())
    wrong = wrong + differ(image.decompress(image.compressPPM(bytes:float() / 255), nil, 'byte'), bytes)
    local any = torch.FloatTensor(3, 9, width):uniform(-0.3, 1.3)
    local expected = torch.floor(torch.clamp(any, 0, 1):mul(255):add(0.5)):byte()
    any[2][5]:fill(0 / 0)
    expected[2][5]:fill(0)
    any[3][2]:fill(math.huge)
    expected[3][2]:fill(255)
    wrong = wrong + differ(image.decompress(image.compressPPM(any), nil, 'byte'), expected)
  end
  io.write(torch.config().target, ' ', wrong)
]]

describe('rows of pictures', function()
  local best = program.evaluate 'io.write(torch.config().target)'
  for _, target in ipairs(jit.arch == 'x64' and { 'avx3', 'avx2', 'sse4' } or { 'neon' }) do
    it('are right by ' .. target, function()
      local output, _, errors = program.run({ '-e', code }, '', 'MOONTORCH_CPU=' .. target)
      if errors:find 'expected one that this processor and this build have' then return pending(best .. ' is the best that is here') end
      assert.equal('', errors)
      assert.equal(target .. ' 0', output)
    end)
  end
end)
