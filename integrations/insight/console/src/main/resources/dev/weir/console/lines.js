/* Lines over time, painted by uPlot. Scales rest: the top of a scale grows at once and falls only when all points are far
 * below it. Flags stand where something was changed. A second without data is a gap. */

import { calm, clock, colour } from './dom.js';
import { moveCursor, setZoom, zoom } from './figure.js';

const { uPlot } = globalThis;
const HEIGHT = 150;
const DASHES = { solid: [], dashed: [6, 4], dotted: [2, 3], 'dash-dot': [8, 3, 2, 3] };
let placing = false;

/** The least round number that is not below the value. */
function nice(value) {
  const unit = 10 ** Math.floor(Math.log10(value));
  return [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((step) => step * unit >= value) * unit;
}

export class Lines {
  /** axis: number -> text of the y axis; least: the smallest top of the scale */
  constructor({ axis, host, least = 5 }) {
    Object.assign(this, { axis, least, host, plot: null, top: least, shape: '' });
  }

  /** view.series: {label, colour, line, steps?, fill?} for each column; view.flags: [seconds]; view.band: {min, max} */
  paint(view) {
    this.view = view;
    const shape = JSON.stringify(view.series);
    if (shape !== this.shape) {
      this.dispose();
      this.shape = shape;
    }
    this.scale(view);
    const data = [view.xs, ...view.columns];
    if (this.plot === null) {
      const width = this.host().clientWidth;
      if (width > 0) this.plot = new uPlot(this.options(view, width), data, this.host());
    } else {
      placing = true;
      this.plot.setData(data);
      placing = false;
    }
  }

  scale(view) {
    let most = view.band?.max ?? 0;
    for (const column of view.columns) {
      for (const value of column) most = value > most ? value : most;
    }
    const wanted = Math.max(this.least, most > 0 ? nice(most * 1.05) : 0);
    if (wanted > this.top || wanted < this.top / 2) this.top = wanted;
  }

  options(view, width) {
    const line = { stroke: colour('muted'), grid: { stroke: colour('grid'), width: 1 }, ticks: { show: false }, font: '11px system-ui, sans-serif' };
    return {
      width, height: HEIGHT, legend: { show: false }, padding: [8, 22, 0, 0],
      cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { size: 6 } },
      scales: { x: { time: true, range: () => this.span() }, y: { range: () => [0, this.top] } },
      axes: [{ ...line, size: 22, space: 60, values: (plot, ticks) => ticks.map((at) => clock(at * 1000)) },
        { ...line, size: 46, space: 30, values: (plot, ticks) => ticks.map(this.axis) }],
      series: [{}, ...view.series.map((series) => ({
        label: series.label, stroke: colour(series.colour), width: series.line === 'solid' ? 1.5 : 2, dash: DASHES[series.line],
        fill: series.fill ? colour(series.fill) : undefined, points: { show: false }, spanGaps: false,
        paths: series.steps ? uPlot.paths.stepped({ align: 1 }) : undefined,
      }))],
      hooks: {
        drawClear: [(plot) => this.band(plot)],
        draw: [(plot) => this.flags(plot)],
        setCursor: [(plot) => placing || moveCursor(plot.cursor.idx === null || plot.cursor.left < 0 ? null : plot.data[0][plot.cursor.idx])],
        setSelect: [(plot) => {
          if (plot.select.width > 4) {
            setZoom(plot.posToVal(plot.select.left, 'x'), plot.posToVal(plot.select.left + plot.select.width, 'x'));
            plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          }
        }],
      },
    };
  }

  span() {
    return zoom.from !== null ? [zoom.from, zoom.to] : [this.view.from, this.view.to];
  }

  band(plot) {
    const { band } = this.view;
    if (!band) return;
    const high = plot.valToPos(Math.min(band.max, this.top), 'y', true);
    plot.ctx.fillStyle = colour('band');
    plot.ctx.fillRect(plot.bbox.left, high, plot.bbox.width, plot.valToPos(band.min, 'y', true) - high);
  }

  flags(plot) {
    const { ctx, bbox } = plot;
    const [from, to] = this.span();
    const unit = devicePixelRatio;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = colour('flag');
    ctx.lineWidth = unit;
    ctx.setLineDash([]);
    for (const at of this.view.flags ?? []) {
      if (at >= from && at <= to) {
        const x = Math.round(plot.valToPos(at, 'x', true));
        ctx.beginPath();
        for (const [right, down] of [[0, bbox.height], [0, 0], [7 * unit, 3.5 * unit], [0, 7 * unit]]) ctx.lineTo(x + right, bbox.top + down);
        ctx.stroke();
        ctx.fill();
      }
    }
    ctx.restore();
  }

  cursor(index) {
    placing = true;
    this.plot?.setCursor(index === null ? { left: -10, top: -10 } : { left: this.plot.valToPos(this.view.xs[index], 'x'), top: 10 });
    placing = false;
  }

  style = (nth) => this.view.series[nth];

  resize() {
    const width = this.host().clientWidth;
    if (width > 0 && this.plot === null) this.paint(this.view);
    else if (width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: HEIGHT });
  }

  dispose() {
    this.plot?.destroy();
    this.plot = null;
  }
}

/** The seconds that a chart shows. With reduced motion the end moves in steps of 10 s, so that nothing scrolls. */
export function spanOf(end, seconds) {
  const to = calm.matches ? Math.ceil(end / 10) * 10 : end;
  return { from: to - seconds, to };
}
