-- Derivatives of what creates, fills and copies. What a filled tensor held before has no influence any more.
local rules = require('autograd.rules').family { broadcast = true }

for _, name in ipairs { 'zeros', 'ones', 'full', 'empty', 'eye', 'range', 'arange', 'linspace', 'logspace', 'fill', 'zero' } do
  rules[name] = rules.zero
end

-- Sizes and types are the recorder's business.
rules.clone, rules.to, rules.copy = { 'g' }, { 'g' }, { false, 'g' }
