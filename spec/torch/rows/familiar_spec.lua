-- Names that users of NumPy and PyTorch try first.
local torch = require 'torch'
local facts = require 'spec.support.facts'

describe('a name that others know:', function()
  facts(it, [[
    torch.stack{c(2), c(2)}, torch.stack({c(2), c(2)}, 2)           --> [2x2] 1 2 1 2, [2x2] 1 1 2 2
    torch.stack({c(2, 2), c(2, 2)}, -1):size()                      --> LongStorage 2 2 2
    torch.stack({c(2), c(2)}, 0)                                    --> error: stack: dim: dimension 0 out of range 1..2
    torch.stack({c(2), c(2)}, 2), torch.stack({c(2)}, -2):size()    --> [2x2] 1 1 2 2, LongStorage 1 2
    torch.stack({c(2), c(2)}, 3)                                    --> error: stack: dim: dimension 3 out of range 1..2
    c(2):to(torch.float32), torch.ones(1, torch.int64)              --> Float[2] 1 2, Long[1] 1
    torch.tensor({1, 2}, torch.uint8):type(torch.float16)           --> Half[2] 1 2
    torch.stack{c(2), c(3)}                                         --> error: stack: tensors: [3], expected [2]
    torch.stack{}                                                   --> error: stack: tensors: table, expected a table of one tensor or more
    torch.unbind(c(2, 2)), c(2, 2):unbind(2), torch.unbind(c(2))    --> {[2] 1 2, [2] 3 4}, {[2] 1 3, [2] 2 4}, {1, 2}
    torch.unbind(c(2), 2)                                           --> error: unbind: dim: dimension 2 out of range 1..1
    torch.flatten(c(2, 2)), c(2, 2, 2):flatten(2), c(2, 2):t():flatten() --> [4] 1 2 3 4, [2x4] 1 2 3 4 5 6 7 8, [4] 1 3 2 4
    c(2, 3, 4):flatten(1, 2):size(), torch.flatten(torch.Tensor())  --> LongStorage 6 4, []
    local x = c(2, 2); x:flatten()[1] = 9; return x                 --> [2x2] 9 2 3 4
    torch.argsort(torch.Tensor{3, 1, 2}), torch.Tensor{3, 1, 2}:argsort(1, true) --> Long[3] 2 3 1, Long[3] 1 3 2
    torch.randint(5, 10, {2, 3}):size(), torch.randint(10, 4):type() --> LongStorage 2 3, torch.LongTensor
    torch.randint(3, 1000):min(), torch.randint(3, 1000):max(), torch.randint(5, 6, {3}) --> 0, 2, Long[3] 5 5 5
    torch.randint(torch.Generator(), -2, -1, {2})                   --> Long[2] -2 -2
    torch.randint(5, 5, {2})                                        --> error: randint: arguments
    torch.tensor{1, 2}, torch.tensor(3), torch.tensor({1}, 'torch.IntTensor') --> [2] 1 2, [1] 3, Int[1] 1
    local x = c(2); local y = torch.tensor(x); y[1] = 9; return x   --> [2] 1 2
    torch.zerosLike(c(2):int()), torch.onesLike(c(2):float()), torch.fullLike(c(2), 7) --> Int[2] 0 0, Float[2] 1 1, [2] 7 7
    torch.randLike(c(2, 3)):size(), torch.randnLike(c(2):float()):type() --> LongStorage 2 3, torch.FloatTensor
    torch.tensor()                                                  --> error: tensor: values: nil, expected a table of numbers or a number
    torch.tensor({1}, {})                                           --> error: tensor: typeName: table, expected a name such as 'torch.FloatTensor'
    torch.argsort(c(2), 3)                                          --> error: argsort: dim: dimension 3 out of range 1..1
    torch.fullLike(c(2))                                            --> error: fullLike: value: nil, expected a number
    torch.zerosLike(3)                                              --> error: zerosLike: x: number, expected a tensor
    local x = c(2):requiresGrad(); torch.sum(torch.stack{x, x}:flatten()):backward(); return x.grad --> [2] 2 2
    c(3):clamp(2), c(3):clamp(nil, 2), torch.arange(3)              --> [3] 2 2 3, [3] 1 2 2, [3] 0 1 2
  ]])

  it('refused, points at the line that called it', function()
    for _, call in ipairs { 'unbind(x, 3)', 'flatten(x, 3)', 'argsort(x, 3)', 'split(x, 1, 3)', 'fullLike(x, "a")', 'unbind(4)' } do
      local _, message = pcall(loadstring('local torch, x = ...\nlocal y = torch.' .. call, '=program'), torch, torch.ones(2, 2))
      assert.match('^program:2: ', message, nil, call)
    end
  end)
end)
