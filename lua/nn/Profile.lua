--- Runs a module, and prints how long it takes.
-- @classmod nn.Profile
local torch = require 'torch'
local nn = require 'nn'
local fileFields = require 'nn.support.file_fields'

local Profile, parent = torch.class('nn.Profile', 'nn.Decorator')

--- @tparam nn.Module module
-- @tparam[opt=100] int print_interval number of calls between prints
-- @tparam[opt] string name by default the module's type
function Profile:__init(module, print_interval, name)
  parent.__init(self, module)
  self.print_interval = print_interval or 100
  self.name = name or torch.type(module)
  self.module = module
  self.numFwds, self.numBwds = 0, 0
  self.summedFwdTime, self.summedBwdTime = 0, 0
  self.timer = torch.Timer()
end

-- Runs a method of the module, and records its time in the fields of `way`.
local function timed(self, way, method, ...)
  self.timer:reset()
  local result = self.modules[1][method](self.modules[1], ...)
  local calls, sum = 'num' .. way .. 's', 'summed' .. way .. 'Time'
  self[calls], self[sum] = self[calls] + 1, self[sum] + self.timer:time().real
  if self[calls] % self.print_interval == 0 then
    local passes = way == 'Fwd' and 'forward' or 'backward'
    print(('%s took %.3f seconds for %d %s passes'):format(self.name, self[sum], self.print_interval, passes))
    self[sum] = 0
  end
  return result
end

function Profile:updateOutput(input)
  self.output = timed(self, 'Fwd', 'updateOutput', input)
  return self.output
end

function Profile:updateGradInput(input, gradOutput)
  self.gradInput = timed(self, 'Bwd', 'updateGradInput', input, gradOutput)
  return self.gradInput
end

function Profile:accGradParameters(input, gradOutput, scale)
  timed(self, 'Bwd', 'accGradParameters', input, gradOutput, scale)
end

function Profile:backward(input, gradOutput, scale)
  self.gradInput = timed(self, 'Bwd', 'backward', input, gradOutput, scale)
  return self.gradInput
end

-- Files can't contain a clock: a module read from a file has a new one.
function Profile:write(file)
  file:writeObject(fileFields(self, file, { timer = true }))
end

function Profile:read(file)
  parent.read(self, file)
  self.timer = torch.Timer()
end

Profile.__givesWay = true      -- old versions of dpnn define this class, and theirs wins

return nn.Decorator.deriving(Profile)
