--- Plots with the program gnuplot: in files, in windows, and as text without a screen.
-- Calls draw into the current figure, which `figure`, `pngfigure` etc. create. Text is quoted: names of files, titles and
-- legends appear literally, with any characters.
-- @module gnuplot
-- @usage local gnuplot = require 'gnuplot'
-- gnuplot.pngfigure 'loss.png'
-- gnuplot.plot({ 'train', losses, '-' }, { 'test', testLosses, '+-' })
-- gnuplot.xlabel 'epoch'
-- gnuplot.close()
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'

local gnuplot = rawget(_G, 'gnuplot') or {}
rawset(_G, 'gnuplot', gnuplot)
package.loaded.gnuplot = gnuplot

require 'torch.start.lazy_loader'(gnuplot, [[
  gnuplot.program: setgnuplotexe isInstalled terminals
  gnuplot.figures: figure epsfigure pngfigure pdffigure svgfigure figprint plotflush close closeall setterm terminal
  gnuplot.settings: title xlabel ylabel zlabel grid logscale movelegend axis raw
  gnuplot.drawings: plot splot scatter3 imagesc bar hist
  gnuplot.counts: histc
]])

return gnuplot
