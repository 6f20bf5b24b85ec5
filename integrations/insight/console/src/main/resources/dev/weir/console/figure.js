/* What all charts share: a figure with a title, a sentence that says the last values, a legend, a table of the last 60 points, and one
 * time cursor for all charts of the page, moved by pointer or by keys. A canvas is invisible to a screen reader and to a test; the
 * sentence (also as data-last) is not. */

import { attribute, byId, cells, clock, h, speak, sync, text } from './dom.js';

const POINTS = 60;
const figures = new Set();
let time = null;

/** Moves the cursor of all charts; null takes it away. */
export function moveCursor(at) {
  time = at;
  for (const figure of figures) figure.placeCursor();
}

/** The part of time that all charts show, in seconds; null = the last minutes. */
export const zoom = { from: null, to: null, listener: () => {} };

export function setZoom(from, to) {
  Object.assign(zoom, { from, to });
  zoom.listener();
}

export class Figure {
  /**
   * painter: paint(view), cursor(index or null), resize(), and optionally keys(key) -> words for what is at the cursor.
   * A view: xs (seconds, one after the other), columns (one array for each label; null = a gap), labels, formats, summary.
   */
  constructor(id, title, painter) {
    this.painter = painter;
    this.view = null;
    this.summary = h('p', { class: 'summary' });
    this.legend = h('ul', { class: 'legend', 'aria-hidden': 'true' });
    this.plot = h('div', {
      class: 'plot', id, tabindex: 0, role: 'slider', 'aria-label': `Time cursor of ${title}`,
      'aria-valuemin': 0, 'aria-valuemax': 0, 'aria-valuenow': 0, 'aria-valuetext': 'no cursor', 'aria-describedby': id + '-summary',
    });
    this.summary.id = id + '-summary';
    this.rows = h('tbody');
    this.head = h('tr');
    this.table = h('div', { class: 'points', hidden: true, tabindex: 0, role: 'region', 'aria-label': `${title}: the last ${POINTS} points` },
      h('table', {}, h('thead', {}, this.head), this.rows));
    this.toggle = h('button', { type: 'button', class: 'small', 'aria-expanded': 'false', onclick: () => this.showTable() }, 'Show as table');
    this.element = h('figure', { role: 'group', 'aria-labelledby': id + '-title' },
      h('figcaption', {}, h('h3', { id: id + '-title' }, title), this.toggle), this.summary, this.plot, this.legend, this.table);
    this.plot.addEventListener('keydown', (event) => this.key(event));
    this.plot.addEventListener('blur', () => moveCursor(null));
    new ResizeObserver(() => this.view && painter.resize()).observe(this.plot);
    figures.add(this);
  }

  dispose() {
    figures.delete(this);
    this.painter.dispose?.();
  }

  update(view) {
    this.view = view;
    text(this.summary, view.summary);
    attribute(this.element, 'data-last', view.summary);
    attribute(this.plot, 'aria-valuemax', Math.max(0, view.xs.length - 1));
    this.painter.paint(view);
    this.placeCursor();
    if (!this.table.hidden) this.writeTable();
  }

  showTable() {
    this.table.hidden = !this.table.hidden;
    attribute(this.toggle, 'aria-expanded', String(!this.table.hidden));
    text(this.toggle, this.table.hidden ? 'Show as table' : 'Hide the table');
    if (!this.table.hidden && this.view) this.writeTable();
  }

  writeTable() {
    const { xs, columns, labels } = this.view;
    const indexes = xs.map((x, index) => index).slice(-POINTS).reverse();
    cells(this.head, ['time', ...labels], 'th');
    sync(this.rows, indexes, (index) => xs[index], () => h('tr'), (row, index) =>
      cells(row, [clock(xs[index] * 1000), ...columns.map((column, nth) => this.format(nth, column[index]))]));
  }

  format(nth, value) {
    return value === null || value === undefined ? 'no data' : this.view.formats[nth](value);
  }

  /** The point at the cursor, or null. */
  index() {
    const xs = this.view?.xs ?? [];
    if (time === null || xs.length === 0 || time < xs[0] - 1 || time > xs.at(-1) + 1) return null;
    return Math.min(xs.length - 1, Math.max(0, Math.floor(time - xs[0])));
  }

  placeCursor() {
    if (!this.view) return;
    const index = this.index();
    this.painter.cursor(index);
    attribute(this.plot, 'aria-valuenow', index ?? Math.max(0, this.view.xs.length - 1));
    attribute(this.plot, 'aria-valuetext', index === null ? 'no cursor' : clock(this.view.xs[index] * 1000));
    this.writeLegend(index);
  }

  writeLegend(index) {
    const { columns, labels, xs } = this.view;
    const at = index ?? xs.length - 1;
    sync(this.legend, labels.map((label, nth) => ({ label, nth })), ({ label }) => label,
      ({ label }) => h('li', {}, h('span', { class: 'swatch' }), label + ' ', h('b')),
      (item, { label, nth }) => {
        const style = this.painter.style?.(nth) ?? {};
        attribute(item.firstChild, 'data-colour', style.colour);
        attribute(item.firstChild, 'data-line', style.line);
        text(item.lastChild, this.format(nth, columns[nth][at]));
      });
  }

  key(event) {
    if (!this.view || this.view.xs.length === 0) return;
    const last = this.view.xs.length - 1;
    const steps = { ArrowRight: 1, ArrowLeft: -1, PageUp: 10, PageDown: -10, Home: -last, End: last };
    if (event.key === 'Escape') {
      moveCursor(null);
      setZoom(null, null);
      return;
    }
    if (event.key in steps) moveCursor(this.view.xs[Math.min(last, Math.max(0, (this.index() ?? last) + steps[event.key]))]);
    const words = event.key in steps ? this.words() : this.painter.keys?.(event.key);
    if (words) {
      event.preventDefault();
      speak(words);
    }
  }

  words() {
    const index = this.index();
    const { columns, labels, xs } = this.view;
    return `${clock(xs[index] * 1000)}: ${labels.map((label, nth) => `${label} ${this.format(nth, columns[nth][index])}`).join(', ')}`;
  }
}

/** Forgets the figures of a limiter that is no longer shown. */
export function disposeAll() {
  for (const figure of figures) figure.dispose();
  time = null;
  text(byId('values'), '');
}
