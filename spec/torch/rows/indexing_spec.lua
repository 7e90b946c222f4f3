-- Torch7's indexing and extraction, row by row.
local facts = require 'spec.support.facts'

describe('x[key]:', function()
  facts(it, [[
    c(3)[2], c(3)[-1], c(3)['2']                                    --> 2, 3, 2
    c(2, 3)[2]                                                      --> [3] 4 5 6
    c(2, 3)[2][3]                                                   --> 6
    c(2, 3)[-1]                                                     --> [3] 4 5 6
    c(3)[4]                                                         --> error: out of
    c(3)[0]                                                         --> error: out of
    c(3)[-4]                                                        --> error: out of
    torch.Tensor()[1]                                               --> error: empty
    c(2, 3)[torch.LongStorage{2, 3}]                                --> 6
    c(2, 3)[torch.LongStorage{2}]                                   --> error: invalid size
    c(2, 3)[{2, 3}], c(2, 3)[{-1, -1}]                              --> 6, 6
    c(2, 3)[{2}]                                                    --> [3] 4 5 6
    c(2, 3)[{2, {}}]                                                --> [3] 4 5 6
    c(2, 3)[{{}, 2}]                                                --> [2] 2 5
    c(2, 3)[{{}, {2}}]                                              --> [2x1] 2 5
    c(2, 3)[{{}, {2, 3}}]                                           --> [2x2] 2 3 5 6
    c(2, 3)[{{2, 2}, {-2, -1}}]                                     --> [1x2] 5 6
    c(2, 3)[{{2}}]                                                  --> [1x3] 4 5 6
    c(2, 3)[{}]                                                     --> [2x3] 1 2 3 4 5 6
    c(2, 3)[{1, nil, 2}]                                            --> [3] 1 2 3
    c(3)[{{2, 3}}]                                                  --> [2] 2 3
    c(3)[{{2}}]                                                     --> [1] 2
    c(3)[{2}]                                                       --> 2
    c(2, 3)[{1, 1, 1}]                                              --> error: too many indices
    c(2, 3)[{3, 1}]                                                 --> error: out of bound
    c(2, 3)[{{3, 3}}]                                               --> error: start index
    c(2, 3)[{{1, 3}}]                                               --> error: end index
    c(2, 3)[{{2, 1}}]                                               --> error: must be greater or equal to start index
    c(2, 3)[{1, 'x'}]                                               --> error: index
    local t = c(2, 3); t[1][2] = 9; return t                        --> [2x3] 1 9 3 4 5 6
    c(2, 2)[c(2, 2):gt(2)]                                          --> [2] 3 4
    c(2, 2)[c(4):gt(2)]                                             --> [2] 3 4
    c(2)[c(2):gt(2)]                                                --> []
    c(2)[torch.ByteTensor{2, 0}]                                    --> error: Mask tensor can take 0 and 1 values only
    c(2)[torch.ByteTensor{1, 0, 1}]                                 --> error: mask
    c(2, 3)[{1, torch.LongTensor{1, 2}}]                            --> [2] 1 2
    c(2, 3)[torch.LongTensor{2, 1, 2}]                              --> [3x3] 4 5 6 1 2 3 4 5 6
    c(2)[torch.LongTensor{1}], c(2)[torch.LongTensor{3}]            --> error: out of range
    c(2)[c(2)]                                                      --> error: a mask (ByteTensor, BoolTensor) or positions (LongTensor)
    local t = c(2, 2); t[torch.LongTensor{2}] = 9; return t         --> [2x2] 1 2 9 9
    local t = c(3); t[torch.LongTensor{3, 1}] = c(2); return t      --> [3] 2 2 1
    local t = c(2); t[c(2)] = 9                                     --> error: a mask (ByteTensor, BoolTensor) or positions (LongTensor)
    local t = c(2); t[{{1, 2}}] = {3, 4}                            --> error: torch.Tensor(table) makes one
    c(3, 4)[{{1, -1, 2}, {2, 4, 2}}]                                --> [2x2] 2 4 10 12
    c(5)[{{2, 5, 3}}], c(5)[{{1, -1, 2^40}}]                        --> [2] 2 5, [1] 1
    local t = c(5); t[{{1, 5, 2}}] = 0; return t                    --> [5] 0 2 0 4 0
    c(5)[{{1, 5, 0}}]                                               --> error: a step of 0, expected 1 or more
    c(5)[{{1, 5, -1}}]                                              --> error: x:flip
    c(2).foo, c(2)[true], c(2)[nil]                                 --> nil, nil, nil
    torch.ByteTensor{5, 6}[2], torch.HalfTensor{1.5}[1]             --> 6, 1.5
    torch.LongTensor{2^40}[1]                                       --> 1099511627776
  ]])
end)

describe('x[key] = value:', function()
  facts(it, [[
    local t = c(3); t[2] = 9; t[-1] = 8; t['1'] = '7'; return t     --> [3] 7 9 8
    local t = c(2, 2); t[1] = 9; return t                           --> [2x2] 9 9 3 4
    local t = c(2, 2); t[2] = c(2); return t                        --> [2x2] 1 2 1 2
    local t = c(2, 2); t[2] = torch.IntTensor{7, 8}; return t       --> [2x2] 1 2 7 8
    local t = c(2, 4); t[1] = c(2, 2):mul(10); return t             --> [2x4] 10 20 30 40 5 6 7 8
    local t = c(2, 3); t[{1, 2}] = 0; t[{2, {2, 3}}] = 9; return t  --> [2x3] 1 0 3 4 9 9
    local t = c(2, 3); t[{{}, 1}] = 0; return t                     --> [2x3] 0 2 3 0 5 6
    local t = c(2, 3); t[{{}, {1, 2}}] = c(4):mul(-1); return t     --> [2x3] -1 -2 3 -3 -4 6
    local t = c(2, 3); t[torch.LongStorage{2, 3}] = 0; return t     --> [2x3] 1 2 3 4 5 0
    local t = c(4); t[t:gt(2)] = 0; return t                        --> [4] 1 2 0 0
    local t = c(4); t[t:gt(2)] = torch.Tensor{8, 9, 7}; return t    --> [4] 1 2 8 9
    local t = c(4); t[t:gt(2)] = torch.Tensor{8}                    --> error: Number of elements of src < number of ones in mask
    local t = c(4); t[5] = 1                                        --> error: out of
    local t = c(4); t[0] = 1                                        --> error: out of
    local t = c(4); t[1] = nil                                      --> error: nil
    local t = c(4); t[1] = {1}                                      --> error: table
    local t = c(2, 2); t[1] = c(3)                                  --> error: elements
    local t = c(4); t.foo = 1                                       --> error: the class torch.DoubleTensor cannot be indexed
    local t = torch.IntTensor(2); t[1] = 2.7; t[2] = -2.7; return t --> Int[2] 2 -2
    local t = torch.ByteTensor(2); t[1] = 300; t[2] = -1; return t  --> Byte[2] 44 255
    local t = torch.FloatTensor(1); t[1] = 0.1; return t            --> Float[1] 0.10000000149012
    local t = torch.HalfTensor(1); t[1] = 0.1; return t             --> Half[1] 0.0999755859375
    local t = c(2, 2, 2); t[2][1] = 0; return t                     --> [2x2x2] 1 2 3 4 0 0 7 8
    local t = torch.LongTensor(1); t[1] = 2^53 - 1; return t[1] == 2^53 - 1 --> true
    local t = torch.LongTensor{1}; t[1] = 9007199254740993LL; return t[1] == 9007199254740993LL --> true
  ]])
end)

describe('select, narrow, sub:', function()
  facts(it, [[
    c(2, 3):select(1, 2), c(2, 3):select(2, 2)                      --> [3] 4 5 6, [2] 2 5
    c(3):select(1, 2)                                               --> 2
    c(2, 3):select(3, 1)                                            --> error: out
    c(2, 3):select(1, 3)                                            --> error: out of range
    torch.Tensor():select(1, 1)                                     --> error: select
    local t = c(2, 2); t:select(2, 1):fill(0); return t             --> [2x2] 0 2 0 4
    c(2, 3):narrow(2, 2, 2)                                         --> [2x2] 2 3 5 6
    c(2, 3):narrow(2, 2, 3)                                         --> error: out of range
    c(2, 3):narrow(3, 1, 1)                                         --> error: out
    c(2, 3):narrow(2, 0, 1)                                         --> error: out of range
    c(2, 3):narrow(2, 2, -1)                                        --> error: out of range
    c(4):sub(2, 3), c(4):sub(-2, -1), c(4):sub(2, -2)               --> [2] 2 3, [2] 3 4, [2] 2 3
    c(3, 3):sub(1, 2, 2, 3)                                         --> [2x2] 2 3 5 6
    c(2, 2, 2):sub(1, 1, 2, 2, 1, 2)                                --> [1x1x2] 3 4
    c(1, 2, 1, 2):sub(1, 1, 2, 2, 1, 1, 2, 2)                       --> [1x1x1x1] 4
    c(4):sub(3, 2)                                                  --> error: smaller
    c(4):sub(1, 5)                                                  --> error: out of range
    c(4):sub(1, 2, 1, 1)                                            --> error: dimension
  ]])
end)

describe('index and its like:', function()
  facts(it, [[
    c(3, 2):index(1, torch.LongTensor{3, 1, 3})                     --> [3x2] 5 6 1 2 5 6
    c(2, 3):index(2, torch.LongTensor{2})                           --> [2x1] 2 5
    c(3):index(1, torch.LongTensor{2, 2})                           --> [2] 2 2
    local r = torch.Tensor(); return rawequal(r, r:index(c(3), 1, torch.LongTensor{3})), r --> true, [1] 3
    c(3):index(1, torch.LongTensor{4})                              --> error: out of range
    c(3):index(1, torch.LongTensor{0})                              --> error: out of range
    c(3, 3):index(1, torch.LongTensor{{1, 2}})                      --> error: index
    torch.zeros(3, 2):indexCopy(1, torch.LongTensor{3, 1}, c(2, 2)) --> [3x2] 3 4 0 0 1 2
    local t = torch.zeros(3); t:indexCopy(1, torch.LongTensor{2}, c(1)); return t --> [3] 0 1 0
    local t = c(3); t:indexAdd(1, torch.LongTensor{1, 1}, c(2)); return t --> [3] 4 2 3
    local t = c(3); t:indexFill(1, torch.LongTensor{1, 3}, 7); return t --> [3] 7 2 7
    c(3):indexCopy(1, torch.LongTensor{1}, c(2))                    --> error: index
    c(2, 2):gather(1, torch.LongTensor{{2, 1}})                     --> [1x2] 3 2
    torch.gather(c(2, 2), 2, torch.LongTensor{{2, 1}, {1, 1}})      --> [2x2] 2 1 3 3
    c(2, 2):gather(1, torch.LongTensor{{3, 1}})                     --> error: gather
    torch.zeros(2, 2):scatter(1, torch.LongTensor{{2, 1}}, c(1, 2)) --> [2x2] 0 2 1 0
    torch.zeros(2, 2):scatter(1, torch.LongTensor{{2, 1}}, 5)       --> [2x2] 0 5 5 0
    torch.scatter(torch.zeros(3), 1, torch.LongTensor{2, 2}, c(2))  --> [3] 0 2 0
    c(4):maskedSelect(torch.ByteTensor{1, 0, 0, 1})                 --> [2] 1 4
    c(2, 2):maskedSelect(torch.ByteTensor{1, 0, 0, 1})              --> [2] 1 4
    c(2):maskedSelect(torch.ByteTensor{0, 0})                       --> []
    local r = torch.Tensor(); r:maskedSelect(c(2), torch.ByteTensor{0, 1}); return r --> [1] 2
    c(3):maskedCopy(torch.ByteTensor{0, 1, 1}, torch.Tensor{7, 8, 9}) --> [3] 1 7 8
    c(3):maskedCopy(torch.ByteTensor{0, 1, 1}, torch.Tensor{7})     --> error: Number of elements of src < number of ones in mask
    local t = c(3); t:maskedFill(torch.ByteTensor{0, 1, 1}, 0); return t --> [3] 1 0 0
    c(3):maskedFill(torch.ByteTensor{0, 1}, 0)                      --> error: mask
    torch.nonzero(torch.Tensor{0, 3, 0, 1})                         --> Long[2x1] 2 4
    torch.Tensor{{0, 1}, {2, 0}}:nonzero()                          --> Long[2x2] 1 2 2 1
    torch.zeros(3):nonzero()                                        --> Long[]
    local t = c(2); return t.nonzero(torch.LongTensor(), t)         --> Long[2x1] 1 2
    torch.nonzero(torch.LongTensor(), c(2))                         --> Long[2x1] 1 2
  ]])
end)
