--- The curves of a training in a notebook, drawn anew after each epoch.
-- @module trainer.live_plot
local check = require 'torch.check'

local livePlot = {}

--- Checks the option.
-- @string where the start of messages
-- @param given true for the losses, or a list of names of measures
-- @treturn ?{string,...}
function livePlot.read(where, given)
  if given == nil or given == false then return nil end
  if given == true then return { 'loss', 'validation.loss' } end
  for i, name in ipairs(check.table(where, 'plot', given)) do check.text(where, ('plot: number %d'):format(i), name) end
  return given
end

--- Returns a figure with a curve for each measure over the epochs.
-- @tparam {table,...} history the measures of each epoch
-- @tparam {string,...} names
-- @treturn plot.Figure
function livePlot.figure(history, names)
  local figure = require('plot').Figure { height = 300 }
  local axes, isEmpty = figure:subplot(), true
  for _, name in ipairs(names) do
    local epochs, values = {}, {}
    for _, row in ipairs(history) do
      if type(row[name]) == 'number' then epochs[#epochs + 1], values[#values + 1] = row.epoch, row[name] end
    end
    if #values > 0 then
      axes:plot(epochs, values, { label = name, marker = 'o' })
      isEmpty = false
    end
  end
  axes:xlabel 'epoch'
  if not isEmpty then axes:legend() end
  return figure
end

--- Shows the curves, in a notebook only.
-- @tparam trainer.Trainer self
function livePlot.draw(self)
  local notebook = self._plot and require 'notebook'
  if not notebook or not notebook.isActive() then return end
  local figure = livePlot.figure(self.history, self._plot)
  if self._shown then self._shown:update(figure) else self._shown = notebook.display(figure) end
end

return livePlot
