-- libmoontorch.formulaMethods and its methods, given programs and modules with anything in them: errors, and no crash.
local C, torch = require 'libmoontorch', require 'torch'
local formula = require 'autograd.formula'

local seed = tonumber(os.getenv 'MT_FUZZ_SEED') or 1
local rounds = tonumber(os.getenv 'MT_FUZZ_CALLS') or 1500

local random = math.random
local others = {
  function() return nil end, function() return random(-5, 40) end, function() return 1e18 end, function() return -1e18 end,
  function() return 'x' end, function() return {} end, function() return true end, function() return torch.ones(3) end,
  function() return 0 / 0 end, function() return function() end end,
}
local function other() return others[random(#others)]() end

-- Puts other values into a table, here and there.
local function spoiled(list)
  local keys = {}
  for key in pairs(list) do keys[#keys + 1] = key end
  for _, key in ipairs(keys) do
    if random(25) == 1 then
      list[key] = other()
    elseif type(list[key]) == 'table' then
      spoiled(list[key])
    end
  end
  if random(30) == 1 then list[#list + 1] = other() end
  return list
end

local texts = {
  'cmul(input, weight)', 'linear(input, weight, bias)', 'mul(tanh(cmul(input, weight)), n)', 'max(input, 2)', 'cmul(input[1], input[2])',
  'narrow(input, n, m, k)', 'view(input, n, m)',
}

-- The tables that nn.support.formula passes to the binding for a text, and some invalid ones.
local function compiled()
  local text = texts[random(#texts)]
  local made = formula.compile(text, { 'input', 'input[1]', 'weight', 'bias' })
  local operands, gradients = {}, {}
  for i, operand in ipairs(made.operands) do
    local isValue = #operand.name == 1
    operands[i] = operand.entry and { from = 'entry', operand.entry } or operand.name == 'input' and { from = 'input' }
      or { from = isValue and 'value' or 'field', isValue and 0 or 1 }
  end
  for i = 1, #made.gradients do gradients[i] = random(2) == 1 and { random(0, 2) } or { parameter = true, 2 } end
  return {
    operands = operands, forward = formula.graphText(made.forward, made.operands),
    backward = formula.graphText(made.backward, made.operands), gradients = gradients, alike = false, dims = 0,
    kept = random(3) == 1 and { 3 } or {}, entries = text:find '%[' and 2 or 0, shows = random(5) == 1, inplace = random(5) == 1,
    names = { 'weight', 'gradWeight', 'bias' },
  }
end

local function module(compute, input)
  return {
    compute = compute, weight = torch.randn(3), bias = torch.randn(3), gradWeight = torch.zeros(3), output = torch.Tensor(),
    gradInput = type(input) == 'table' and {} or torch.Tensor(),
  }
end

it('formulaMethods takes anything', function()
  math.randomseed(seed)
  local done = 0
  for _ = 1, rounds do
    local spec = {
      compute = function(_, x) return torch.mul(x, 2) end, forward = function() return 1 end, backward = function() return 2 end,
      compile = function() return spoiled(compiled()) end, casts = function() return random(8) == 1 end, replaced = {},
    }
    if random(2) == 1 then spec.text = 'f' else spec.choose = function() return 'f', 1, 2, 3 end end
    if random(4) == 1 then spoiled(spec) end
    local methods = { pcall(C.formulaMethods, spec) }
    for i = 2, methods[1] and #methods or 0 do
      local input = random(3) == 1 and { torch.randn(2, 3), torch.randn(2, 3) } or torch.randn(2, 3)
      local self = module(spec.compute, input)
      if random(3) == 1 then spoiled(self) end
      self.compute = spec.compute
      if pcall(methods[2], self, input) then done = done + 1 end
      pcall(methods[i], self, input, torch.randn(2, 3), 1)
      pcall(methods[i], self, other(), other(), other())
      pcall(methods[i], other(), other())
      pcall(methods[i], self)
      pcall(methods[i])
    end
  end
  assert.is_true(done > rounds)                                  -- most programs are whole
end)
