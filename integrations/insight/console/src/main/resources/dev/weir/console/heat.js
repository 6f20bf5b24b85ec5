/* The heat map of latencies: a column for each second of the last minute, a row for each range of hold times. The stronger the colour, the more
 * calls; the number stands in the sentence below the pointer and at the cursor. Up and down move between ranges, left and right between seconds. */

import { clock, colour, duration, h, number, text } from './dom.js';
import { moveCursor } from './figure.js';

const [HEIGHT, LEFT, BELOW, ROWS] = [150, 54, 22, 20];

export class Heat {
  constructor(host, onCell) {
    Object.assign(this, { host, onCell, canvas: h('canvas', { class: 'heat' }), row: null, at: null });
    this.canvas.addEventListener('pointermove', (event) => this.point(event));
    this.canvas.addEventListener('pointerleave', () => { this.row = null; moveCursor(null); });
  }

  paint(view) {
    this.view = view;
    if (!this.canvas.isConnected) this.host().append(this.canvas);
    const width = this.host().clientWidth;
    if (width === 0) return;
    const unit = devicePixelRatio;
    this.width = width;
    this.canvas.width = Math.round(width * unit);
    this.canvas.height = HEIGHT * unit;
    const paint = this.canvas.getContext('2d');
    paint.scale(unit, unit);
    this.cells(paint);
    this.labels(paint);
    this.outline(paint);
  }

  column = () => (this.width - LEFT - 22) / this.view.xs.length;
  height = () => (HEIGHT - BELOW - 8) / Math.max(1, this.view.ranges.length);
  top = (row) => 8 + (this.view.ranges.length - 1 - row) * this.height();

  cells(paint) {
    const { counts, most } = this.view;
    paint.fillStyle = colour('heat');
    counts.forEach((column, second) => column?.forEach((count, row) => {
      if (count > 0) {
        // the square root keeps rare slow calls visible beside many fast ones
        paint.globalAlpha = 0.15 + 0.85 * Math.sqrt(count / most);
        paint.fillRect(LEFT + second * this.column(), this.top(row), Math.max(1, this.column() - 1), Math.max(1, this.height() - 1));
      }
    }));
    paint.globalAlpha = 1;
  }

  labels(paint) {
    const { xs, ranges } = this.view;
    paint.fillStyle = colour('muted');
    paint.font = '11px system-ui, sans-serif';
    paint.textAlign = 'right';
    paint.textBaseline = 'middle';
    const every = Math.max(1, Math.ceil(16 / this.height()));
    ranges.forEach((range, row) => {
      if (row % every === 0) paint.fillText(duration(range.to), LEFT - 6, this.top(row));
    });
    paint.textAlign = 'center';
    for (let second = 4; second < xs.length - 3; second += Math.ceil(80 / this.column())) {
      paint.fillText(clock(xs[second] * 1000), LEFT + second * this.column(), HEIGHT - BELOW / 2);
    }
  }

  outline(paint) {
    if (this.at === null) return;
    const x = LEFT + this.at * this.column() - 0.5;
    paint.strokeStyle = colour('text');
    paint.strokeRect(x, 8, this.column(), HEIGHT - BELOW - 8);
    paint.lineWidth = 2;
    if (this.row !== null) paint.strokeRect(x, this.top(this.row), this.column(), this.height());
  }

  point(event) {
    const second = Math.floor((event.offsetX - LEFT) / this.column());
    const row = this.view.ranges.length - 1 - Math.floor((event.offsetY - 8) / this.height());
    if (second >= 0 && second < this.view.xs.length) {
      this.row = row >= 0 && row < this.view.ranges.length ? row : null;
      moveCursor(this.view.xs[second]);
    }
  }

  cursor(index) {
    if (this.at !== index || this.row !== this.drawn) {
      this.at = index;
      this.drawn = this.row;
      this.paint(this.view);
    }
    text(this.onCell, index === null ? '' : this.words());
  }

  keys(key) {
    const steps = { ArrowUp: 1, ArrowDown: -1 };
    if (!(key in steps) || this.view.ranges.length === 0) return null;
    this.row = Math.min(this.view.ranges.length - 1, Math.max(0, (this.row ?? -1) + steps[key]));
    moveCursor(this.view.xs[this.at ?? this.view.xs.length - 1]);
    return this.words();
  }

  words() {
    const { xs, counts, ranges } = this.view;
    const at = clock(xs[this.at] * 1000);
    const range = ranges[this.row];
    const count = counts[this.at]?.[this.row];
    return range ? `${at}, ${duration(range.from)} to ${duration(range.to)}: ${count === undefined ? 'no data' : number(count) + ' timed calls'}` : at;
  }

  resize = () => this.width !== this.host().clientWidth && this.paint(this.view);
}

/** The view of a heat map: `seconds` by time, those that are missing are gaps; neighbours among the buckets joined to at most 20 rows. */
export function heatOf(xs, seconds, bounds) {
  const used = [...new Set(xs.flatMap((x) => seconds.get(x)?.held?.map(([bucket]) => bucket) ?? []))].sort((a, b) => a - b);
  if (used.length === 0) return { ranges: [], counts: xs.map((x) => seconds.has(x) ? [] : null), most: 1 };
  const first = used[0];
  const size = Math.ceil((used.at(-1) - first + 1) / ROWS);
  const rows = Math.floor((used.at(-1) - first) / size) + 1;
  const upper = (bucket) => bucket < 0 ? 0 : bounds[Math.min(bucket, bounds.length - 1)];
  const ranges = Array.from({ length: rows }, (_, row) => ({ from: upper(first + row * size - 1), to: upper(first + (row + 1) * size - 1) }));
  let most = 1;
  const counts = xs.map((x) => {
    const second = seconds.get(x);
    if (!second) return null;
    const column = new Array(rows).fill(0);
    for (const [bucket, count] of second.held ?? []) {
      const row = Math.floor((bucket - first) / size);
      column[row] += count;
      most = Math.max(most, column[row]);
    }
    return column;
  });
  return { ranges, counts, most };
}

/** The hold or wait time below which a share of the calls of one histogram is; null if it is empty. */
export function quantile(histogram, bounds, share) {
  const total = (histogram ?? []).reduce((sum, [, count]) => sum + count, 0);
  let left = total * share;
  for (const [bucket, count] of total > 0 ? histogram : []) {
    left -= count;
    if (left <= 0) return bounds[Math.min(bucket, bounds.length - 1)];
  }
  return null;
}
