--- Searches names and what is said of them: `? gaussian`. Nothing is loaded for it: comments are read from the packages' files, names from
-- the pages of the reference.
-- @module trepl.search
local ldoc = require 'trepl.ldoc'
local native = require 'trepl.native'
local reference = require 'trepl.reference'
local saidIn = require 'trepl.said'

local MOST, COLUMN = 24, 32      -- results that are shown, and the width of their names

-- The words on an entry of a page.
local function textOf(name, said)
  local last = name:match '[%w_]+$'
  local plain = name:match '^%l+:[%w_]+$' or name:match '^torch%.[%w_]+$'      -- of tensors and their likes, or of torch itself
  local op = plain and require 'torch'.ops[last]
  if op then return op.doc end
  local line = plain and native.line(last)
  return said[name] or said[name:gsub('%.([%w_]+)$', ':%1')] or line and line.meaning or said[last] or ''
end

-- All that pages name: the name, a sentence, all words in small letters, and the page's title.
local function everything()
  local list, met = {}, {}
  for _, package_ in ipairs(reference.packages()) do
    local said = saidIn(package_)
    for _, page in ipairs(reference.pages(package_)) do
      for _, entry in ipairs(page.entries) do
        for _, name in ipairs(entry.names) do
          if not met[name] then
            met[name] = true
            local text = textOf(name, said)
            list[#list + 1] = {
              name = name, summary = ldoc.parse(text).summary, title = page.title:lower(), text = (text .. ' ' .. entry.about):lower(),
            }
          end
        end
      end
    end
  end
  return list
end

-- How well an entry fits a word; 0 where it does not.
local function fitness(item, word)
  local name, last = item.name:lower(), item.name:match '[%w_]+$':lower()
  if last == word then return 100 end
  local whole = '%f[%w]' .. word
  return (last:sub(1, #word) == word and 40 or last:find(word, 1, true) and 30 or name:find(word, 1, true) and 20 or 0)
    + (item.summary:lower():find(whole) and 10 or 0) + (item.title:find(whole) and 4 or 0) + (item.text:find(whole) and 3 or 0)
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

--- Searches.
-- @string text words; an entry has to have all of them in its name, its documentation or its page's title
-- @int[opt=80] width columns
-- @treturn ?string a line for each entry found, the best first; nil where there is none
return function(text, width)
  local words, found = {}, {}
  for word in text:lower():gmatch '[%w_]+' do words[#words + 1] = word end
  if not words[1] then return nil end
  for _, item in ipairs(everything()) do
    item.fitness = fitnessOfAll(item, words)
    if item.fitness > 0 then found[#found + 1] = item end
  end
  if not found[1] then return nil end
  table.sort(found, function(a, b) return a.fitness > b.fitness or a.fitness == b.fitness and a.name < b.name end)
  local lines, column = {}, 0
  for i = 1, math.min(#found, MOST) do column = math.max(column, math.min(COLUMN, #found[i].name)) end
  for i = 1, math.min(#found, MOST) do
    local line = ('%-' .. column .. 's  %s'):format(found[i].name, found[i].summary)
    lines[i] = #line > (width or 80) and line:sub(1, (width or 80) - 3) .. '...' or line
  end
  if #found > MOST then lines[#lines + 1] = ('and %d more'):format(#found - MOST) end
  return table.concat(lines, '\n')
end
