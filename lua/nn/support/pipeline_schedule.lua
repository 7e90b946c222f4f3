--- The order in which a stage of a pipeline computes forward and backward passes of micro-batches.
-- @module nn.support.pipeline_schedule
local schedule = {}

local function add(actions, kind, i) actions[#actions + 1] = { kind = kind, batch = i } end

--- All forward passes, then all backward passes: a stage keeps the activations of all micro-batches.
-- Source: Huang et al. (2019), "GPipe: Efficient Training of Giant Neural Networks using Pipeline Parallelism", NeurIPS.
-- @int _ stage
-- @int _ number of stages
-- @int count of micro-batches
-- @treturn {{kind=string,batch=int},...} kind: 'forward' or 'backward'
function schedule.GPipe(_, _, count)
  local actions = {}
  for i = 1, count do add(actions, 'forward', i) end
  for i = 1, count do add(actions, 'backward', i) end
  return actions
end

--- One forward pass, one backward pass: a stage begins a forward pass only if it keeps the activations of fewer micro-batches than there
-- are stages from it to the last.
-- Source: Narayanan et al. (2021), "Memory-Efficient Pipeline-Parallel DNN Training", ICML (PipeDream-Flush).
-- @int stage from 1
-- @int stages their number
-- @int count of micro-batches
-- @treturn {{kind=string,batch=int},...}
function schedule.oneByOne(stage, stages, count)
  local actions, ahead = {}, math.min(stages - stage, count)
  for i = 1, ahead do add(actions, 'forward', i) end
  for i = 1, count - ahead do
    add(actions, 'forward', ahead + i)
    add(actions, 'backward', i)
  end
  for i = count - ahead + 1, count do add(actions, 'backward', i) end
  return actions
end
schedule['1F1B'] = schedule.oneByOne

--- Forward passes alone.
-- @int count of micro-batches
-- @treturn {{kind=string,batch=int},...}
function schedule.forward(count)
  local actions = {}
  for i = 1, count do add(actions, 'forward', i) end
  return actions
end

--- Returns how many children of a row each stage gets: the largest weight of a stage is as small as possible.
-- @tparam {number,...} weights of the children, at least as many as stages
-- @int stages
-- @treturn {int,...}
function schedule.divide(weights, stages)
  local count, before = #weights, { [0] = 0 }
  for i, weight in ipairs(weights) do before[i] = before[i - 1] + weight end
  -- least[s][i]: the largest weight of a stage when s stages share the first i children; cut[s][i]: where the last of them begins
  local least, cut = { {} }, { {} }
  for i = 1, count do least[1][i], cut[1][i] = before[i], 0 end
  for s = 2, stages do
    least[s], cut[s] = {}, {}
    for i = s, count do
      least[s][i] = math.huge
      for j = s - 1, i - 1 do
        local largest = math.max(least[s - 1][j], before[i] - before[j])
        if largest < least[s][i] then least[s][i], cut[s][i] = largest, j end
      end
    end
  end
  local sizes, last = {}, count
  for s = stages, 1, -1 do
    sizes[s] = last - cut[s][last]
    last = cut[s][last]
  end
  return sizes
end

return schedule
