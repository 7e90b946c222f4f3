-- Torch7's constructors and conversions of types, row by row.
local facts = require 'spec.support.facts'

describe('a constructor:', function()
  facts(it, [[
    torch.Tensor()                                                  --> []
    torch.Tensor(2, 3):size()                                       --> LongStorage 2 3
    torch.Tensor(2, '3'):size()                                     --> LongStorage 2 3
    torch.Tensor(torch.LongStorage{2, 3}):size()                    --> LongStorage 2 3
    torch.Tensor(torch.LongStorage{2, 3}, torch.LongStorage{1, 2}):stride() --> LongStorage 1 2
    torch.Tensor(1, 2, 1, 2, 1, 2, 1, 2):dim()                      --> 8
    torch.Tensor{}                                                  --> []
    torch.Tensor{1, 2, 3}                                           --> [3] 1 2 3
    torch.Tensor{{1, 2}, {3, 4}}                                    --> [2x2] 1 2 3 4
    torch.Tensor{{{1}, {2}}}                                        --> [1x2x1] 1 2
    torch.Tensor{'1', 2}                                            --> [2] 1 2
    torch.Tensor{{}}                                                --> error: tensor
    torch.Tensor{{1, 2}, {3}}                                       --> error: invalid tensor sizes
    torch.Tensor{1, 'x'}                                            --> error: invalid element (not a number)
    torch.Tensor{{1, 2}, {3, print}}                                --> error: invalid element (not a number)
    local t = torch.Tensor{1, 2}; torch.Tensor(t)[1] = 7; return t  --> [2] 7 2
    torch.Tensor(torch.FloatTensor(2))                              --> error: DoubleTensor
    torch.Tensor(torch.FloatStorage(2))                             --> error: DoubleTensor
    torch.Tensor(torch.DoubleStorage{1, 2, 3})                      --> [3] 1 2 3
    torch.Tensor(torch.DoubleStorage{1, 2, 3}, 2):dim()             --> 0
    torch.Tensor(torch.DoubleStorage{1, 2, 3}, 2):storageOffset()   --> 2
    torch.Tensor(torch.DoubleStorage{1, 2, 3}, 2, 2)                --> [2] 2 3
    torch.Tensor(torch.DoubleStorage{1, 2, 3, 4}, 1, 2, 2)          --> [2] 1 3
    torch.Tensor(torch.DoubleStorage{1, 2, 3, 4}, 1, 2, 1, 2, 2)    --> [2x2] 1 3 2 4
    torch.Tensor(torch.DoubleStorage{1, 2, 3, 4}, 1, torch.LongStorage{2, 2}) --> [2x2] 1 2 3 4
    torch.Tensor(torch.DoubleStorage{1, 2, 3, 4}, 1, torch.LongStorage{2, 2}, torch.LongStorage{1, 2}) --> [2x2] 1 3 2 4
    local s = torch.DoubleStorage(2); torch.Tensor(s, 1, 5); return #s --> 5
    torch.Tensor(torch.DoubleStorage(2), 0, 1)                      --> error: offset
    torch.Tensor('x')                                               --> error: tensor
    torch.Tensor(nil)                                               --> []
    torch.LongTensor(torch.LongStorage{2, 3}, 1)                    --> Long[]
    torch.IntTensor{1.9, -1.9}                                      --> Int[2] 1 -1
    torch.ByteTensor{300, -1, 2.7}                                  --> Byte[3] 44 255 2
    torch.CharTensor{200, -129}                                     --> Char[2] -56 127
    torch.ShortTensor{40000}                                        --> Short[1] -25536
    torch.FloatTensor{0.1}                                          --> Float[1] 0.10000000149012
    torch.HalfTensor{1, 2.5}                                        --> Half[2] 1 2.5
    c(2).new(3):dim()                                               --> 1
    torch.Tensor.new{4, 5}                                          --> [2] 4 5
    local t = c(2); t:new():fill(9); return t                       --> [2] 9 9
    local t = torch.FloatTensor(2); return t.new()                  --> Float[]
    torch.FloatTensor.new(2):type()                                 --> torch.FloatTensor
    local t = c(2, 2); return t.new(t:storage(), 3, 2)              --> [2] 3 4
    torch.Tensor(c(2, 3):size()):size()                             --> LongStorage 2 3
    torch.Tensor(#c(2, 3)):size()                                   --> LongStorage 2 3
    torch.Tensor.__typename                                         --> torch.DoubleTensor
    torch.type(torch.Tensor)                                        --> table
    torch.typename(torch.LongStorage{1})                            --> torch.LongStorage
    type(torch.Tensor())                                            --> userdata
    type(torch.LongStorage())                                       --> userdata
  ]])
end)

describe('a conversion:', function()
  facts(it, [[
    c(2):type()                                                     --> torch.DoubleTensor
    c(2):float()                                                    --> Float[2] 1 2
    c(2):type('torch.IntTensor')                                    --> Int[2] 1 2
    local t = c(2); return rawequal(t, t:double())                  --> true
    local t = c(2); return t:double() == t                          --> true
    c(2):type('torch.FooTensor')                                    --> error: FooTensor
    c(2, 2):t():int()                                               --> Int[2x2] 1 3 2 4
    c(2, 2):t():int():isContiguous()                                --> true
    torch.Tensor():float()                                          --> Float[]
    torch.Tensor{-1.5, 255, 256}:byte()                             --> Byte[3] 255 255 0
    torch.Tensor{-1.5, 1e10}:int()[1]                               --> -1
    torch.FloatTensor{1.5}:long()                                   --> Long[1] 1
    torch.Tensor{70000}:half()                                      --> Half[1] inf
    torch.Tensor{0.1}:half():double()                               --> [1] 0.0999755859375
    c(2):char():short():half():byte():type()                        --> torch.ByteTensor
    c(2):float():real():type()                                      --> torch.DoubleTensor
    c(2):typeAs(torch.IntTensor())                                  --> Int[2] 1 2
    torch.isTensor(c(2)), torch.isTensor({}), torch.isTensor()      --> true, false, false
    c(2):isTensor()                                                 --> true
    torch.isTensor(torch.LongStorage())                             --> false
    torch.isStorage(torch.LongStorage()), torch.isStorage(c(2)), torch.isStorage(), torch.isStorage(3) --> true, false, false, false
    torch.isTensor(torch.Tensor)                                    --> false
    torch.getdefaulttensortype()                                    --> torch.DoubleTensor
    torch.setdefaulttensortype('foo')                               --> error: foo
    torch.setdefaulttensortype('torch.DoubleTensor')                --> nothing
    c(2, 3):clone():t():clone():isContiguous()                      --> true
    torch.ones(1):expand(3):clone():stride()                        --> LongStorage 1
    local t = c(2, 2); return t:contiguous() == t                   --> true
    local t = c(2, 2):t(); return t:contiguous() == t, t:contiguous() --> false, [2x2] 1 3 2 4
    torch.Tensor():isContiguous()                                   --> true
    torch.Tensor():clone()                                          --> []
    torch.Tensor.elementSize and c(1):elementSize(), torch.IntTensor():elementSize(), torch.HalfTensor():elementSize() --> 8, 4, 2
    torch.ByteTensor.elementSize()                                  --> 1
    torch.zeros(1e20)                                               --> error: zeros: out of memory
    torch.zeros{2, 1e20}                                            --> error: zeros: sizes: the number of elements of
  ]])
end)

describe('the default type', function()
  local torch = require 'torch'
  after_each(function() torch.setdefaulttensortype 'torch.DoubleTensor' end)
  it('is that of what follows no argument', function()
    local before = torch.Tensor(2)
    torch.setdefaulttensortype 'torch.FloatTensor'
    assert.equal('torch.DoubleTensor', before:type())
    for _, made in ipairs { torch.Tensor(), torch.Tensor { 1 }, torch.zeros(2), torch.ones(2), torch.rand(2), torch.randn(2), torch.eye(2),
                            torch.range(1, 3), torch.linspace(0, 1), before:real() } do
      assert.equal('torch.FloatTensor', made:type())
    end
    assert.equal('torch.FloatStorage', torch.typename(torch.Storage(2)))
    assert.equal(torch.FloatTensor, torch.Tensor)
  end)
end)
