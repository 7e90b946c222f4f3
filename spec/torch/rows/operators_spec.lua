-- Torch7's operators, the pairing of elements whatever the shapes, identity, FFI access, classes: their behaviour in programs.
local facts = require 'spec.support.facts'

describe('an operator:', function()
  facts(it, [[
    c(2) + 1, 1 + c(2)                                              --> [2] 2 3, [2] 2 3
    c(2) - 1, 1 - c(2)                                              --> [2] 0 1, [2] 0 -1
    '1' + c(2), c(2) + '1', '3' - c(2), c(2) - '1'                  --> [2] 2 3, [2] 2 3, [2] 2 1, [2] 0 1
    '2' * c(2), c(2) * '2', '2' / c(2), c(2) / '2', c(2) ^ '2'      --> [2] 2 4, [2] 2 4, [2] 2 1, [2] 0.5 1, [2] 1 4
    'a' + c(2)                                                      --> error: add: arguments: (string
    c(2) + c(2), c(2) - c(2)                                        --> [2] 2 4, [2] 0 0
    c(2) * 2, 2 * c(2)                                              --> [2] 2 4, [2] 2 4
    c(2) / 2, -c(2), c(2) % 2                                       --> [2] 0.5 1, [2] -1 -2, [2] 1 0
    c(2) * c(2)                                                     --> 5
    c(2, 2) * c(2)                                                  --> [2] 5 11
    c(2, 2) * c(2, 2)                                               --> [2x2] 7 10 15 22
    c(2, 2, 2) * c(2)                                               --> error: multiplication between 3D and 1D tensors not yet supported
    torch.Tensor{-7, 7} % 3, torch.Tensor{-7, 7} % -3               --> [2] 2 1, [2] -1 -2
    torch.IntTensor{-7, 7} / 2                                      --> Int[2] -3 3
    torch.IntTensor{7} / 0                                          --> error: 0
    c(2) == c(2)                                                    --> false
    local t = c(2); return t == t, t == torch.Tensor(t)             --> true, false
    c(2) .. 'x'                                                     --> error: concat
    c(2) < c(2)                                                     --> error: less
    c(2)()                                                          --> error: call
    torch.IntTensor{1} + torch.IntTensor{2}                         --> Int[1] 3
    torch.ByteTensor{200} + torch.ByteTensor{100}                   --> Byte[1] 44
    c(2) + 'x'                                                      --> error: add
    c(2) + nil                                                      --> error: add
    c(2) + '1'                                                      --> [2] 2 3
    c(2, 3) + c(6)                                                  --> [2x3] 2 4 6 8 10 12
    c(6) + c(2, 3)                                                  --> [6] 2 4 6 8 10 12
    torch.add(c(2, 3), c(3, 2))                                     --> [2x3] 2 4 6 8 10 12
    c(4):cmul(c(2, 2))                                              --> [4] 1 4 9 16
    c(2, 2):cdiv(c(4))                                              --> [2x2] 1 1 1 1
    torch.dot(c(2, 2), c(4))                                        --> 30
    c(2, 2):dot(c(4))                                               --> 30
    torch.gt(c(2, 2), torch.Tensor{0, 3, 2, 9})                     --> Byte[2x2] 1 0 1 0
    c(2, 2):addcmul(2, c(4), c(4))                                  --> [2x2] 3 10 21 36
    c(2, 3):add(c(3))                                               --> [2x3] 2 4 6 5 7 9
    c(2, 1) + c(1, 3)                                               --> [2x3] 2 3 4 3 4 5
    c(2, 3) + c(2)                                                  --> error: add
    torch.LongTensor{9007199254740993LL} + 1 == nil                 --> false
    (torch.LongTensor{9007199254740993LL} + 1)[1] == 9007199254740994LL --> true
    torch.LongTensor{-2^63}:abs()[1] == -9223372036854775807LL - 1  --> true
    torch.LongTensor{9007199254740993LL}:sum() == 9007199254740993LL --> true
    torch.LongTensor{9007199254740993LL}:max() == 9007199254740993LL --> true
    torch.LongTensor{9007199254740993LL}:clone():cmul(torch.LongTensor{2})[1] == 18014398509481986LL --> true
    torch.LongTensor{9007199254740993LL}:eq(9007199254740992LL)     --> Byte[1] 0
    torch.LongTensor{9007199254740993LL}:fill(9007199254740995LL)[1] == 9007199254740995LL --> true
  ]])
end)

describe('identity and memory:', function()
  facts(it, [[
    local t = c(2); return torch.pointer(t) == torch.pointer(t:storage()) --> false
    local t = c(2); return torch.pointer(t:storage()) == torch.pointer(t:storage()) --> true
    type(torch.pointer(c(1))), type(torch.pointer({})), type(torch.pointer(print)), type(torch.pointer('x')) --> number, number, number, number
    torch.pointer(nil)                                              --> error: Torch object, table, thread, cdata or function expected
    local t = c(2); return torch.isequal(t, t), torch.isequal(t, c(2)) --> true, false
    type(c(2):data()), torch.Tensor():data()                        --> cdata, nil
    local t = c(3); local p = t:data(); p[1] = 9; return t          --> [3] 1 9 3
    c(3):narrow(1, 2, 1):data()[0]                                  --> 2
    torch.data(c(2))[1]                                             --> 2
    torch.data(nil), torch.cdata(nil)                               --> nil, nil
    type(torch.data(c(2), true))                                    --> cdata
    c(2):cdata().nDimension                                         --> 1
    tonumber(c(2, 3):cdata().size[1]), tonumber(c(2, 3):cdata().stride[0]) --> 3, 3
    tonumber(c(3):narrow(1, 2, 1):cdata().storageOffset)            --> 1
    c(3):storage():cdata().data[2], tonumber(c(3):storage():cdata().size) --> 3, 3
    local t = c(2); t:retain(); t:free(); return t                  --> [2] 1 2
    torch.setheaptracking(false), torch._heaptracking               --> nil, false
    torch.setheaptracking(true), torch._heaptracking                --> nil, true
    torch.updatethreadlocals()                                      --> nothing
    type(c(2).torch)                                                --> table
    type(torch.getenv(function() end))                              --> table
    torch.isatty(io.stdout) == true or torch.isatty(io.stdout) == false --> true
    type(torch.packageLuaPath('torch'))                             --> string
    type(string.gfind), type(table.unpack)                          --> function, function
  ]])
end)

describe('a class:', function()
  facts(it, [[
    torch.typename(c(1)), torch.typename({}), torch.type({}), torch.type(3), torch.type(nil) --> torch.DoubleTensor, nil, table, number, nil
    torch.typename()                                                --> error: typename
    torch.isTypeOf(c(1), 'torch.DoubleTensor'), torch.isTypeOf(c(1), 'torch'), torch.isTypeOf(c(1), 'torch%.'), torch.isTypeOf(c(1), torch.DoubleTensor) --> true, false, true, true
    type(torch.factory('torch.DoubleTensor')), torch.factory('foo') --> function, nil
    torch.factory('torch.FloatTensor')()                            --> Float[]
    torch.getmetatable('torch.DoubleTensor') == getmetatable(c(1))  --> true
    torch.getconstructortable('torch.DoubleTensor') == torch.DoubleTensor --> true
    torch.getconstructortable('foo')                                --> nothing
    torch.class('missing_.A')                                       --> error: is an invalid module name
    torch.class('torch.DoubleTensor')                               --> error: has been already assigned a factory
    torch.class('FactA_', 'no.Such')                                --> error: invalid parent class name
    torch.class()                                                   --> error: <class name> [<parent class name>] [<module table>] expected
    local m = {}; torch.class('FactB_', m); return type(m.FactB_), rawget(_G, 'FactB_') --> table, nil
    local m = {}; local A = torch.class('FactC_', m); function A:__init(x) self.x = x end; return m.FactC_(3).x --> 3
    local m = {}; local A = torch.class('FactD_', m); function A:__add__(o) return 'sum' end; return m.FactD_() + 1, 1 + m.FactD_() --> sum, sum
    local m = {}; torch.class('FactE_', m); return m.FactE_() + 1   --> error: both FactE_ and number have no addition operator
    local m = {}; torch.class('FactF_', m); return tostring(m.FactF_()), torch.version(m.FactF_()) --> FactF_, 1
    local m = {}; local A = torch.class('FactG_', m); local B, P = torch.class('FactH_', 'FactG_', m); return P == A --> true
    local m = {}; local A = torch.class('FactI_', m); function A:__index__(k) if k == 'z' then return 5, true end return false end; return m.FactI_().z, m.FactI_().y --> 5, nil
    local m = {}; local A = torch.class('FactJ_', m); function A:__newindex__(k, v) if k == 'q' then rawset(self, 'Q', v) return true end end; local o = m.FactJ_(); o.q = 4; o.r = 5; return o.Q, o.q, o.r --> 4, nil, 5
    local m = {}; local A = torch.class('FactK_', m); function A:__call__(x) return x * 2 end; return m.FactK_()(4) --> 8
    local m = {}; local A = torch.class('FactL_', m); function A.__eq__() return true end; return m.FactL_() == m.FactL_() --> true
    local o = torch.setmetatable({}, 'foo.Bar')                     --> error: unknown typename
    local m = {}; torch.class('FactM_', m); return torch.typename(torch.setmetatable({}, 'FactM_')) --> FactM_
    local m = {}; local A = torch.class('FactN_', m); function m.FactN_:hi() return 'hi' end; return A.hi ~= nil, m.FactN_():hi() --> true, hi
    local m = {}; torch.class('FactO_', m); return getmetatable(m.FactO_) == torch.getmetatable('FactO_'), m.FactO_.__typename --> true, FactO_
    torch.getmetatable('torch.DoubleTensor').factTwice_ == nil      --> true
    torch.getmetatable('torch.DoubleTensor').factTwice_ = function(x) return x * 2 end; local y = c(2):factTwice_(); torch.getmetatable('torch.DoubleTensor').factTwice_ = nil; return y --> [2] 2 4
    torch.DoubleTensor.factThrice_ = function(x) return x * 3 end; local y = c(2):factThrice_(); torch.getmetatable('torch.DoubleTensor').factThrice_ = nil; return y --> [2] 3 6
    torch.Generator.__typename, torch.type(torch.Generator())       --> torch.Generator, torch.Generator
    tostring(torch.Generator())                                     --> torch.Generator
    torch.File('x')                                                 --> error: no constructor available
  ]])
end)

describe('a hook of tensors, replaced,', function()
  facts(it, [[
    local M = getmetatable(c(1)); local old = M.__add__; M.__add__ = function() return 'sum' end; local x, y = c(2) + 1, 1 + c(2); M.__add__ = old; return x, y, c(2) + 1 --> sum, sum, [2] 2 3
    local M = torch.IntTensor; M.__lt__ = function(a, b) return a[1] < b[1] end; local x = torch.IntTensor{1} < torch.IntTensor{2}; M.__lt__ = nil; return x --> true
    local M = getmetatable(c(1)); local old = M.__tostring__; M.__tostring__ = function() return 'text' end; local x = tostring(c(2)); M.__tostring__ = old; return x, #tostring(c(1)) --> text, 34
    local M = getmetatable(c(1)); local old = M.__index__; M.__index__ = function(t, k) if k == 'me' then return 5, true end return old(t, k) end; local t = c(2, 2); local x, y, z = t.me, t[2], t:sum(); M.__index__ = old; return x, y, z, t[2], t.me --> 5, [2] 3 4, 10, [2] 3 4, nil
    local M = getmetatable(c(1)); local old, seen = M.__newindex__; M.__newindex__ = function(t, k, v) if k == 'me' then seen = v return true end return old(t, k, v) end; local t = c(2); t.me, t[1] = 7, 8; M.__newindex__ = old; return t, seen --> [2] 8 2, 7
    local t = c(2); getmetatable(t).__newindex__(t, 1, 9); return t, (getmetatable(t).__index__(t, 1)) --> [2] 9 2, 9
    c(2, 3):__len__(), c(2):storage():__len__(), c(2):__add__(1)     --> LongStorage 2 3, 2, [2] 2 3
    c(2).me, (pcall(function() c(2).me = 1 end))                    --> nil, false
    c(2).me = 1                                                     --> error: fact:1: the class torch.DoubleTensor cannot be indexed
  ]])
end)

describe('a hook put into a class by rawset', function()
  facts(it, [[
    local m = {}; local A = torch.class('FactR_', m); local o = m.FactR_(); rawset(A, '__add__', function() return 'sum' end); return o + 1 --> sum
    local m = {}; local A = torch.class('FactS_', m); torch.class('FactT_', 'FactS_', m); rawset(A, '__index__', function(_, k) return k .. '!', true end); return m.FactT_().hi --> hi!
    local m = {}; local A = torch.class('FactU_', m); rawset(A, '__newindex__', function(s, k, v) rawset(s, k, v + 1) return true end); local o = m.FactU_(); o.a = 1; return o.a --> 2
  ]])
end)
