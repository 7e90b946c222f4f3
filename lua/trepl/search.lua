--- Searches names and their documentation: `? gaussian`. It loads no packages: it reads comments from the packages' files, names from
-- the pages of the reference, and names of other libraries from the hints.
-- @module trepl.search
local comments = require 'trepl.comments'
local ldoc = require 'trepl.ldoc'
local native = require 'trepl.native'
local reference = require 'trepl.reference'
local saidIn = require 'trepl.said'

local MOST, COLUMN = 24, 32      -- maximum number of results, and the width of their names

-- The text about an entry of a page.
local function textOf(name, said, ops)
  local last = name:match '[%w_]+$'
  local plain = name:match '^%l+:[%w_]+$' or name:match '^torch%.[%w_]+$'      -- a method of tensors etc., or a function of torch
  local op = plain and ops[last]
  if op then return op.doc end
  local line = plain and native.line(last)
  local comment = said[name] or said[name:gsub('%.([%w_]+)$', ':%1')]
  if comment or line or not said[last] then return comment and comments.plain(comment) or line and line.meaning or '' end
  return comments.plain(said[last])
end

-- Entries for names of other libraries.
local function ofOthers(list)
  local names = require 'trepl.names'
  for _, texts in ipairs { names.ours, names.absent, names.nowhere } do
    for name, here in pairs(texts) do
      local text = 'here: ' .. here
      list[#list + 1] = { name = name, text = text, lower = name:lower(), words = (name:gsub('_', ' ') .. ' ' .. text):lower(), title = '' }
    end
  end
end

-- All names of pages: the name, its text, and all words in lower case.
local function everything()
  local list, met, ops = {}, {}, require 'torch'.ops
  for _, package_ in ipairs(reference.packages()) do
    local said = saidIn(package_)
    for _, entry in ipairs(reference.outline(package_)) do
      for _, name in ipairs(entry.names) do
        if not met[name] then
          met[name] = true
          local text = textOf(name, said, ops)
          list[#list + 1] = {
            name = name, text = text, lower = name:lower(), words = (text .. ' ' .. entry.about):lower(), title = entry.title:lower(),
          }
        end
      end
    end
  end
  ofOthers(list)
  return list
end

local kept = setmetatable({}, { __mode = 'v' })      -- the list, until the collector frees it

local function summaryOf(item)
  item.summary = item.summary or ldoc.summary(item.text)
  return item.summary
end

-- The score of an entry for a word; 0 if it doesn't match.
local function fitness(item, word)
  local name, last = item.lower, item.lower:match '[%w_]+$'
  if last == word then return 100 end
  local sum = last:sub(1, #word) == word and 40 or last:find(word, 1, true) and 30 or name:find(word, 1, true) and 20 or 0
  if item.title:find(word, 1, true) and item.title:find('%f[%w]' .. word) then sum = sum + 4 end
  if not item.words:find(word, 1, true) then return sum end
  local whole = '%f[%w]' .. word
  return sum + (summaryOf(item):lower():find(whole) and 10 or 0) + (item.words:find(whole) and 3 or 0)
end

local function fitnessOfAll(item, words)
  local sum = 0
  for _, word in ipairs(words) do
    local one = fitness(item, word)
    if one == 0 then return 0 end
    sum = sum + one
  end
  return sum
end

-- A name and a sentence, which is wrapped in its column.
local function shown(name, sentence, column, width)
  local lines, line = {}, ('%-' .. column .. 's '):format(name)
  for word in sentence:gmatch '%S+' do
    if #line + 1 + #word > width and #line > column + 1 then
      lines[#lines + 1], line = line, (' '):rep(column + 1)
    end
    line = line .. ' ' .. word
  end
  lines[#lines + 1] = line
  return table.concat(lines, '\n')
end

--- Searches.
-- @string text words, all of which must be in an entry's name, documentation or page title
-- @int[opt=80] width columns
-- @treturn ?string the matching entries, each with a sentence, the best first; nil if there are none
return function(text, width)
  local words, found = {}, {}
  for word in text:lower():gmatch '[%w_]+' do words[#words + 1] = word end
  if not words[1] then return nil end
  kept.list = kept.list or everything()
  for _, item in ipairs(kept.list) do
    item.fitness = fitnessOfAll(item, words)
    if item.fitness > 0 then found[#found + 1] = item end
  end
  if not found[1] then return nil end
  table.sort(found, function(a, b) return a.fitness > b.fitness or a.fitness == b.fitness and a.name < b.name end)
  local lines, column = {}, 0
  for i = 1, math.min(#found, MOST) do column = math.max(column, math.min(COLUMN, #found[i].name)) end
  for i = 1, math.min(#found, MOST) do lines[i] = shown(found[i].name, summaryOf(found[i]), column, width or 80) end
  if #found > MOST then lines[#lines + 1] = ('and %d more'):format(#found - MOST) end
  return table.concat(lines, '\n')
end
