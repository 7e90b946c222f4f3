-- Each instruction set of the CPU that this machine has: the forward sweep again in a separate process.
local program = require 'spec.support.program'

-- Runs th on a script with MOONTORCH_CPU set.
-- @treturn string its output, with errors
local function under(target, script)
  local pipe = assert(io.popen(('MOONTORCH_CPU=%s %s %s 2>&1'):format(target, program.path, script)))
  local text = pipe:read '*a'
  pipe:close()
  return text
end

local name = program.script "io.write('target ', require('libmoontorch').cpuTarget(), '\\n')"

describe('MOONTORCH_CPU', function()
  for _, target in ipairs(jit.arch == 'x64' and { 'sse4', 'avx2', 'avx3' } or { 'neon' }) do
    local text = under(target, name)
    if text:find 'processor' then
      it(target .. ' is refused: this machine or this build lacks it', function()
        assert.truthy(text:find('MOONTORCH_CPU: value: ' .. target, 1, true))
      end)
    else
      it('makes ' .. target .. ' the set that is used', function() assert.equals('target ' .. target .. '\n', text) end)
      it(target .. ' gives what the references give, for every op', function()
        assert.equals('all right\n', under(target, 'spec/support/sweep/all_forward.lua'))
      end)
      it(target .. ' converts every 16-bit float, and rounds to it, to the bit', function()
        assert.equals('all right\n', under(target, 'spec/support/sweep/halves.lua'))
      end)
      it(target .. ' gives sequences as their formulas are rounded', function()
        assert.equals('all right\n', under(target, 'spec/support/sweep/sequences.lua'))
      end)
    end
  end

  it('refuses names that it does not know', function()
    assert.truthy(under('mmx', name):find 'MOONTORCH_CPU: value: mmx, expected one of .*')
  end)
end)
