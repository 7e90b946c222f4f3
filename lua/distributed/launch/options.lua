--- The command line of th-launch.
-- @module distributed.launch.options
local options = {}

options.usage = [[
Usage: th-launch [options] script.lua [arguments]
       th-launch --ranks [process of a th-launch]

Runs a program of torch.distributed as several processes, by mpirun of Open MPI.

  -n N               number of processes; that of the machines, of Slurm's tasks, or of the cores, by default
  --hosts A,B:2      machines, each with its number of processes (1 by default); this machine by default
  --hostfile FILE    the same from lines of a file: A, B slots=2
  --bind cores       binds each process to its share of the cores
  --restart N        after a failure, starts all processes again, at most N times
  --restart-ranks M  with M processes
  --seed S           rank r gets the seed S + r; a random one by default
  --no-labels        writes output without [rank]
  --th PROGRAM       the program th on all machines
  --mpirun WORDS     further words for mpirun
  --ranks            shows what each rank of a running job does, as SIGUSR1 does

A process that fails ends the others. The exit status is its status, or 128 and its signal.
]]

-- Options with a value, and their fields.
local valued = { ['-n'] = 'n', ['--hosts'] = 'hosts', ['--hostfile'] = 'hostfile', ['--bind'] = 'bind', ['--restart'] = 'restart',
  ['--restart-ranks'] = 'restartRanks', ['--seed'] = 'seed', ['--th'] = 'th', ['--mpirun'] = 'mpirun' }
local numbers = { n = 1, restart = 0, restartRanks = 1, seed = 0 }      -- the least value

--- Parses the command line.
-- @tparam {string,...} words
-- @treturn ?table nil if it is wrong
-- @treturn ?string what is wrong
function options.parse(words)
  local asked, i = { labels = true, restart = 0, command = {} }, 1
  while words[i] and words[i]:find '^%-' do
    local word = words[i]
    local field = valued[word]
    if word == '-h' or word == '--help' then
      asked.help = true
    elseif word == '--no-labels' then
      asked.labels = false
    elseif word == '--ranks' then
      asked.ranks = words[i + 1] or true
      return asked
    elseif not field then
      return nil, word .. ': no such option'
    else
      i = i + 1
      local value = words[i]
      if not value then return nil, word .. ': no value, expected one' end
      if numbers[field] then
        local number = tonumber(value)
        if not number or number % 1 ~= 0 or number < numbers[field] then
          return nil, ('%s: %s, expected a whole number from %d'):format(word, value, numbers[field])
        end
        value = number
      end
      asked[field] = value
    end
    i = i + 1
  end
  if asked.bind and not asked.bind:find '^cores?$' then return nil, ('--bind: %s, expected cores'):format(asked.bind) end
  if asked.hosts and asked.hostfile then return nil, '--hosts and --hostfile, expected one of them' end
  for k = i, #words do asked.command[#asked.command + 1] = words[k] end
  if not asked.help and #asked.command == 0 then return nil, 'no script, expected one' end
  return asked
end

return options
