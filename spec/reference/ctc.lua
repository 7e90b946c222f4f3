-- Connectionist temporal classification in plain Lua, by listing all alignments. A tensor is { sizes = {...}, data = {...} }.
local reference = {}

-- Calls f(alignment) for each list of `steps` classes.
local function eachAlignment(steps, classes, f)
  local alignment = {}
  local function choose(t)
    if t > steps then return f(alignment) end
    for class = 1, classes do
      alignment[t] = class
      choose(t + 1)
    end
  end
  choose(1)
end

-- Whether an alignment without repetitions, and then without blanks, is these labels.
local function spells(alignment, labels, blank)
  local count, last = 0, nil
  for _, class in ipairs(alignment) do
    if class ~= last and class ~= blank then
      count = count + 1
      if class ~= labels[count] then return false end
    end
    last = class
  end
  return count == #labels
end

-- Calls f(n, alignments, total) for each sample: alignments of the labels with their probabilities, and the sum of these.
local function eachSample(logp, targets, steps, lengths, blank, f)
  local samples, classes, most = logp.sizes[2], logp.sizes[3], targets.sizes[2]
  for n = 1, samples do
    local labels, alignments, total = {}, {}, 0
    for i = 1, lengths.data[n] do labels[i] = targets.data[(n - 1) * most + i] end
    eachAlignment(steps.data[n], classes, function(alignment)
      if not spells(alignment, labels, blank) then return end
      local sum = 0
      for t, class in ipairs(alignment) do sum = sum + logp.data[((t - 1) * samples + n - 1) * classes + class] end
      alignments[#alignments + 1] = { p = math.exp(sum), unpack(alignment) }
      total = total + math.exp(sum)
    end)
    f(n, alignments, total)
  end
end

function reference.ctc_loss(logp, targets, steps, lengths, blank, zeroInfinity)
  local losses = { sizes = { logp.sizes[2] }, data = {} }
  eachSample(logp, targets, steps, lengths, blank or 1, function(n, _, total)
    losses.data[n] = total == 0 and zeroInfinity and 0 or -math.log(total)
  end)
  return losses
end

function reference.ctc_loss_grad(g, logp, targets, steps, lengths, blank, zeroInfinity)
  local result, samples, classes = { sizes = logp.sizes, data = {} }, logp.sizes[2], logp.sizes[3]
  for i = 1, #logp.data do result.data[i] = 0 end
  eachSample(logp, targets, steps, lengths, blank or 1, function(n, alignments, total)
    local function add(t, class, value)
      local i = ((t - 1) * samples + n - 1) * classes + class
      result.data[i] = result.data[i] + value
    end
    for _, alignment in ipairs(alignments) do
      for t, class in ipairs(alignment) do add(t, class, -g.data[n] * alignment.p / total) end
    end
    if total == 0 and not zeroInfinity then
      for t = 1, math.max(1, steps.data[n]) do
        for class = 1, classes do add(t, class, 0 / 0) end
      end
    end
  end)
  return result
end

return reference
