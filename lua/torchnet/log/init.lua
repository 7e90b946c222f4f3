--- Named values of a program, which viewers write to terminals and files.
-- @module torchnet.log
local torch, argcheck, check, tnt = require 'torch', require 'argcheck', require 'torch.check', require 'torchnet.env'

--- Viewers are functions that events call: `onSet(log, key, value)`, `onGet(log, key)`, `onFlush(log)`, `onClose(log)`. torchnet's viewers
-- are `torchnet.log.view.text`, `.json` and `.status`.
-- @type tnt.Log
local Log = torch.class('tnt.Log', tnt)

local events = { onSet = true, onGet = true, onFlush = true, onClose = true }
local STATUS = '__status__'

local function list(name) return { name = name, type = 'table', defaultf = function() return {} end, help = 'list of functions' } end

--- @function __init
-- @tparam {string,...} keys allowed keys
-- @tparam[opt] {function,...} onSet
-- @tparam[opt] {function,...} onGet
-- @tparam[opt] {function,...} onFlush
-- @tparam[opt] {function,...} onClose
Log.__init = argcheck {
  help = 'Figures by name, and functions for their events.', noordered = true,
  { name = 'self', type = 'tnt.Log' }, { name = 'keys', type = 'table', help = 'names that may be set' },
  list 'onSet', list 'onGet', list 'onFlush', list 'onClose',
  call = function(self, keys, onSet, onGet, onFlush, onClose)
    self.values, self.known, self.events = {}, { [STATUS] = true }, { onSet = {}, onGet = {}, onFlush = {}, onClose = {} }
    for _, key in ipairs(keys) do self.known[check.text('tnt.Log', 'keys', key)] = true end
    self:attach('onSet', onSet)
    self:attach('onGet', onGet)
    self:attach('onFlush', onFlush)
    self:attach('onClose', onClose)
  end,
}

local function known(self, key)
  if not self.known[key] then
    local names = {}
    for name in pairs(self.known) do
      if name ~= STATUS then names[#names + 1] = name end
    end
    table.sort(names)
    check.raise(('tnt.Log: unknown key <%s>, expected one of %s'):format(tostring(key), table.concat(names, ', ')))
  end
  return key
end

local function tell(self, event, ...)
  for _, viewer in ipairs(self.events[event]) do viewer(self, ...) end
end

--- Sets values.
-- @tparam table values by key
function Log:set(values)
  check.table('tnt.Log', 'set', values)
  for key, value in pairs(values) do
    self.values[known(self, key)] = value
    tell(self, 'onSet', key, value)
  end
end

--- Returns a value.
-- @string key
-- @return the last value set
function Log:get(key)
  if type(key) == 'table' and key.key ~= nil then key = key.key end
  known(self, key)
  tell(self, 'onGet', key)
  return self.values[key]
end

--- Sets the status; without a message returns the last one.
-- @function status
-- @string[opt] message
-- @bool[opt=true] time whether to put the time before it
Log.status = argcheck {
  { name = 'self', type = 'tnt.Log' }, { name = 'message', type = 'string', opt = true },
  { name = 'time', type = 'boolean', default = true },
  call = function(self, message, time)
    if not message then return self:get(STATUS) end
    self:set { [STATUS] = time and ('%s | %s'):format(os.date '%Y-%m-%d %H:%M:%S', message) or message }
  end,
}

--- Calls the viewers of `onFlush`, when the values of an epoch are complete.
function Log:flush() tell(self, 'onFlush') end

--- Calls the viewers of `onClose`.
function Log:close() tell(self, 'onClose') end

--- Adds viewers.
-- @string event 'onSet', 'onGet', 'onFlush' or 'onClose'
-- @tparam {function,...} closures
function Log:attach(event, closures)
  check.that(events[event], ('tnt.Log: unknown event <%s>, expected onSet, onGet, onFlush or onClose'):format(tostring(event)))
  for i, closure in ipairs(check.table('tnt.Log', 'closures', closures)) do
    table.insert(self.events[event], check.callable('tnt.Log', ('closures[%d]'):format(i), closure))
  end
end

return { Log = tnt.Log }
