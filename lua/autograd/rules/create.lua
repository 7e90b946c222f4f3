-- Derivatives of what creates, fills and copies elements. What a filled tensor held before has no influence any more.
local rules = require 'autograd.rules'

for _, name in ipairs { 'zeros', 'ones', 'full', 'empty', 'eye', 'fill', 'zero' } do rules[name] = rules.zero end

rules.copy = { false, 'g' }       -- the recorder brings it to the source's size and type
