-- Ways to divide a network among ranks other than by examples alone: what they cost in time, traffic and memory.
local plans = {}

-- Seconds of a step of a pipeline. Each of `stages` ranks has a part of the layers; `batches` small batches pass forwards, then backwards.
-- `forward` and `backward` are the seconds of a stage for one of them, and `move` those of the activations or gradients to the next rank.
function plans.pipeline(stages, batches, forward, backward, move)
  local free, finish = {}, {}      -- when each stage is free, and when it has finished each batch
  for stage = 1, stages do free[stage], finish[stage] = 0, {} end
  for batch = 1, batches do
    for stage = 1, stages do
      local arrived = stage > 1 and finish[stage - 1][batch] + move or 0
      free[stage] = math.max(free[stage], arrived) + forward
      finish[stage][batch] = free[stage]
    end
  end
  for batch = batches, 1, -1 do
    for stage = stages, 1, -1 do
      local arrived = stage < stages and finish[stage + 1][batch] + move or 0
      free[stage] = math.max(free[stage], arrived) + backward
      finish[stage][batch] = free[stage]
    end
  end
  return free[1]
end

-- Bytes that a rank sends in a step, and bytes that it keeps, of a network with `parameters` numbers in float32 trained by Adam on n ranks.
-- What the ranks share out: nothing (stage 0, nn.DistributedDataParallel), the optimiser's moments (1), these and gradients (2), these and
-- the parameters (3), which are then collected in forward and again in backward. Rajbhandari and others, "ZeRO", 2020.
function plans.zero(stage, parameters, n)
  local part, bytes = (n - 1) / n, 4 * parameters
  local shared = ({ [0] = 0, 2, 3, 4 })[stage]      -- of the four vectors: parameters, gradients, two moments
  return (stage == 3 and 3 or 2) * part * bytes, bytes * (4 - shared + shared / n)
end

return plans
