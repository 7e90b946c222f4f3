-- Torch7's queries of sizes and memory, and resize, set, fill, copy, row by row.
local facts = require 'spec.support.facts'

describe('the structure of a tensor:', function()
  facts(it, [[
    c(2, 3):dim(), c(2, 3):nDimension(), torch.Tensor():dim()       --> 2, 2, 0
    c(2, 3):size()                                                  --> LongStorage 2 3
    c(2, 3):size(1), c(2, 3):size(2)                                --> 2, 3
    #c(2, 3)                                                        --> LongStorage 2 3
    c(2, 3):size(3)                                                 --> error: dimension 3 out of range of 2D tensor
    c(2, 3):size(0)                                                 --> error: out of range
    torch.Tensor():size()                                           --> LongStorage
    torch.Tensor():size(1)                                          --> error: out of range
    local t = c(2); t:size()[1] = 7; return t:size()                --> LongStorage 2
    c(2, 3):stride()                                                --> LongStorage 3 1
    c(2, 3):t():stride(1)                                           --> 1
    c(2, 3):stride(3)                                               --> error: out of range
    torch.Tensor():storage()                                        --> nil
    c(2, 3):storage()                                               --> DoubleStorage 1 2 3 4 5 6
    local t = c(2); return t:storage() == t:storage()               --> true
    c(2, 3):select(1, 2):storageOffset()                            --> 4
    torch.Tensor():storageOffset()                                  --> 1
    c(2, 3):nElement(), c(2, 3):numel(), torch.numel(c(2, 3)), torch.Tensor():nElement() --> 6, 6, 6, 0
    c(2, 3):isContiguous(), c(2, 3):t():isContiguous()              --> true, false
    torch.Tensor(torch.LongStorage{1, 3}, torch.LongStorage{7, 1}):isContiguous() --> true
    c(2, 3):isSize(torch.LongStorage{2, 3}), c(2, 3):isSize(torch.LongStorage{3, 2}) --> true, false
    c(2, 3):isSameSizeAs(c(2, 3)), c(2, 3):isSameSizeAs(c(3, 2)), c(1):isSameSizeAs(torch.Tensor()) --> true, false, false
    local t = c(2, 3); return t:isSetTo(t), t:isSetTo(torch.Tensor(t)), t:isSetTo(t:clone()), t:isSetTo(t:t()) --> true, true, false, false
    torch.Tensor():isSetTo(torch.Tensor())                          --> false
  ]])
end)

describe('resize:', function()
  facts(it, [[
    c(6):resize(2, 2)                                               --> [2x2] 1 2 3 4
    c(6):resize(2, 2):resize(6)                                     --> [6] 1 2 3 4 5 6
    c(2, 3):t():resize(3, 2):stride()                               --> LongStorage 1 3
    c(2, 3):t():resize(2, 3)                                        --> [2x3] 1 2 3 4 5 6
    c(2, 3):t():resize(6)                                           --> [6] 1 2 3 4 5 6
    c(2, 3):resize(torch.LongStorage{3, 2})                         --> [3x2] 1 2 3 4 5 6
    c(6):resize(torch.LongStorage{2, 2}, torch.LongStorage{1, 2})   --> [2x2] 1 3 2 4
    c(6):resize(torch.LongStorage{2, 2}, torch.LongStorage{-1, -1}) --> [2x2] 1 2 3 4
    local t = c(2, 3); return rawequal(t, t:resize(3))              --> true
    c(6):narrow(1, 3, 2):resize(2, 2)                               --> [2x2] 3 4 5 6
    c(2):resize(5):narrow(1, 1, 2)                                  --> [2] 1 2
    c(2):resize()                                                   --> []
    c(2):resize():storage()                                         --> DoubleStorage 1 2
    c(2, 2):resizeAs(c(4))                                          --> [4] 1 2 3 4
    c(4):resizeAs(c(2, 2):t())                                      --> [2x2] 1 2 3 4
    torch.Tensor():resizeAs(torch.Tensor())                         --> []
    local s = torch.DoubleStorage{1, 2, 3}; local t = torch.Tensor(s); t:resize(5); return #s --> 5
    c(2):resize(2^62, 2^62)                                         --> error: resize
    torch.zeros(0, 2^40, 2^40):nElement(), torch.zeros(0, 2^40, 2^40):add(1):dim() --> 0, 3
    torch.zeros(2^40, 2^40, 0):nElement(), torch.zeros(2^40, 2^40, 0):add(1):dim() --> 0, 3
    c(5):unfold(1, 5, 2^62)                                         --> [1x5] 1 2 3 4 5
    torch.Tensor(torch.DoubleStorage(2), 1, torch.LongStorage{1, 2}, torch.LongStorage{2^62, 1}):fill(3):sum() --> 6
    torch.Tensor(torch.DoubleStorage(2), 1, torch.LongStorage{2^40, 2^40}, torch.LongStorage{-1, -1}) --> error: tensor
    c(2):resize('a')                                                --> error: resize
    c(2):resize('3'):size()                                         --> LongStorage 3
  ]])
end)

describe('set:', function()
  facts(it, [[
    c(2):set()                                                      --> []
    c(2):set():storage()                                            --> nil
    local t, u = c(2), c(3); t:set(u); u[1] = 9; return t           --> [3] 9 2 3
    local u = c(2, 3); return torch.Tensor():set(u:t()):stride()    --> LongStorage 1 3
    torch.Tensor():set(torch.DoubleStorage{1, 2, 3})                --> [3] 1 2 3
    torch.Tensor():set(torch.DoubleStorage{1, 2, 3}, 2)             --> []
    torch.Tensor():set(torch.DoubleStorage{1, 2, 3}, 2, 2)          --> [2] 2 3
    torch.Tensor():set(torch.DoubleStorage{1, 2, 3, 4}, 2, 2, 2)    --> [2] 2 4
    torch.Tensor():set(torch.DoubleStorage{1, 2, 3, 4}, 1, 2, 1, 2, 2) --> [2x2] 1 3 2 4
    torch.Tensor():set(torch.DoubleStorage{1, 2, 3, 4}, 1, torch.LongStorage{2, 2}) --> [2x2] 1 2 3 4
    torch.Tensor():set(torch.DoubleStorage{1, 2, 3, 4}, 1, torch.LongStorage{2, 2}, torch.LongStorage{1, 2}) --> [2x2] 1 3 2 4
    torch.Tensor():set(torch.DoubleStorage{1}, 0, 1)                --> error: offset
    torch.Tensor():set(torch.FloatStorage{1})                       --> error: DoubleStorage
    torch.Tensor():set(torch.FloatTensor{1})                        --> error: DoubleTensor
    local s = torch.DoubleStorage(1); torch.Tensor():set(s, 2, 4); return #s --> 5
    local t = c(2); return rawequal(t, t:set(c(3)))                 --> true
    local t = c(2); return t:set(t)                                 --> [2] 1 2
    torch.LongTensor():set(torch.LongStorage{4, 5})                 --> Long[2] 4 5
    local t, r = c(2, 3), c(2, 3):t(); r:view(t, 3, 2); return r    --> [3x2] 1 2 3 4 5 6
  ]])
end)

describe('fill and copy:', function()
  facts(it, [[
    c(2):fill(3)                                                    --> [2] 3 3
    torch.fill(c(2), 3)                                             --> [2] 3 3
    torch.IntTensor(2):fill(2.9)                                    --> Int[2] 2 2
    torch.ByteTensor(1):fill(-1)                                    --> Byte[1] 255
    torch.Tensor():fill(1)                                          --> []
    c(2):fill('4')                                                  --> [2] 4 4
    c(2):fill('x')                                                  --> error: fill
    c(2):fill()                                                     --> error: fill
    c(2):zero(), torch.zero(c(1))                                   --> [2] 0 0, [1] 0
    local t = c(2, 2); t:t():narrow(1, 1, 1):fill(0); return t      --> [2x2] 0 2 0 4
    c(2, 3):copy(torch.range(6, 1, -1))                             --> [2x3] 6 5 4 3 2 1
    c(2, 3):t():copy(c(6))                                          --> [3x2] 1 2 3 4 5 6
    c(2):copy(torch.ByteTensor{7, 8})                               --> [2] 7 8
    torch.IntTensor(2):copy(torch.Tensor{-1.5, 2.5})                --> Int[2] -1 2
    c(2, 3):copy(c(7))                                              --> error: copy
    torch.Tensor():copy(torch.Tensor())                             --> []
    c(2):copy({1, 2})                                               --> error: copy
    c(2):copy(1)                                                    --> error: copy
    local t = torch.zeros(1, 3); t:expand(2, 3):add(1); return t    --> [1x3] 2 2 2
    local t = c(2); return rawequal(t, t:copy(c(2)))                --> true
    local t = c(4); t:narrow(1, 1, 2):copy(t:narrow(1, 3, 2)); return t --> [4] 3 4 3 4
  ]])
end)
