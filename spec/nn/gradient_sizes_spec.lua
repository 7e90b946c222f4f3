-- A gradOutput that does not fit the last output is an error of every module, not a wrong answer.
local torch, nn = require 'torch', require 'nn'
local samples = require 'spec.support.nn_samples'

-- Ones with sizes that a function changes; nil where that changes none.
local function changed(change)
  return function(output)
    local sizes = output:size():totable()
    change(sizes)
    local ones = torch.ones(torch.LongStorage(sizes)):type(output:type())
    return not ones:isSameSizeAs(output) and ones or nil
  end
end

local changes = {
  ['has one row more'] = changed(function(sizes) sizes[1] = sizes[1] + 1 end),
  ['has one row less'] = changed(function(sizes) sizes[1] = math.max(sizes[1] - 1, 1) end),
  ['has one column more'] = changed(function(sizes) sizes[#sizes] = sizes[#sizes] + 1 end),
  ['is a single one'] = changed(function(sizes)
    for d = #sizes, 2, -1 do sizes[d] = nil end
    sizes[1] = 1
  end),
  ['is transposed'] = changed(function(sizes)
    local long = {}
    for _, size in ipairs(sizes) do
      if size ~= 1 then long[#long + 1] = size end
    end
    if #long > 1 then sizes[1], sizes[#sizes] = sizes[#sizes], sizes[1] end
  end),
}

-- Modules that pass their gradOutput on unchecked.
local handsOn = { Identity = true, FlattenTable = true, NarrowTable = true }

-- Whether the sizes that are not 1 are in the same order: elements pair up as they lie then.
local function pairsUp(x, y)
  local lists = {}
  for i, t in ipairs { x, y } do
    lists[i] = {}
    for _, size in ipairs(t:size():totable()) do
      if size ~= 1 then table.insert(lists[i], size) end
    end
  end
  return table.concat(lists[1], ' ') == table.concat(lists[2], ' ')
end

describe('A gradOutput that', function()
  local compared = 0
  for name, change in pairs(changes) do
    for _, class in ipairs(samples.classes()) do
      for _, sample in ipairs(samples.isCriterion(class) and {} or samples.of(class)) do
        if not handsOn[sample[1]:match '^%w+'] then
          it(('%s is refused by nn.%s'):format(name, sample[1]), function()
            local module, input = samples.moduleOf(sample), samples.inputOf(sample)
            local output = module:forward(input)
            local first = torch.isTensor(output) and output or output[1]
            local wrong = torch.isTensor(first) and change(first)
            if not wrong or pairsUp(wrong, first) then return end
            local gradOutput = wrong
            if not torch.isTensor(output) then
              gradOutput = { wrong }
              for i = 2, #output do gradOutput[i] = output[i] end
            end
            compared = compared + 1
            for _, method in ipairs { 'updateGradInput', 'accGradParameters' } do
              if method == 'updateGradInput' or #(module:parameters() or {}) > 0 then
                local done, message = pcall(module[method], module, input, gradOutput)
                assert.is_false(done, method)
                assert.is_not_nil(message:find('gradOutput: ', 1, true) or message:find('size', 1, true), message)
              end
            end
          end)
        end
      end
    end
  end

  it('is compared for most modules', function() assert.is_true(compared > 500) end)
end)

describe('As in Torch7, a gradOutput', function()
  it('may be the output as a vector, or have dimensions of size 1 more', function()
    local linear, x = nn.Linear(3, 1):double(), torch.randn(4, 3):double()
    linear:forward(x)
    local expected = linear:updateGradInput(x, torch.DoubleTensor { { 1 }, { 2 }, { 3 }, { 4 } }):clone()
    assert.same(expected:totable(), linear:updateGradInput(x, torch.DoubleTensor { 1, 2, 3, 4 }):totable())
    assert.same(expected:totable(), linear:updateGradInput(x, torch.DoubleTensor { { 1, 2, 3, 4 } }):totable())
  end)

  it('of other sizes is named with the sizes that were expected', function()
    local linear, x = nn.Linear(3, 2), torch.randn(4, 3)
    linear:forward(x)
    for _, sizes in ipairs { { 2, 4 }, { 3, 2 }, { 4, 3 } } do
      assert.error_matches(function() linear:backward(x, torch.ones(torch.LongStorage(sizes))) end,
        ('nn.Linear: gradOutput: torch.DoubleTensor %%[%d, %d%%], expected a tensor of sizes %%[4, 2%%]'):format(unpack(sizes)))
    end
    local join = nn.JoinTable(2)
    join:forward { torch.ones(2, 1), torch.ones(2, 2) }
    assert.error_matches(function() join:backward({ torch.ones(2, 1), torch.ones(2, 2) }, torch.ones(2, 4)) end,
      'nn.JoinTable: gradOutput: torch.DoubleTensor %[2, 4%], expected a tensor of sizes %[2, 3%]')
  end)
end)
