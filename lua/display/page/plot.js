// Line plots as SVG, from the messages of display.plot: rows whose first entry is x, and options by the names that Dygraphs has.
'use strict';

const Plot = (() => {
  const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#7f7f7f', '#8c564b'];
  const margin = { top: 8, right: 20, bottom: 22, left: 10 };
  const names = 'http://www.w3.org/2000/svg';

  function element(name, attributes, parent) {
    const made = document.createElementNS(names, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (parent) parent.appendChild(made);
    return made;
  }

  const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

  // Numbers 1, 2 or 5 times a power of ten, about `count` of them from low to high.
  function ticks(low, high, count) {
    const rough = (high - low) / Math.max(1, count);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) * power;
    const list = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) list.push(i * step);
    return list;
  }

  function logTicks(low, high, count) {
    const first = Math.ceil(Math.log10(low) - 1e-9);
    const last = Math.floor(Math.log10(high) + 1e-9);
    if (last - first < 1) return ticks(low, high, count).filter((value) => value > 0);
    const step = Math.max(1, Math.ceil((last - first) / count));
    const list = [];
    for (let i = first; i <= last; i += step) list.push(10 ** i);
    return list;
  }

  function shown(value) {
    if (value === 0) return '0';
    const size = Math.abs(value);
    if (size >= 1e5 || size < 1e-4) return value.toExponential(2).replace(/\.?0+e/, 'e').replace('e+', 'e');
    return String(Number(value.toPrecision(6)));
  }

  // The mean of each number and of those before it, as many as `period` together.
  function rolled(points, period) {
    return points.map((point, i) => {
      const near = points.slice(Math.max(0, i - period + 1), i + 1).filter((p) => isNumber(p.y));
      const mean = (key) => near.reduce((sum, p) => sum + p[key], 0) / near.length;
      return isNumber(point.y) ? { ...point, y: mean('y'), low: mean('low'), high: mean('high') } : point;
    });
  }

  // A cell is a number; [value, deviation] with errorBars, [low, middle, high] with customBars.
  function pointOf(x, cell, options) {
    let y = cell, low = cell, high = cell;
    if (Array.isArray(cell) && options.customBars) [low, y, high] = cell;
    else if (Array.isArray(cell)) {
      const reach = (options.sigma || 2) * cell[1];
      [y, low, high] = [cell[0], cell[0] - reach, cell[0] + reach];
    }
    if (!isNumber(y) || (options.logscale && y <= 0)) return { x, y: null };
    return { x, y, low: isNumber(low) ? low : y, high: isNumber(high) ? high : y };
  }

  function seriesOf(options) {
    const rows = (options.file || []).filter((row) => Array.isArray(row) && isNumber(row[0])).sort((a, b) => a[0] - b[0]);
    const count = rows.reduce((most, row) => Math.max(most, row.length), 1) - 1;
    const list = [];
    for (let k = 0; k < count; k++) {
      if (options.visibility && options.visibility[k] === false) continue;
      let points = rows.map((row) => pointOf(row[0], row[k + 1], options));
      if (options.rollPeriod > 1) points = rolled(points, options.rollPeriod);
      if (options.connectSeparatedPoints) points = points.filter((point) => point.y !== null);
      list.push({
        name: (options.labels && options.labels[k + 1]) || 'Y' + (k + 1), points,
        colour: (options.colors && options.colors[k % options.colors.length]) || colours[k % colours.length],
      });
    }
    return list;
  }

  // Of many points in one column of pixels, the lowest and the highest: what a line through all of them would cover.
  function thinned(points, toX) {
    if (points.length < 4000) return points;
    const kept = [];
    let column = null, group = [];
    const flush = () => {
      if (!group.length) return;
      const by = (better) => group.reduce((best, p) => (p.y !== null && (best.y === null || better(p.y, best.y)) ? p : best));
      const pair = [group[0], by((a, b) => a < b), by((a, b) => a > b), group[group.length - 1]];
      kept.push(...[...new Set(pair)].sort((a, b) => a.x - b.x));
    };
    for (const point of points) {
      const at = Math.round(toX(point.x));
      if (at !== column) { flush(); group = []; column = at; }
      group.push(point);
    }
    flush();
    return kept;
  }

  // The path through points; a point without a number is a gap.
  function lineThrough(points, toX, toY, isStep) {
    let path = '', before = null;
    for (const point of points) {
      if (point.y === null) { before = null; continue; }
      const x = toX(point.x).toFixed(2), y = toY(point.y).toFixed(2);
      if (!before) path += `M${x} ${y}`;
      else path += isStep ? `H${x}V${y}` : `L${x} ${y}`;
      before = point;
    }
    return path;
  }

  // The area between two curves over the runs of points that have numbers.
  function areaBetween(points, toX, upper, lower) {
    let path = '', run = [];
    const flush = () => {
      if (run.length > 1) {
        const along = run.map((p) => `${toX(p.x).toFixed(2)} ${upper(p).toFixed(2)}`);
        const back = run.map((p) => `${toX(p.x).toFixed(2)} ${lower(p).toFixed(2)}`).reverse();
        path += `M${along.join('L')}L${back.join('L')}Z`;
      }
      run = [];
    };
    for (const point of points) {
      if (point.y === null) flush(); else run.push(point);
    }
    flush();
    return path;
  }

  function rangeOf(list, options) {
    let low = Infinity, high = -Infinity;
    for (const series of list) {
      for (const point of series.points) {
        if (point.y === null) continue;
        if (!options.logscale || point.low > 0) low = Math.min(low, point.low);
        low = Math.min(low, point.y);
        high = Math.max(high, point.high);
      }
    }
    if (options.fillGraph && !options.logscale) { low = Math.min(low, 0); high = Math.max(high, 0); }
    if (low > high) return options.logscale ? [0.1, 10] : [0, 1];
    if (options.logscale) return low === high ? [low / 2, high * 2] : [low / 1.1, high * 1.1];
    const room = low === high ? Math.abs(low) * 0.1 || 1 : (high - low) * 0.05;
    return [low - room, high + room];
  }

  function spanOf(list) {
    const all = list.flatMap((series) => series.points.map((point) => point.x));
    let low = Infinity, high = -Infinity;
    for (const x of all) { low = Math.min(low, x); high = Math.max(high, x); }
    if (low > high) return [0, 1];
    return low === high ? [low - 1, high + 1] : [low, high];
  }

  // What the mouse does: a drag chooses a span of x, a double click shows all, and the legend shows the numbers below the pointer.
  function listen(frame, toX, fromX, area, list, state, redraw, legend) {
    const svg = frame.ownerSVGElement;
    const cursor = element('line', { class: 'cursor', y1: area.top, y2: area.bottom, visibility: 'hidden' }, svg);
    const chosen = element('rect', { class: 'chosen', y: area.top, height: Math.max(0, area.bottom - area.top), width: 0, visibility: 'hidden' }, svg);
    let start = null;
    const at = (event) => Math.min(area.right, Math.max(area.left, event.clientX - svg.getBoundingClientRect().left));
    const nearest = (x) => {
      let best = null;
      for (const series of list) {
        for (const point of series.points) if (best === null || Math.abs(point.x - x) < Math.abs(best - x)) best = point.x;
      }
      return best;
    };
    frame.addEventListener('pointermove', (event) => {
      const px = at(event), x = nearest(fromX(px));
      if (x !== null) {
        cursor.setAttribute('x1', toX(x)); cursor.setAttribute('x2', toX(x)); cursor.setAttribute('visibility', 'visible');
        legend(x);
      }
      if (start !== null) {
        chosen.setAttribute('x', Math.min(start, px)); chosen.setAttribute('width', Math.abs(px - start));
        chosen.setAttribute('visibility', 'visible');
      }
    });
    frame.addEventListener('pointerleave', () => { cursor.setAttribute('visibility', 'hidden'); legend(null); });
    frame.addEventListener('pointerdown', (event) => { start = at(event); frame.setPointerCapture(event.pointerId); });
    frame.addEventListener('pointerup', (event) => {
      const end = at(event);
      chosen.setAttribute('visibility', 'hidden');
      if (start !== null && Math.abs(end - start) > 4) {
        state.window = [fromX(Math.min(start, end)), fromX(Math.max(start, end))];
        redraw();
      }
      start = null;
    });
    frame.addEventListener('dblclick', () => { state.window = null; redraw(); });
  }

  function drawSeries(series, options, toX, toY, area, group) {
    const points = thinned(series.points, toX);
    const hasBars = options.errorBars || options.customBars;
    const base = toY(options.logscale ? Infinity : 0);
    if (hasBars) {
      const path = areaBetween(points, toX, (p) => toY(p.high), (p) => toY(p.low));
      element('path', { d: path, fill: series.colour, 'fill-opacity': 0.15 }, group);
    }
    if (options.fillGraph) {
      const floor = Math.min(area.bottom, Math.max(area.top, base));
      element('path', { d: areaBetween(points, toX, (p) => toY(p.y), () => floor), fill: series.colour, 'fill-opacity': 0.15 }, group);
    }
    const width = options.strokeWidth === undefined ? 1.5 : options.strokeWidth;
    const dash = Array.isArray(options.strokePattern) ? options.strokePattern.join(' ') : 'none';
    if (width > 0) {
      element('path', { d: lineThrough(points, toX, toY, options.stepPlot), fill: 'none', stroke: series.colour, 'stroke-width': width,
        'stroke-dasharray': dash, 'stroke-linejoin': 'round' }, group);
    }
    // A point between two gaps has no line.
    points.forEach((point, i) => {
      const isAlone = (!points[i - 1] || points[i - 1].y === null) && (!points[i + 1] || points[i + 1].y === null);
      if (point.y !== null && (options.drawPoints || isAlone)) {
        element('circle', { cx: toX(point.x).toFixed(2), cy: toY(point.y).toFixed(2), r: options.pointSize || 2, fill: series.colour }, group);
      }
    });
  }

  // Draws a plot of the size of its place. `state` keeps what the user chose.
  function draw(place, options, state, legendPlace) {
    const width = Math.max(120, place.clientWidth), height = Math.max(80, place.clientHeight);
    const list = seriesOf(options);
    const [xLow, xHigh] = state.window || options.dateWindow || spanOf(list);
    const inView = list.map((s) => ({ ...s, points: s.points.filter((p) => p.x >= xLow && p.x <= xHigh) }));
    const given = Array.isArray(options.valueRange) ? options.valueRange : [];
    const own = rangeOf(inView, options);
    const yLow = isNumber(given[0]) ? given[0] : own[0], yHigh = isNumber(given[1]) ? given[1] : own[1];

    place.replaceChildren();
    const svg = element('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img',
      'aria-label': options.title || 'plot of ' + list.map((s) => s.name).join(', ') }, place);
    const yTicks = (options.logscale ? logTicks : ticks)(yLow, yHigh, Math.max(2, height / 50));
    const probe = element('text', {}, svg);
    let widest = 0;
    for (const tick of yTicks) { probe.textContent = shown(tick); widest = Math.max(widest, probe.getComputedTextLength()); }
    probe.remove();
    const area = {
      left: margin.left + widest + 6 + (options.ylabel ? 16 : 0), right: width - margin.right,
      top: margin.top, bottom: height - margin.bottom - (options.xlabel ? 16 : 0),
    };
    const scaled = options.logscale ? Math.log10 : (y) => y;
    const bottomOf = scaled(yLow), topOf = scaled(yHigh);
    const toX = (x) => area.left + ((x - xLow) / (xHigh - xLow)) * (area.right - area.left);
    const fromX = (px) => xLow + ((px - area.left) / (area.right - area.left)) * (xHigh - xLow);
    const toY = (y) => (y === Infinity ? area.bottom : area.bottom - ((scaled(y) - bottomOf) / (topOf - bottomOf)) * (area.bottom - area.top));

    for (const tick of yTicks) {
      const y = toY(tick);
      element('line', { class: 'grid', x1: area.left, x2: area.right, y1: y, y2: y }, svg);
      element('text', { class: 'quiet', x: area.left - 6, y: y + 4, 'text-anchor': 'end' }, svg).textContent = shown(tick);
    }
    for (const tick of ticks(xLow, xHigh, Math.max(2, width / 80))) {
      const x = toX(tick);
      element('line', { class: 'grid', x1: x, x2: x, y1: area.top, y2: area.bottom }, svg);
      element('text', { class: 'quiet', x, y: area.bottom + 15, 'text-anchor': 'middle' }, svg).textContent = shown(tick);
    }
    const clip = 'clip' + Math.random().toString(36).slice(2);
    const inside = element('clipPath', { id: clip }, element('defs', {}, svg));
    element('rect', { x: area.left, y: area.top, width: Math.max(0, area.right - area.left), height: Math.max(0, area.bottom - area.top) }, inside);
    const group = element('g', { 'clip-path': `url(#${clip})` }, svg);
    for (const series of list) drawSeries(series, options, toX, toY, area, group);
    element('path', { class: 'axis', d: `M${area.left} ${area.top}V${area.bottom}H${area.right}` }, svg);
    if (options.xlabel) {
      element('text', { x: (area.left + area.right) / 2, y: height - 6, 'text-anchor': 'middle' }, svg).textContent = options.xlabel;
    }
    if (options.ylabel) {
      const middle = (area.top + area.bottom) / 2;
      element('text', { x: 14, y: middle, transform: `rotate(-90 14 ${middle})`, 'text-anchor': 'middle' }, svg).textContent = options.ylabel;
    }

    const legend = (x) => {
      legendPlace.replaceChildren();
      if (x !== null) legendPlace.append((options.xlabel || 'x') + ' ' + shown(x));
      for (const series of list) {
        const item = document.createElement('span'), name = document.createElement('b');
        name.style.color = series.colour;
        name.textContent = series.name;
        const point = x === null ? null : series.points.find((p) => p.x === x && p.y !== null);
        item.append(name, point ? ' ' + shown(point.y) : '');
        legendPlace.append(item);
      }
    };
    legend(null);
    const frame = element('rect', { x: area.left, y: area.top, width: Math.max(0, area.right - area.left),
      height: Math.max(0, area.bottom - area.top), fill: 'transparent' }, svg);
    listen(frame, toX, fromX, area, inView, state, () => draw(place, options, state, legendPlace), legend);
  }

  return { draw };
})();
