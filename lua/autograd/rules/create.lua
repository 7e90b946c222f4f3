-- Derivatives of ops that create, fill and copy elements. The former elements of a filled tensor have no influence.
local rules = require 'autograd.rules'

for _, name in ipairs { 'zeros', 'ones', 'full', 'empty', 'eye', 'fill', 'zero' } do rules[name] = rules.zero end

rules.copy = { false, 'g' }       -- the recorder converts it to the source's size and dtype
