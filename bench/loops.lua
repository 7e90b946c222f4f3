-- Plain loops over elements, in turns with the same loops in C at -O2: th bench/loops.lua [CC]. Runs examples/ising.lua, nbody.lua and
-- heat.lua, and bench/loops/*.c. Prints the results of both, which must agree, medians of nanoseconds per element, and their ratio.
local compiler = arg[1] or 'cc'

local function outputOf(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read '*a'
  pipe:close()
  return text
end

-- Name, patterns of the result and of the time in the output of the example.
local cases = {
  { 'ising', 'magnetization ([%d.]+),', '([%d.]+) ns per visit', ' --curve ""' },
  { 'nbody', 'energy after %d+ steps: ([-%d.]+)', '([%d.]+) ns per planet', '' },
  { 'heat', 'in ([%d.]+) digits', '([%d.]+) ns per point', '' },
}

local function median(list)
  table.sort(list)
  return list[math.ceil(#list / 2)]
end

-- Returns the results in a text, separated by spaces, and the mean of the times.
local function read(text, result, time)
  local results, sum, count = {}, 0, 0
  for word in text:gmatch(result) do results[#results + 1] = word end
  for word in text:gmatch(time) do sum, count = sum + tonumber(word), count + 1 end
  return table.concat(results, ' '), sum / count
end

print(('%-8s %10s %10s %6s'):format('loop', 'Lua, ns', 'C, ns', 'ratio'))
for _, case in ipairs(cases) do
  local name, result, time, options = unpack(case)
  local program = os.tmpname()
  assert(os.execute(('%s -O2 -std=gnu11 -o %s bench/loops/%s.c -lm'):format(compiler, program, name)) == 0)
  local ours, theirs, answer, expected = {}, {}, nil, nil
  for i = 1, 5 do
    answer, ours[i] = read(outputOf(('%s examples/%s.lua%s'):format(arg[-1], name, options)), result, time)
    expected, theirs[i] = outputOf(program):match '^(.*) ([%d.]+)\n$'
    theirs[i] = tonumber(theirs[i])
  end
  os.remove(program)
  print(('%-8s %10.2f %10.2f %6.2f'):format(name, median(ours), median(theirs), median(ours) / median(theirs)))
  print(('  Lua: %s\n  C:   %s'):format(answer, expected))
end
