--- A network whose layers are spread over the ranks of a group (torch.distributed), which compute each batch together: the ranks have the
-- same inputs and the same loss. Layers that are spread need 1 / n of the memory on each of n ranks. See docs/distributed.md.
-- @classmod nn.TensorParallel
-- @usage local net = nn.TensorParallel(nn.TransformerEncoderLayer(64, 8))      -- th-launch -n 4 program.lua
-- local other = nn.TensorParallel(mlp, { plan = { ['1'] = 'colwise', ['3'] = 'rowwise' } })
local torch, nn = require 'torch', require 'nn'
local check, sharded, replica = require 'torch.check', require 'nn.support.sharded', require 'distributed.replica'
local dist = require 'torch.distributed'

local where = 'nn.TensorParallel'

local TensorParallel, parent = torch.class(where, 'nn.Decorator')
TensorParallel.__givesWay = true      -- Torch7 lacks it

-- What the words of a plan make of a layer. As in PyTorch, parts stay parts between 'colwise' and 'rowwise'.
local words = {
  colwise = function(layer, group) return nn.ColumnParallelLinear.from(layer, { gatherOutput = false, group = group }) end,
  gathered = function(layer, group) return nn.ColumnParallelLinear.from(layer, { group = group }) end,
  rowwise = function(layer, group) return nn.RowParallelLinear.from(layer, { inputIsParallel = true, group = group }) end,
  scattered = function(layer, group) return nn.RowParallelLinear.from(layer, { group = group }) end,
  vocab = function(layer, group) return nn.VocabParallelEmbedding.from(layer, { group = group }) end,
  heads = function(layer, group) return nn.ParallelMultiheadAttention.from(layer, { group = group }) end,
}

-- Returns the word for each layer, by module, from names.
local function wordsByModule(net, plan)
  local byName, byModule = {}, {}
  for name, module in net:namedModules() do byName[name] = module end
  for name, word in pairs(check.table(where, 'plan', plan)) do
    if not byName[name] then check.raise(('%s: plan: %s, expected a name of net:namedModules()'):format(where, tostring(name))) end
    check.choice(where, ("plan: ['%s']"):format(name), word, { 'colwise', 'rowwise', 'gathered', 'scattered', 'vocab', 'heads' })
    byModule[byName[name]] = word
  end
  return byModule
end

-- Returns the words for transformers: attention by heads, the two maps of a layer by columns and rows.
local function wordsOfTransformers(net)
  local byModule = {}
  for _, module in net:namedModules() do
    if torch.typename(module) == 'nn.MultiheadAttention' then byModule[module] = 'heads' end
    if torch.isTypeOf(module, 'nn.TransformerEncoderLayer') or torch.isTypeOf(module, 'nn.TransformerDecoderLayer') then
      byModule[module.linear1], byModule[module.linear2] = 'colwise', 'rowwise'
    end
  end
  if next(byModule) == nil then
    check.raise(where .. ': net: no attention and no layer of a transformer, expected a plan for its layers')
  end
  return byModule
end

-- Replaces modules; one that occurs twice stays one.
local function replaced(net, of)
  local made = {}
  return net:replace(function(module)
    made[module] = made[module] or of(module) or module
    return made[module]
  end)
end

--- Makes the parameters and buffers of all ranks those of the group's first, and spreads layers over the ranks. All ranks of the group
-- call it.
-- @tparam nn.Module net whose layers are replaced
-- @tparam[opt] table options
--
-- - `plan`: a table of words by names of `net:namedModules()`. nn.Linear: 'colwise' (its output stays in parts), then 'rowwise' (for an
--   input in parts); 'gathered', 'scattered' with whole outputs and inputs. nn.Embedding: 'vocab'. nn.MultiheadAttention: 'heads'. By
--   default, attention and the layers of transformers are spread
-- - `group`: of torch.distributed.newGroup; all ranks by default
-- @raise on every rank, if the networks differ, or a size is no multiple of the number of ranks
function TensorParallel:__init(net, options)
  options = check.options(where, options, { 'plan', 'group' })
  check.instance(where, 'net', net, 'a module')
  parent.__init(self)
  local group = sharded.join(self, options.group)
  replica.compare(where, net, group)
  replica.copy(net, group)
  local byModule = options.plan and wordsByModule(net, options.plan) or wordsOfTransformers(net)
  self.modules[1] = replaced(net, function(module) return byModule[module] and words[byModule[module]](module, group) end)
end

-- In training, all ranks draw the same numbers: those of the first rank's generator. Dropout outside of the parts needs this.
local function beginForward(self)
  if self.train == false then return end
  local state, group = torch.getRNGState(), sharded.group(self)
  dist.broadcast(state, group.ranks[1], { group = group })
  torch.setRNGState(state)
end

function TensorParallel:onTape(input)
  beginForward(self)
  return self.modules[1]:onTape(input)
end
TensorParallel.compute = TensorParallel.onTape

--- Computes on the tape, if a parameter requires a gradient, or by Torch7's protocol. Several arguments are those of a network whose class
-- defines `forward`.
function TensorParallel:__call__(...)
  local net = self.modules[1]
  if not net.__findsMembers then return nn.Module.__call__(self, ...) end
  beginForward(self)
  return net(...)
end

function TensorParallel:updateOutput(input)
  beginForward(self)
  self.output = self.modules[1]:forward(input)
  return self.output
end

--- Returns a copy of the network with whole layers, for one process: the parts of all ranks, which all call it.
-- @treturn nn.Module
function TensorParallel:gathered()
  return replaced(self.modules[1]:clone(), function(module) return sharded.isPart(module) and module:gathered() end)
end

--- Scales the gradients on the tape so that the norm of those of all ranks is at most maxNorm: parameters that all ranks have count once.
-- nn.utils.clipGradNorm would scale by another factor on each rank.
-- @number maxNorm
-- @treturn number the norm before
function TensorParallel:clipGradNorm(maxNorm)
  return sharded.clipGradNorm(self, maxNorm, function(module, name) return module.partNames and module.partNames[name] end)
end

return TensorParallel
