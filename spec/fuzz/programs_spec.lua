-- Some random programs (programs.lua), in a separate process; spec/fuzz/run_programs.lua runs more of them.
local program = require 'spec.support.program'

describe('programs of random calls', function()
  it('leave the process, other tensors and the memory as they were', function()
    local output, status, errors = program.run { 'spec/fuzz/run_programs.lua', '1', '16', '100' }
    assert.equal(0, status, errors)
    assert.is_truthy(output:find '%d calls')
  end)
end)
