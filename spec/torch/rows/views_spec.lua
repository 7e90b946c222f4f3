-- Torch7's views and rearranging copies, row by row.
local facts = require 'spec.support.facts'

describe('view and expand:', function()
  facts(it, [[
    c(2, 3):view(3, 2)                                              --> [3x2] 1 2 3 4 5 6
    c(2, 3):view(-1), c(2, 3):view(3, -1)                           --> [6] 1 2 3 4 5 6, [3x2] 1 2 3 4 5 6
    c(2, 3):view(torch.LongStorage{6})                              --> [6] 1 2 3 4 5 6
    torch.view(c(4), 2, 2)                                          --> [2x2] 1 2 3 4
    local t, r = c(4), torch.Tensor(); torch.view(r, t, 2, 2); t[1] = 9; return r --> [2x2] 9 2 3 4
    local r = torch.Tensor(); r:view(c(4), torch.LongStorage{2, -1}); return r --> [2x2] 1 2 3 4
    c(2, 3):t():view(6)                                             --> error: expecting a contiguous tensor
    c(2, 3):view(3, 3)                                              --> error: view
    c(2, 3):view(-1, -1)                                            --> error: only one
    c(2, 3):view(4, -1)                                             --> error: view
    c(2, 3):viewAs(c(3, 2))                                         --> [3x2] 1 2 3 4 5 6
    torch.viewAs(torch.Tensor(), c(4), c(2, 2))                     --> [2x2] 1 2 3 4
    local r = torch.Tensor(); r:viewAs(c(4), c(2, 2)); return r     --> [2x2] 1 2 3 4
    torch.LongTensor{1, 2}:view(2, 1)                               --> Long[2x1] 1 2
    local r = torch.LongTensor(); r:view(torch.LongTensor{1, 2}, 2, 1); return r --> Long[2x1] 1 2
    c(2, 1):expand(2, 3)                                            --> [2x3] 1 1 1 2 2 2
    c(2, 1):expand(torch.LongStorage{2, 2}):stride()                --> LongStorage 1 0
    torch.expand(c(1, 2), 2, 2)                                     --> [2x2] 1 2 1 2
    torch.expand(torch.Tensor(), c(1, 2), 2, 2)                     --> [2x2] 1 2 1 2
    local r = torch.Tensor(); r:expand(c(1), 3); return r           --> [3] 1 1 1
    c(2, 1):expand(3, 3)                                            --> error: expand
    c(2, 2):expand(2)                                               --> error: expand
    c(2, 1):expandAs(c(2, 2))                                       --> [2x2] 1 1 2 2
    torch.expandAs(c(1), c(3))                                      --> [3] 1 1 1
    torch.expandAs(torch.Tensor(), c(1), c(3))                      --> [3] 1 1 1
  ]])
end)

describe('repeatTensor and squeeze:', function()
  facts(it, [[
    c(2):repeatTensor(2)                                            --> [4] 1 2 1 2
    c(2):repeatTensor(2, 2)                                         --> [2x4] 1 2 1 2 1 2 1 2
    c(2, 2):repeatTensor(1, 2)                                      --> [2x4] 1 2 1 2 3 4 3 4
    c(2):repeatTensor(torch.LongStorage{2, 1})                      --> [2x2] 1 2 1 2
    torch.repeatTensor(torch.Tensor(), c(2), 2)                     --> [4] 1 2 1 2
    c(2, 2):repeatTensor(2)                                         --> error: repeatTensor
    c(2, 2):t():repeatTensor(1, 1)                                  --> [2x2] 1 3 2 4
    c(2, 1, 2):squeeze()                                            --> [2x2] 1 2 3 4
    c(1, 2, 1):squeeze(1)                                           --> [2x1] 1 2
    c(2, 2):squeeze(1)                                              --> [2x2] 1 2 3 4
    c(1, 1):squeeze(), c(1):squeeze(), c(1):squeeze(1)              --> 1, 1, 1
    c(1, 1):squeeze(1)                                              --> [1] 1
    torch.squeeze(torch.Tensor(), c(1, 1))                          --> [1] 1
    torch.squeeze(c(1, 2))                                          --> [2] 1 2
    c(2, 2):squeeze(3)                                              --> error: squeeze
    local t = c(1, 2); t:squeeze()[1] = 9; return t                 --> [1x2] 9 2
  ]])
end)

describe('transpose and unfold:', function()
  facts(it, [[
    c(2, 3):transpose(1, 2)                                         --> [3x2] 1 4 2 5 3 6
    c(2, 3):t()                                                     --> [3x2] 1 4 2 5 3 6
    c(2):t()                                                        --> error: dimensions
    c(2, 3):transpose(1, 3)                                         --> error: transpose
    c(1, 2, 3):permute(3, 1, 2):size()                              --> LongStorage 3 1 2
    c(1, 2, 3):permute(1, 2)                                        --> error: permut
    c(1, 2, 3):permute(1, 1, 2)                                     --> error: permut
    local t = c(2, 2); t:t()[1][2] = 9; return t                    --> [2x2] 1 2 9 4
    c(5):unfold(1, 2, 1)                                            --> [4x2] 1 2 2 3 3 4 4 5
    c(5):unfold(1, 2, 2)                                            --> [2x2] 1 2 3 4
    c(2, 4):unfold(2, 2, 2):size()                                  --> LongStorage 2 2 2
    c(5):unfold(1, 6, 1)                                            --> error: unfold
    c(5):unfold(1, 2, 0)                                            --> error: unfold
  ]])
end)

describe('split, chunk, cat, reshape:', function()
  facts(it, [[
    c(5):split(2)                                                   --> {[2] 1 2, [2] 3 4, [1] 5}
    c(2, 3):split(2, 2)                                             --> {[2x2] 1 2 4 5, [2x1] 3 6}
    torch.split(c(4), 2)                                            --> {[2] 1 2, [2] 3 4}
    local r = {9, 9, 9}; torch.split(r, c(4), 2); return r          --> {[2] 1 2, [2] 3 4}
    local t = c(4); t:split(2)[2]:fill(0); return t                 --> [4] 1 2 0 0
    c(5):chunk(2)                                                   --> {[3] 1 2 3, [2] 4 5}
    c(4):chunk(3)                                                   --> {[2] 1 2, [2] 3 4}
    c(2):chunk(5)                                                   --> {[1] 1, [1] 2}
    torch.chunk(c(2, 2), 2, 2)                                      --> {[2x1] 1 3, [2x1] 2 4}
    c(2, 3):split(2, -1)                                            --> {[2x2] 1 2 4 5, [2x1] 3 6}
    c(2, 2):chunk(2, -1)                                            --> {[2x1] 1 3, [2x1] 2 4}
    c(2):chunk(1, -2)                                               --> error: chunk: dim: dimension -2 out of range 1..1
    c(2):split(0)                                                   --> error: split
    c(2):split(1, 2)                                                --> error: out of range
    c(2, 2):t():reshape(4)                                          --> [4] 1 3 2 4
    c(2, 2):reshape(torch.LongStorage{4})                           --> [4] 1 2 3 4
    torch.reshape(torch.Tensor(), c(4), 2, 2)                       --> [2x2] 1 2 3 4
    local t = c(4); t:reshape(2, 2):fill(0); return t               --> [4] 1 2 3 4
    c(4):reshape(3)                                                 --> error: reshape
    torch.cat(c(2), c(1))                                           --> [3] 1 2 1
    torch.cat(c(2, 2), c(2, 1))                                     --> [2x3] 1 2 1 3 4 2
    torch.cat(c(1, 2), c(1, 2), 1)                                  --> [2x2] 1 2 1 2
    torch.cat({c(2), c(2)}, 2)                                      --> [2x2] 1 1 2 2
    torch.cat({c(1), c(2), c(3)})                                   --> [6] 1 1 2 1 2 3
    torch.cat(torch.Tensor(), {c(1), c(2)}, 1)                      --> [3] 1 1 2
    torch.cat(torch.Tensor(), c(1), c(2))                           --> [3] 1 1 2
    torch.cat(torch.Tensor(), c(1), c(2), 1)                        --> [3] 1 1 2
    torch.cat(c(2, 3), c(2), 2)                                     --> [2x4] 1 2 3 1 4 5 6 2
    c(2):cat(c(1))                                                  --> [3] 1 2 1
    c(1, 2):cat(c(1, 2), 1)                                         --> [2x2] 1 2 1 2
    torch.cat(torch.Tensor(), torch.Tensor())                       --> []
    torch.cat({torch.Tensor(), c(2)})                               --> [2] 1 2
    torch.cat(torch.Tensor(0), c(1, 2)), torch.cat({c(1, 2), torch.Tensor(0)}, 1) --> [1x2] 1 2, [1x2] 1 2
    torch.cat({c(2, 2), c(1, 3)}, 1)                                --> error: inconsistent tensor sizes
    torch.cat({})                                                   --> error: cat
    torch.cat({torch.IntTensor{1}, torch.IntTensor{2}})             --> Int[2] 1 2
    c(2, 2):totable()                                               --> {{1, 2}, {3, 4}}
    torch.totable(c(2)), torch.totable(torch.LongStorage{3, 4})     --> {1, 2}, {3, 4}
    torch.Tensor():totable()                                        --> {}
    torch.totable(3)                                                --> error: obj must be a Storage or a Tensor
    c(2, 2):t():totable()                                           --> {{1, 3}, {2, 4}}
  ]])
end)

describe('apply, map, map2:', function()
  facts(it, [[
    c(3):apply(function(v) return v * 2 end)                        --> [3] 2 4 6
    c(3):apply(function(v) if v > 1 then return 0 end end)          --> [3] 1 0 0
    c(3):apply(function() return false end)                         --> [3] 1 2 3
    c(2, 2):t():apply(function(v) return v + 1 end)                 --> [2x2] 2 4 3 5
    local t, n = c(2, 2), 0; t:t():apply(function() n = n + 1; return n end); return t --> [2x2] 1 3 2 4
    local t = c(2); return rawequal(t, t:apply(math.sqrt))          --> true
    torch.IntTensor{1, 2}:apply(function(v) return v + 0.9 end)     --> Int[2] 1 2
    torch.ByteTensor{1, 2}:apply(function(v) return v - 2 end)      --> Byte[2] 255 0
    torch.FloatTensor{1}:apply(function() return 0.1 end)           --> Float[1] 0.10000000149012
    torch.LongTensor{3}:apply(function(v) return v * 2 end)         --> Long[1] 6
    c(2):apply(function() return 'x' end)                           --> error: apply
    c(2):apply(function() return '5' end)                           --> [2] 5 5
    c(2):apply(function() return {} end)                            --> error: apply
    c(2):apply(3)                                                   --> error: apply
    c(2):apply(function() error('mine') end)                        --> error: mine
    torch.Tensor():apply(error)                                     --> []
    c(2):map(torch.Tensor{3, 4}, function(a, b) return a * b end)   --> [2] 3 8
    c(2, 2):map(c(4), function(a, b) return a + b end)              --> [2x2] 2 4 6 8
    c(2):map(c(3), function() end)                                  --> error: map
    c(2):map(torch.FloatTensor(2), function() end)                  --> error: map
    c(2):map2(c(2), c(2), function(a, b, d) return a + b + d end)   --> [2] 3 6
    c(2):map2(c(2), c(3), function() end)                           --> error: map2
    local t = c(4); t:narrow(1, 2, 2):apply(function() return 0 end); return t --> [4] 1 0 0 4
    torch.LongTensor{9007199254740993LL}:apply(function(v) return v + 2 end)[1] == 9007199254740995LL --> true
    torch.LongTensor{9007199254740993LL}:apply(function() end)[1] == 9007199254740993LL --> true
  ]])
end)
