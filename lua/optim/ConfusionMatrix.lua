--- Counts of the predictions for each class, and rates computed from them.
-- Fields: `mat` (LongTensor, rows targets, columns predictions), `valids` (fraction of each class predicted correctly), `unionvalids` (the
-- same relative to the union of row and column), `totalValid`, `averageValid`, `averageUnionValid` (0 to 1; updated by updateValids and
-- when printed), `nclasses`, `classes` (names).
-- @classmod optim.ConfusionMatrix
local torch, check = require 'torch', require 'torch.check'
local refuse = require 'torch.check.refuse'

local ConfusionMatrix = torch.class 'optim.ConfusionMatrix'

--- @tparam int|{string,...} nclasses number of classes, or their names
-- @tparam[opt] {string,...} classes names
function ConfusionMatrix:__init(nclasses, classes)
  if type(nclasses) == 'table' then nclasses, classes = #nclasses, nclasses end
  nclasses = check.whole('optim.ConfusionMatrix', 'nclasses', nclasses, { min = 1 })
  self.mat = torch.LongTensor(nclasses, nclasses):zero()
  self.valids, self.unionvalids = torch.FloatTensor(nclasses):zero(), torch.FloatTensor(nclasses):zero()
  self.nclasses, self.classes = nclasses, classes or {}
  self.totalValid, self.averageValid = 0, 0
end

local function strongest(scores, what)
  check.tensor('optim.ConfusionMatrix', what, scores)
  check.that(scores:nElement() > 0, ('optim.ConfusionMatrix: %s: an empty tensor, expected scores'):format(what))
  local _, position = torch.max(scores:view(-1), 1)
  return position[1]
end

local function classOf(self, argument, class)
  if class >= 1 and class <= self.nclasses then return class end
  check.raise(('optim.ConfusionMatrix: %s: class %s, expected 1 to %d'):format(argument, class, self.nclasses))
end

-- Counts one pair; targets of 0 and less are ignored.
local function count(self, prediction, target)
  if target <= 0 then return end
  prediction, target = classOf(self, 'prediction', prediction), classOf(self, 'target', target)
  self.mat[target][prediction] = self.mat[target][prediction] + 1
end

--- Counts one sample.
-- @tparam int|torch.Tensor prediction a class, or a score for each
-- @tparam int|torch.Tensor target a class, or an indicator of it
function ConfusionMatrix:add(prediction, target)
  if type(prediction) ~= 'number' then prediction = strongest(prediction, 'prediction') end
  if type(target) ~= 'number' then target = strongest(target, 'target') end
  count(self, prediction, target)
end

local function classesOf(x, what)
  local dims = check.tensor('optim.ConfusionMatrix', what, x):dim()
  if dims == 1 then return x:totable() end
  if dims ~= 2 then refuse.shape(what .. ' has invalid number of dimensions', 3) end
  if x:size(2) == 1 then return x:contiguous():view(-1):totable() end
  local _, positions = torch.max(x, 2)
  return positions:view(-1):totable()
end

--- Counts a batch.
-- @tparam torch.Tensor predictions classes (N), or scores (N, classes)
-- @tparam torch.Tensor targets classes (N), or indicators (N, classes)
function ConfusionMatrix:batchAdd(predictions, targets)
  predictions, targets = classesOf(predictions, 'predictions'), classesOf(targets, 'targets')
  if #predictions ~= #targets then
    error(('ConfusionMatrix.batchAdd: targets: %d, expected %d as there are predictions'):format(#targets, #predictions), 2)
  end
  for i = 1, #targets do count(self, predictions[i], targets[i]) end
end

--- Resets all counts.
function ConfusionMatrix:zero()
  self.mat:zero()
  self.valids:zero()
  self.unionvalids:zero()
  self.totalValid, self.averageValid = 0, 0
end

-- Returns the mean of the elements that are not NaN.
local function meanOf(rates)
  local sum, number = 0, 0
  for _, rate in ipairs(rates) do
    if rate == rate then sum, number = sum + rate, number + 1 end
  end
  return sum / number
end

local function sums(self)
  local rows, columns, diagonal, counts = {}, {}, {}, self.mat:totable()
  for t = 1, self.nclasses do
    rows[t] = 0
    for p = 1, self.nclasses do
      rows[t], columns[p] = rows[t] + counts[t][p], (columns[p] or 0) + counts[t][p]
    end
    diagonal[t] = counts[t][t]
  end
  return rows, columns, diagonal
end

--- Updates the rates; those of classes without samples are NaN and are excluded from the means.
function ConfusionMatrix:updateValids()
  local rows, columns, diagonal = sums(self)
  local valids, unions, right, total = {}, {}, 0, 0
  for t = 1, self.nclasses do
    valids[t], unions[t] = diagonal[t] / rows[t], diagonal[t] / (rows[t] + columns[t] - diagonal[t])
    right, total = right + diagonal[t], total + rows[t]
  end
  self.valids:copy(torch.DoubleTensor(valids))
  self.unionvalids:copy(torch.DoubleTensor(unions))
  self.totalValid, self.averageValid, self.averageUnionValid = right / total, meanOf(valids), meanOf(unions)
end

--- Returns rates of false rejection and acceptance, for each class against the others.
-- @treturn torch.Tensor false rejections of each class: the fraction of its samples that were assigned to another class; -1 without
--   samples
-- @treturn torch.Tensor false acceptances: the fraction of other classes' samples that were assigned to it; -1 without samples
-- @treturn torch.Tensor the first without the classes that have no samples
-- @treturn torch.Tensor the second, likewise
function ConfusionMatrix:farFrr()
  local rows, columns, diagonal = sums(self)
  local total, classFrrs, classFars, frrs, fars = 0, torch.Tensor(self.nclasses):fill(-1), torch.Tensor(self.nclasses):fill(-1), {}, {}
  for t = 1, self.nclasses do total = total + rows[t] end
  for t = 1, self.nclasses do
    if rows[t] > 0 then
      classFrrs[t] = (rows[t] - diagonal[t]) / rows[t]
      classFars[t] = (columns[t] - diagonal[t]) / (total - rows[t])
      frrs[#frrs + 1], fars[#fars + 1] = classFrrs[t], classFars[t]
    end
  end
  return classFrrs, classFars, torch.Tensor(frrs), torch.Tensor(fars)
end

function ConfusionMatrix:__tostring__()
  self:updateValids()
  local counts, most = self.mat:totable(), 1
  for t = 1, self.nclasses do most = math.max(most, unpack(counts[t])) end
  local cell = '%' .. math.max(8, 1 + math.ceil(math.log10(most))) .. 'd'
  local lines = {}
  for t = 1, self.nclasses do
    local cells = {}
    for p = 1, self.nclasses do cells[p] = cell:format(counts[t][p]) end
    local name = self.classes[1] and ('\t[class: %s]'):format(tostring(self.classes[t])) or ''
    lines[t] = ('%s[%s]%s  %2.3f%% %s\n'):format(t == 1 and '[' or ' ', table.concat(cells), t == self.nclasses and ']' or ' ',
      self.valids[t] * 100, name)
  end
  return ('ConfusionMatrix:\n%s + average row correct: %s%% \n + average rowUcol correct (VOC measure): %s%% \n + global correct: %s%%')
    :format(table.concat(lines), self.averageValid * 100, self.averageUnionValid * 100, self.totalValid * 100)
end

--- Returns an image of the matrix; needs the package `image`.
-- @tparam[opt='score'] string sortmode 'score' (classes by their rate) or 'occurrence' (by their samples), largest first
-- @tparam[opt=false] boolean display show it
-- @tparam[opt=25] int block pixels per cell
-- @tparam[opt=200] int legendwidth pixels for the rates' bars
-- @treturn torch.Tensor 3 x height x width, 0 to 1
function ConfusionMatrix:render(sortmode, display, block, legendwidth)
  self:updateValids()
  local picture = require 'optim.confusion_picture'(self, sortmode or 'score', block or 25, legendwidth or 200)
  if display then require('image').display { image = picture, legend = 'confusion matrix' } end
  return picture
end

return ConfusionMatrix
