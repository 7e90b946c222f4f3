-- Types that Torch7 lacked or hardly supported: half precision, and new types. They support all operations of the others.
local facts = require 'spec.support.facts'

describe('half precision:', function()
  facts(it, [[
    torch.HalfTensor{1, 2.5}                                        --> Half[2] 1 2.5
    torch.HalfTensor(2, 2):fill(0.1)[1][1]                          --> 0.0999755859375
    torch.HalfTensor{{1, 2}, {3, 4}}:t():clone()                    --> Half[2x2] 1 3 2 4
    torch.HalfTensor{1, 2}:totable()                                --> {1, 2}
    torch.HalfTensor{1, 2}:storage()                                --> HalfStorage 1 2
    local t = torch.HalfTensor{1, 2, 3}; t[2] = 7; t[{{2, 3}}] = 0; return t --> Half[3] 1 0 0
    torch.HalfTensor{1, 2}:copy(torch.Tensor{65504, 65536})         --> Half[2] 65504 inf
    torch.Tensor{1/0, -1/0}:half():double()                         --> [2] inf -inf
    torch.Tensor{0/0}:half()[1] ~= torch.Tensor{0/0}:half()[1]      --> true
    torch.Tensor{2049, 2051}:half()                                 --> Half[2] 2048 2052
    torch.HalfTensor{1, 2} + torch.HalfTensor{3, 4}                 --> Half[2] 4 6
    torch.HalfTensor(5000):fill(1):sum()                            --> 5000
    torch.addbmm(torch.HalfTensor{{0}}, torch.HalfTensor{{{2048}}, {{1}}, {{1}}}, torch.HalfTensor(3, 1, 1):fill(1)) --> Half[1x1] 2050
    torch.HalfTensor{1, 2}:apply(function(v) return v * 2 end)      --> Half[2] 2 4
    torch.HalfTensor{3, 1, 2}:sort()                                --> Half[3] 1 2 3, Long[3] 2 3 1
    torch.HalfTensor{1, 2, 3}[torch.ByteTensor{1, 0, 1}]            --> Half[2] 1 3
    torch.HalfTensor{1, 2}:int(), torch.IntTensor{1, 2}:half()      --> Int[2] 1 2, Half[2] 1 2
    tostring(torch.HalfTensor{1.5}):match('torch.HalfTensor of size 1')              --> torch.HalfTensor of size 1
    torch.BFloat16Tensor{1.01}:double()                             --> [1] 1.0078125
    torch.BoolTensor{1, 0, 5}                                       --> Bool[3] 1 0 1
    torch.IntTensor{2, 0}:bool():int()                              --> Int[2] 1 0
  ]])
end)

describe('the type of a result:', function()
  facts(it, [[
    (torch.IntTensor{1} + torch.FloatTensor{1}):type()              --> torch.DoubleTensor
    (torch.ShortTensor{1} + torch.FloatTensor{1}):type()            --> torch.FloatTensor
    (torch.ByteTensor{1} + torch.CharTensor{1}):type()              --> torch.ShortTensor
    (torch.IntTensor{1} + torch.LongTensor{1}):type()               --> torch.LongTensor
    (torch.HalfTensor{1} + torch.FloatTensor{1}):type()             --> torch.FloatTensor
    (torch.FloatTensor{1} + torch.DoubleTensor{1}):type()           --> torch.DoubleTensor
    (torch.IntTensor{1} + 0.5):type(), (torch.ByteTensor{250} + 10) --> torch.IntTensor, Byte[1] 4
    torch.IntTensor{3}:mul(2.5), torch.IntTensor{7} / 2.9           --> Int[1] 6, Int[1] 3
    torch.IntTensor{1}:add(torch.Tensor{1})                         --> error: expected torch.DoubleTensor
    torch.FloatTensor{1}:copy(torch.IntTensor{3})                   --> Float[1] 3
    torch.cat(torch.IntTensor{1}, torch.FloatTensor{2}):type()      --> torch.DoubleTensor
    torch.gt(torch.IntTensor{1}, 0):type()                          --> torch.ByteTensor
    torch.sort(torch.ByteTensor{2, 1})                              --> Byte[2] 1 2, Long[2] 2 1
    c(2, 3) + c(1, 3), c(3) + c(2, 1)                               --> [2x3] 2 4 6 5 7 9, [2x3] 2 3 4 3 4 5
    torch.add(c(2, 3), c(4))                                        --> error: add
  ]])
end)
