-- Derivatives of rounding to integers, which pass the gradient of elements within the bounds. Scales and zero points are constants.
local rules = require 'autograd.rules'

rules.fakeQuantize = { 'fakeQuantize_grad(g, x, scale, zero, axis, least, most)' }
rules.fakeQuantize_grad = { 'fakeQuantize_grad(h, x, scale, zero, axis, least, most)' }

local integers = rules.none 'integers have no derivative'
rules.quantize, rules.dequantize, rules.int8Map = integers, integers, integers

rules.linear16 = rules.none 'weights of 16 bits are for inference: linear has a derivative'
