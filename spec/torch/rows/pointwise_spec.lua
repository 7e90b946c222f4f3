-- Pointwise functions: omitted arguments, and results for integers.
local facts = require 'spec.support.facts'

describe('clamp:', function()
  facts(it, [[
    torch.clamp(torch.Tensor{-1, 0.5, 2}, 0, 1)                     --> [3] 0 0.5 1
    torch.clamp(torch.Tensor{-1, 0.5, 2}, 0)                        --> [3] 0 0.5 2
    torch.Tensor{-1, 0.5, 2}:clamp(nil, 1)                          --> [3] -1 0.5 1
    torch.Tensor():clamp(torch.Tensor{-1, 0.5, 2}, 0, 1)            --> [3] 0 0.5 1
    torch.clamp(torch.Tensor(), torch.Tensor{-1, 0.5, 2}, '0', '1') --> [3] 0 0.5 1
    torch.clamp(2, 0, 1), torch.clip(c(3), 2, 2)                    --> 1, [3] 2 2 2
    torch.clamp(c(3))                                               --> error: clamp: min: neither min nor max
    c(3):clamp()                                                    --> error: neither min nor max
    c(3):clip(c(3))                                                 --> error: neither min nor max
  ]])
end)

describe('cpow of integers', function()
  facts(it, [[
    torch.cpow(torch.IntTensor{2, 3}, torch.IntTensor{3, 2})        --> Int[2] 8 9
    torch.IntTensor{2, 3}:cpow(torch.IntTensor{3, 2})               --> Int[2] 8 9
    torch.ByteTensor():cpow(torch.ByteTensor{2, 3}, torch.ByteTensor{3, 2}) --> Byte[2] 8 9
    torch.cpow(torch.LongTensor(4), torch.LongTensor{2}, torch.LongTensor{40}) --> Long[1] 1099511627776
    torch.cpow(torch.IntTensor{2}, torch.LongTensor{-1})            --> Long[1] 0
    torch.cpow(torch.IntTensor{2, 3}, 2)                            --> Int[2] 4 9
    torch.cpow(torch.IntTensor{2, 3}, torch.Tensor{0.5, 2})[2]      --> 9
    torch.cpow(c(2), c(2)), c(2):cpow(c(2))                         --> [2] 1 4, [2] 1 4
    torch.pow(torch.IntTensor{2, 3}, 2)                             --> [2] 4 9
    torch.cpow(torch.IntTensor{2})                                  --> error: pow: arguments
  ]])
end)

describe('a message', function()
  facts(it, [[
    c(3):exponential()                                              --> error: expected x:exponential([generator: generator], lambda: number)
    c(2, 3):gather(1, torch.LongTensor{{1, 3, 1}})                  --> error: gather: index: Invalid index in gather: position 3, expected 1..2
    c(2, 3):scatter(1, torch.LongTensor{{1, 3, 1}}, 5)              --> error: Invalid index in scatter
    c(2, 3):index(1, torch.LongTensor{{1}})                         --> error: index: index: Index is supposed to be a vector: [1, 1]
    c(3):t()                                                        --> error: t: x: Tensor must have 2 dimensions: [3]
    c(2, 3):expand(1, 2)                                            --> error: incorrect size: only supporting singleton expansion
    c(2, 3):expand(2)                                               --> error: the number of dimensions provided must equal tensor:dim()
    torch.max(torch.Tensor())                                       --> error: expected one element or more
    c(2, 2)[torch.LongStorage{1}]                                   --> error: fact:1: index: key: invalid size: 1 numbers for 2 dimensions
  ]])
end)
