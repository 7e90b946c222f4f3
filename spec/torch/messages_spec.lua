-- Public functions with arguments of all kinds: a result, or a message that begins with a name the program knows and never shows a file
-- and line of the library or a term of Lua's implementation.
local torch = require 'torch'
local optim, nn, autograd = require 'optim', require 'nn', require 'autograd'
local paths, xlua, tds, image = require 'paths', require 'xlua', require 'tds', require 'image'
local graph, nngraph, dok = require 'graph', require 'nngraph', require 'dok'

local function none() end

-- All single arguments, and pairs that begin with common first arguments; new ones each time, because functions may change them.
local function lists()
  local kinds = {
    none, true, 'no/such', {}, 3, -1, torch.ones(2, 3), torch.LongTensor(2, 3):fill(1), torch.Tensor(), { torch.ones(2) }, { 3 },
    { 'no/such' },
  }
  local all = { { n = 0 }, { n = 1 } }
  for _, value in ipairs(kinds) do
    all[#all + 1] = { value, n = 1 }
    for _, first in ipairs { torch.ones(2, 3), none, 3, 'no/such' } do all[#all + 1] = { first, value, n = 2 } end
  end
  return all
end

local accidents = { 'attempt to ', 'bad argument #', '/lua/[%w_/]+%.lua:%d' }

-- The message of a call that has internal details.
local function accidentOf(f, ...)
  local good, message = pcall(f, ...)
  if good then return nil end
  message = tostring(message):gsub('\nstack traceback.*', '')      -- containers show the trace inside
  for _, accident in ipairs(accidents) do
    if message:find(accident) then return message end
  end
end

local function sayWell(where, f)
  for _, list in ipairs(lists()) do
    local accident = accidentOf(f, unpack(list, 1, list.n))
    assert(not accident, where .. ': ' .. tostring(accident))
  end
end

-- Those that write files, run programs, print or wait; that change what other specs see; or that run tests.
local skipped = {}
for name in ([[
  autograd.anomaly autograd.optimize autograd.protected dok.browse image.display nn.test nn.testTHNN optim.Logger paths.mkdir paths.rmall
  paths.rmdir tds.free tds.retain torch.DiskFile torch.PipeFile torch.class torch.factory torch.free torch.getconstructortable
  torch.include torch.memoryLimit torch.metatype torch.newmetatable torch.pushudata torch.retain torch.save torch.saveobj
  torch.setDefaultDtype torch.setDefaultTensorType torch.setNumThreads torch.setdefaulttensortype torch.setenv
  torch.setheaptracking torch.setmetatable torch.setnumthreads nngraph.setDebug torch.test
  torch.updateerrorhandlers torch.updatethreadlocals xlua.clearall xlua.log xlua.print xlua.progress xlua.require
]]):gmatch '%S+' do skipped[name] = true end

local function isCallable(value)
  return type(value) == 'function' or type(value) == 'table' and (debug.getmetatable(value) or {}).__call ~= nil
end

describe('whatever comes, no message shows a line of the library:', function()
  local packages = { torch = torch, paths = paths, xlua = xlua, tds = tds, optim = optim, autograd = autograd, nn = nn,
                     graph = graph, nngraph = nngraph, dok = dok, ['nn.init'] = nn.init, ['nn.functional'] = nn.functional,
                     image = image, ['image.augment'] = image.augment }
  for name, package_ in pairs(packages) do
    it(name, function()
      local print, write = _G.print, io.write
      rawset(_G, 'print', none)
      rawset(io, 'write', none)
      local good, message = pcall(function()
        for field, value in pairs(package_) do
          local where = name .. '.' .. tostring(field)
          if isCallable(value) and not skipped[where] and not where:find '^image%.save' then sayWell(where, value) end
        end
      end)
      rawset(_G, 'print', print)
      rawset(io, 'write', write)
      assert(good, message)
    end)
  end

  it('methods', function()
    local objects = {
      tensor = torch.ones(2, 3), storage = torch.LongStorage { 1, 2 }, generator = torch.Generator(), linear = nn.Linear(3, 2),
      network = nn.Sequential(nn.Linear(2, 2)), criterion = nn.MSECriterion(), timer = torch.Timer(), counter = tds.AtomicCounter(),
    }
    local methods = [[add insert remove get type double share apply replace reset clone forward backward cmul updateParameters copy resize
      fill index sort inc set findModules]]
    for where, object in pairs(objects) do
      for method in methods:gmatch '%S+' do
        if isCallable(object[method]) then
          for _, list in ipairs(lists()) do
            local fresh = object.clone and object:clone() or object
            local accident = accidentOf(fresh[method], fresh, unpack(list, 1, list.n))
            assert(not accident, where .. ':' .. method .. ': ' .. tostring(accident))
          end
        end
      end
    end
  end)
end)

describe('a message', function()
  for call, expected in pairs {
    ["nn.HardTanh('a', {})"] = 'nn.HardTanh: arguments: (string, table), expected (min, max, inplace)',
    ['nn.WeightedMSECriterion()'] = 'nn.WeightedMSECriterion: arguments: (), expected (weight)',
    ["require 'nn'.GRU(2, 2):reset('a')"] = "nn.GRU: bound: 'a', expected a number",
    ['nn.Sequential():applyToModules()'] = 'nn.Sequential: fn: nil, expected a function',
    ['nn.LookupTable(3, 2):backward(torch.LongTensor { 1 })'] = 'nn.LookupTable: gradOutput: nil, expected a tensor',
    ['nn.Linear(2, 2):apply(3)'] = 'nn.Linear: fn: number, expected a function',
    ["nn.Linear(2, 2):reset('a')"] = "nn.Linear: stdv: 'a', expected a number",
    ['nn.Linear(2, 2):type(5)'] = 'nn.Linear: type: typename: 5 is no type of tensor here',
    ["nn.Sequential():insert(nn.Tanh(), 'a')"] = "nn.Sequential: index: 'a', expected a whole number",
    ["nn.init.orthogonal(torch.ones(2, 3), 'a')"] = "nn.init.orthogonal: gain: 'a', expected a number",
    ['nn.init.sparse(torch.ones(2, 3), 3)'] = 'nn.init.sparse: sparsity: 3, expected a number from 0 to 1',
    ['nn.functional.nllLoss(nil)'] = 'nn.functional.nllLoss: logp: nil, expected a tensor',
    ['optim.ConfusionMatrix()'] = 'optim.ConfusionMatrix: nclasses: nil, expected a whole number, 1 or more',
    ["optim.Logger '/'"] = 'optim.Logger: /: Is a directory',
    ["xlua.log '/'"] = 'xlua.log: /: Is a directory',
    ['optim.FistaLS()'] = 'optim.FistaLS: f: nil, expected a function',
    ['optim.cmaes(print)'] = 'optim.cmaes: x: nil, expected a tensor',
    ["optim.lbfgs(print, torch.ones(2), 'a')"] = 'optim.lbfgs: config: a string, expected a table such as { learningRate = 0.1 }',
    ['optim.polyinterp { 3 }'] = 'optim.polyinterp: points: number 1: number, expected a row of x, value and slope',
    ['autograd.gradcheck()'] = 'gradcheck: f: nil, expected a function',
    ['torch.noGrad {}'] = 'noGrad: f: table, expected a function',
    ['torch.toc()'] = 'torch.toc: start: nil, expected the result of torch.tic: start = torch.tic() ... torch.toc(start)',
    ["torch.randint(3, { 'a' })"] = "randint: sizes: number 1: 'a', expected a whole number, 0 or more",
    ['torch.multinomialAliasSetup()'] = 'multinomialAliasSetup_: p: nil, expected a vector of floats',
    ["tds.AtomicCounter():set('a')"] = "set: value: 'a', expected a number",
  } do
    it('of ' .. call .. " names the value and the program's line", function()
      local program = assert(loadstring('local torch, nn, optim, autograd, tds = ...\nlocal _ = ' .. call, '=program'))
      local _, message = pcall(program, torch, nn, optim, autograd, tds)
      assert.equal('program:2: ' .. expected, message)
    end)
  end
end)
