--- Checks the derivatives of a library's ops when `torch.loadOps` loads it: the extension point `libraryRules` of `torch.extensions`.
-- @module autograd.library_rules
local C = require 'libmoontorch'
local composed, expression = require('torch.op').find, require 'autograd.expression'

-- The expressions may use ops of the engine and of the library.
require 'torch.extensions'.register('libraryRules', function(op, own)
  for _, text in ipairs(op.gradients) do
    local good, failure, called = pcall(expression.compile, text, op.arguments, op.name)
    if not good then return text, (tostring(failure):gsub('^.*autograd%.rules: ', '')) end
    for _, name in ipairs(called) do
      local known = own[name] or C.opInfo(name, 'name') and not composed(name)
      if not known then return text, name .. ' is no op of the engine or of this library' end
    end
  end
end)
