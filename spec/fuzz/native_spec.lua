-- The functions of `require 'libmoontorch'` accept any arguments without ending the process.
local program = require 'spec.support.program'

it('the native library takes anything: a result or an error', function()
  local output, status, errors = program.run { 'spec/fuzz/run_native.lua' }
  assert.equal('done', output:match '([^\n]*)\n$', errors)
  assert.equal(0, status)
end)
