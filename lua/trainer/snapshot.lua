--- What a checkpoint contains: the state of everything that a resumed run needs.
-- @module trainer.snapshot
local torch, check = require 'torch', require 'torch.check'
local random, records = require 'trainer.random', require 'trainer.records'

local snapshot = {}

local format, version = 'moontorch trainer', 1

local function parametersOf(self) return self._protocol:parametersToSave() end

-- Returns what each rank has for itself.
local function ownState(self)
  return { random = random.state(self._generators), meters = self._metrics:state(), memory = self.memory }
end

-- Returns the measures of the samples of an epoch so far, of all ranks: for a run with another number of them.
local function soFar(self)
  local values = {}
  return { count = self._metrics:joint(self._ranks, '', values), values = values }
end

--- Returns the state of a trainer, which shares memory with it. All ranks call it.
-- @tparam trainer.Trainer self
-- @treturn table
function snapshot.take(self)
  local isAlone, own = self._ranks.size == 1, ownState(self)
  return {
    ranks = not isAlone and self._ranks:all(own) or nil, parts = not isAlone and self._ranks.parts or nil,
    soFar = not isAlone and soFar(self) or nil,
    format = format, version = version,
    model = self._ranks.modelState.get(self.model, parametersOf(self)), optimizer = self._ranks:state(self._protocol),
    average = self.average and self.average:stateDict() or nil,
    schedule = self.schedule and self.schedule:stateDict() or nil, scaler = self.scaler:state(),
    data = self._data:state(), validation = self._validation and self._validation:state() or nil,
    random = own.random, seed = self.seed, epoch = self.epoch, step = self.step, batch = self.batch,
    meters = own.meters, values = self.values, history = self.history, best = self.best, memory = own.memory,
    logs = { epochs = records.state(self._logs), steps = records.state(self._stepLogs) },
  }
end

local kinds = {
  format = 'string', model = 'table', optimizer = 'table', scaler = 'table', data = 'table', random = 'table', seed = 'number',
  epoch = 'number', step = 'number', batch = 'number', meters = 'table', values = 'table', history = 'table', memory = 'table',
  logs = 'table',
}

local function checkFields(self, state)
  check.that(state.format == format and state.version == version, ('version: %s, expected %d'):format(tostring(state.version), version))
  for name, kind in pairs(kinds) do
    if type(state[name]) ~= kind then check.raise(('%s: %s, expected a %s'):format(name, torch.type(state[name]), kind)) end
  end
  for name, own in pairs { schedule = self.schedule or false, validation = self._validation or false, average = self.average or false } do
    if (state[name] ~= nil) ~= (own ~= false) then
      check.raise(('%s: %s, expected %s as in the trainer'):format(name, state[name] and 'one' or 'none', own and 'one' or 'none'))
    end
  end
end

local function refill(t, contents)
  for key in pairs(t) do t[key] = nil end
  for key, value in pairs(contents) do t[key] = value end
end

-- Sets what each rank has for itself. Ranks that the checkpoint lacks keep their generators, and begin without measurements; if it has more
-- ranks, or networks on another number of ranks, the measures of all become a part of those of the epoch.
local function setOwn(self, state)
  local ranks, all = self._ranks, state.ranks
  local own = (all or { state })[ranks.seat + 1]
  if own then random.setState(self._generators, own.random) end
  local fits = not all or #all <= ranks.size and (state.parts or 1) == ranks.parts
  local measured = all and own or not all and ranks.place == 0 and state
  if measured and fits then self._metrics:setState(measured.meters) else self._metrics:reset() end
  if not fits and ranks.place == 0 then self._metrics.earlier = check.table('soFar', 'values', state.soFar) end
  if not own then own = all and all[1] or state end
  refill(self.memory, own.memory)
end

local function set(self, state)
  checkFields(self, state)
  local modelState = self._ranks.modelState
  modelState.check(self.model, parametersOf(self), state.model)
  modelState.set(self.model, parametersOf(self), state.model)
  self._ranks:setState(self._protocol, state.optimizer)
  if self.average then self.average:loadStateDict(state.average) end
  if self.schedule then self.schedule:loadStateDict(state.schedule) end
  self.scaler:setState(state.scaler)
  self._data:resume(state.data)
  if self._validation then self._validation:resume(state.validation) end
  setOwn(self, state)
  self.seed, self.epoch, self.step, self.batch = state.seed, state.epoch, state.step, state.batch
  self.values, self.history, self.best = state.values, state.history, state.best
end

--- Sets the state of a trainer. If there is an error, nothing changes.
-- @tparam trainer.Trainer self
-- @tparam table state
-- @string where the start of messages
-- @raise if it is the state of another model, optimiser, ...
function snapshot.restore(self, state, where)
  local before = torch.deserialize(torch.serialize(snapshot.take(self)))
  local done, problem = pcall(set, self, state)
  problem = self._ranks:agreed(not done and tostring(problem) or nil)
  if not problem then return end
  set(self, before)
  check.raise(('%s: %s'):format(where, (problem:gsub('^[^\n:]+:%d+: ', ''))))
end

return snapshot
