-- States whose names differ from a network's by rules.
local torch, nn = require 'torch', require 'nn'

local function newNet() return nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Linear(3, 1)) end

local function renamedState(net)
  local state = {}
  for name, value in pairs(net:stateDict()) do
    state[name:gsub('^0%.', 'first.'):gsub('^1%.', 'norm.'):gsub('^2%.', 'last/'):gsub('running_var', 'variance')] = value
  end
  return state
end

local rules = { { '^first', '0' }, { '^norm', '1' }, { 'variance$', 'running_var' }, { '^last/', '2.' } }

describe('nn.Module:loadStateDict with rules', function()
  it('loads what fits by several rules', function()
    local from, to = newNet(), newNet()
    from:get(2).running_var:fill(3)
    local report = to:loadStateDict({ net = renamedState(from), epoch = 3 }, { rules = { { '^net%.', '' }, unpack(rules) } })
    assert.equal(report.count, report.fitting)
    for name, value in pairs(to:stateDict()) do assert.is_true(torch.equal(from:stateDict()[name], value), name) end
  end)

  it('changes nothing and lists all by name and size if something does not fit', function()
    local net, state = newNet(), renamedState(newNet())
    state['first.bias'], state.other, state['last/weight'] = nil, torch.ones(2, 5), torch.ones(1, 4)
    local before = net:get(1).weight:clone()
    local _, message = pcall(net.loadStateDict, net, state, { rules = rules })
    local text = 'nn.Sequential: loadStateDict: state: expected the tensors of the network (partial = true loads those that fit), '
      .. '7 of 9 tensors fit\nthe file lacks\n  0.bias [3]\nthe network lacks\n  other [2, 5]\n'
      .. 'other sizes\n  last/weight [1, 4], expected [1, 3]'
    assert.is_truthy(message:find(text, 1, true), message)
    assert.is_true(torch.equal(before, net:get(1).weight))
    local report = net:loadStateDict(state, { rules = rules, dryRun = true })
    assert.same({ 7, { { name = '0.bias', sizes = { 3 } } }, { { name = 'other', sizes = { 2, 5 } } },
                  { { name = 'last/weight', sizes = { 1, 4 }, expected = { 1, 3 } } } },
      { report.fitting, report.missing, report.unexpected, report.different })
    assert.is_true(torch.equal(before, net:get(1).weight))
    net:loadStateDict(state, { rules = rules, partial = true })
    assert.is_true(torch.equal(state['first.weight'], net:get(1).weight))
  end)

  it('ignores names by patterns', function()
    local net, state = newNet(), renamedState(newNet())
    state['optimizer.step'] = torch.ones(1)
    local report = net:loadStateDict(state, { rules = rules, ignores = { '^optimizer%.' } })
    assert.equal(9, report.fitting)
  end)

  it('refuses rules that are none', function()
    local function call(options) return function() newNet():loadStateDict({ weight = torch.ones(1) }, options) end end
    assert.error_matches(call { rules = { 'a' } }, "loadStateDict: rules: 1: 'a', expected a table")
    assert.error_matches(call { rules = { { 'a', {} } } }, 'rules: 1: replacement: a table, expected a string')
    assert.error_matches(call { rules = { { '[', '' } } }, 'loadStateDict: state: pattern "%[": ')
    assert.error_matches(call { rules = { { 'w', '%3' } } }, 'loadStateDict: state: pattern "w": ')
    assert.error_matches(call { rules = { { '.*', '0.bias' } }, strict = true }, 'expected the tensors of the network')
    assert.error_matches(function()
      newNet():loadStateDict({ a = torch.ones(3), b = torch.ones(3) }, { rules = { { '^.$', '0.bias' } } })
    end, 'both a and b, expected one of them')
  end)
end)
