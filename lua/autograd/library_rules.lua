--- Checks the derivatives of a library's ops when `torch.loadOps` loads it: the extension point `libraryRules` of `torch.extensions`.
-- @module autograd.library_rules
local C = require 'libmoontorch'
local composed, expression = require('torch.op').find, require 'autograd.expression'

-- The expressions may use ops of the engine and of the library.
require 'torch.extensions'.register('libraryRules', function(op, own)
  for _, text in ipairs(op.gradients) do
    local good, failure, steps = pcall(expression.compile, text, op.arguments, op.name)
    if not good then return text, (tostring(failure):gsub('^.*autograd%.rules: ', '')) end
    for _, step in ipairs(steps) do
      local known = own[step.op] or C.opInfo(step.op, 'name') and not composed(step.op)
      if not known then return text, step.op .. ' is no op of the engine or of this library' end
    end
  end
end)
