-- Products of integers have no derivative: quantisation-aware training uses fakeQuantize.
local rules = require 'autograd.rules'

local integers = rules.none 'integers have no derivative'
for _, name in ipairs {
  'int8Pack', 'int8Linear', 'int8Conv2d', 'int8MaxPool2d', 'int8Add', 'int8AvgPool2d', 'int8Matmul', 'int8Attention',
} do
  rules[name] = integers
end
