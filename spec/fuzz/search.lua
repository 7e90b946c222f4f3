-- Loads mutated files. A file for which the loader runs a new line is added to the files to mutate.
local torch = require 'torch'
local paths = require 'paths'
local mutation = require 'spec.fuzz.mutation'

local search = {}

-- A name for a file that is rewritten thousands of times: in memory if the system supports it.
function search.scratch()
  local name = paths.tmpname()
  os.remove(name)
  return paths.dirp '/dev/shm' and '/dev/shm/' .. paths.basename(name) or name
end

-- The file of a format that is rewritten, and a function that removes what was made for it: some formats need files beside it.
function search.place(format)
  local scratch = search.scratch()
  return format.place and format.place(scratch) or scratch, function() os.execute(('rm -rf %s'):format(scratch)) end
end

--- Returns the formats that words of a command line name, from a position on, in order; all of them if there are none.
function search.chosen(formats, words, first)
  local names = { unpack(words, first) }
  if #names == 0 then
    for name in pairs(formats) do names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

local longestMessage, mostElements = 600, 100000

-- Reads a loaded value completely: accesses to invalid memory are detected here.
local function use(value, seen)
  if type(value) == 'userdata' and torch.isTensor(value) then      -- not a table of a class like torch.OtherTensor
    if value:nElement() <= mostElements then return #torch.serialize(value:clone()) end
  elseif torch.isStorage(value) then
    return #tostring(value)
  elseif type(value) == 'table' and not seen[value] then
    seen[value] = true
    for key, inner in pairs(value) do
      use(key, seen)
      use(inner, seen)
    end
  end
end

-- Returns the problem if a function neither returned a value nor raised a sentence that begins so; else nil.
local function complaint(start, name, good, message)
  if good then return nil end
  if type(message) ~= 'string' then return 'an error that is no text: ' .. tostring(message) end
  if not message:find(start, 1, true) then return 'no sentence: ' .. message end
  if #message > longestMessage + #name then return 'a long sentence: ' .. message end
  if message:find 'memory' then return 'too much memory asked for: ' .. message end
end

-- Runs the loader on the bytes in the file `name`. Returns the fault, and whether it loaded a value.
function search.try(format, name, bytes)
  os.remove(name)      -- some file systems flush a file that is emptied and written again
  local file = assert(io.open(name, 'wb'))
  file:write(bytes)
  file:close()
  local good, value = pcall(format.load, name)
  local problem = complaint(format.prefix .. ': ' .. name .. ': ', name, good, value)
  if not good then return problem, false end
  if format.use then      -- what it does when it is used is checked as loading is
    local used, message = pcall(format.use, value)
    return complaint(format.ownUse, name, used, message), true
  end
  local used, message = pcall(use, value, {})
  return not used and 'a value that cannot be used: ' .. tostring(message) or nil, true
end

-- Lines of our own files that a call runs: key -> true.
local function linesOf(f, ...)
  local lines = {}
  debug.sethook(function(_, line)
    local source = debug.getinfo(2, 'S').source
    if source:find 'lua/%l+/' then lines[source .. line] = true end
  end, 'l')
  local problem = f(...)
  debug.sethook()
  return problem, lines
end

-- A changed copy of a file of a format; where this has sums, they are mended as a rule.
function search.changed(format, text, other)
  local bytes = mutation.of(text, other, format.words, format.longest)
  return format.mend and math.random(4) > 1 and format.mend(bytes) or bytes
end

-- Mutates files until `enough(tries)` is true.
-- format: one of formats.lua; corpus: list of byte strings, to which interesting ones are added; onProblem(problem, bytes)
function search.run(format, corpus, enough, onProblem)
  local name, clear = search.place(format)
  local seen = {}
  local function attempt(bytes)
    local problem, lines = linesOf(search.try, format, name, bytes)
    if problem then onProblem(problem, bytes) end
    local new = false
    for line in pairs(lines) do
      new = new or not seen[line]
      seen[line] = true
    end
    return new
  end
  for _, bytes in ipairs(corpus) do attempt(bytes) end
  local tries = 0
  while not enough(tries) do
    tries = tries + 1
    local bytes = search.changed(format, corpus[math.random(#corpus)], corpus[math.random(#corpus)])
    if attempt(bytes) then corpus[#corpus + 1] = bytes end
  end
  clear()
  return tries
end

-- The files of a format in the repository, by name.
function search.stored(formatName)
  local list, folder = {}, 'spec/fuzz/corpus/' .. formatName
  local names = paths.dir(folder) or {}
  table.sort(names)
  for _, base in ipairs(names) do
    if base:sub(1, 1) ~= '.' then
      local file = assert(io.open(folder .. '/' .. base, 'rb'))
      list[#list + 1] = file:read '*a'
      file:close()
    end
  end
  return list
end

return search
