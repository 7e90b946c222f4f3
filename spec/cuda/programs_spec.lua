-- Programs from Torch7's time that need a GPU, each run by th in a separate process on the emulated GPUs. A program checks its results by
-- assert, and prints `ok` last.
if not require 'spec.support.with_cuda' then return end
local paths = require 'paths'
local program = require 'spec.support.program'

local folder = 'spec/cuda/programs'

describe('The program', function()
  for name in paths.iterfiles(folder) do
    it(name .. ' comes to its end', function()
      local output, status, errors = program.run({ paths.concat(folder, name) }, '', 'MOONTORCH_CUDA=' .. require('spec.support.gpu').wish)
      assert.equal(0, status, errors)
      assert.equal('ok', output:match '(%S*)%s*$')
    end)
  end
end)
