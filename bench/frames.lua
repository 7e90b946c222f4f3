-- Moontorch's side of bench/frames_peer.py: th bench/frames.lua FOLDER, which has keys.npy, values.npy and others.npy (keys of the joined
-- table). A line of the input, the name of a step, is answered with microseconds of processor time, and a sum that the driver compares.
local torch, data = require 'torch', require 'data'

torch.setdefaulttensortype 'torch.FloatTensor'
torch.setnumthreads(1)
local folder = arg[1]
local function load(name) return torch.npy.load(('%s/%s.npy'):format(folder, name)) end

local function texts(keys)
  local list = {}
  for i = 1, keys:nElement() do list[i] = ('k%06d'):format(tonumber(keys[i])) end
  return list
end

local keys, others = load 'keys', load 'others'
local columns = { key = keys, word = texts(keys), x = load 'values' }
local frame = data.Frame(columns):assign({ kind = data.Frame(columns):cast({ word = 'category' }):select 'word' })
local table_ = data.Frame { key = others, word = texts(others), y = torch.range(1, others:nElement()):double() }

local gaps = frame:setMissing('key', torch.range(1, keys:nElement()):remainder(7):eq(0))
local days = frame:assign({ day = data.dates.range('2020-01-01', nil, { count = keys:nElement(), step = 'minute' }) })
local csvName = folder .. '/table.csv'

local function group(by) return frame:groupBy(by):aggregate({ x = { 'sum', 'mean' } }).x_mean:sum() end
local function join(by)
  local joined = frame:select({ by, 'x' }):join(table_:select { by, 'y' }, by)
  return joined.x * joined.y
end
local half = table_:select({ 'key', 'y' }):head(math.ceil(table_:size() / 2))
local steps = {
  group_integers = function() return group 'key' end,
  group_texts = function() return group 'word' end,
  group_categories = function() return group 'kind' end,
  median_integers = function() return frame:groupBy('key'):aggregate({ x = 'median' }).x:sum() end,
  join_integers = function() return join 'key' end,
  join_texts = function() return join 'word' end,
  sort_values = function() return frame:select({ 'x' }):sort('x').x[1000] end,
  group_gaps = function() return gaps:groupBy('key'):aggregate({ x = { 'sum', 'mean' } }).x_mean:sum() end,
  sum_gaps = function() return gaps:groupBy('kind'):aggregate({ key = 'sum' }).key:double():sum() end,
  group_two = function() return frame:groupBy('key', 'kind'):aggregate({ x = 'mean' }).x:sum() end,
  left_join = function() return frame:select({ 'key', 'x' }):join(half, { on = 'key', how = 'left' }):aggregate({ y = 'sum' }).y[1] end,
  rolling_mean = function() return frame:select('x'):rolling(50):mean():aggregate({ x = 'sum' }).x[1] end,
  rolling_std = function() return frame:select('x'):rolling(50):std():aggregate({ x = 'sum' }).x[1] end,
  rolling_max = function() return frame:select('x'):rolling(50):max():aggregate({ x = 'sum' }).x[1] end,
  resample = function() return days:resample('day', 'day'):aggregate({ x = 'mean' }).x:sum() end,
  filter = function() return frame:filter('x > 0.5 and key ~= 3'):aggregate({ x = 'sum' }).x[1] end,
  filter_mask = function() return frame:filter(frame.x:gt(0.5)):aggregate({ x = 'sum' }).x[1] end,
  transform = function() return frame:groupBy('key'):transform({ m = { 'x', 'mean' } }).m:sum() end,
  rank = function() return frame:rank('x')[1000] end,
  value_counts = function() return frame:valueCounts('key').count[1] end,
  duplicates = function() return frame:dropDuplicates('word'):size() end,
  sort_texts = function() return frame:select({ 'word', 'x' }):sort('word').x[1000] end,
  csv_read = function() return data.csv.load(csvName):aggregate({ x = 'sum' }).x[1] end,
  csv_write = function()
    data.csv.save(folder .. '/written.csv', frame:select({ 'key', 'x' }):head(100000))
    return 1
  end,
  sort_integers = function() return frame:select({ 'key', 'x' }):sort('key').x[1000] end,
}

for line in io.lines() do
  collectgarbage()
  local before = os.clock()
  local sum = steps[line]()
  io.write(('%.0f %.9g\n'):format((os.clock() - before) * 1e6, sum))
  io.flush()
end
