/* The list of limiters, by trouble. Only the rows in sight exist: about 30 elements are moved and written again, however many
 * limiters there are. The order rests while somebody uses the list, so that no row moves away below a pointer. */

import { attribute, byId, calm, colour, h, number, percent, soon, text } from './dom.js';
import { on, sparkSlots, state } from './live.js';

const ROW = 34;
const [REST_MS, SORT_S, CALM_S] = [5000, 3, 10];
const list = byId('list');
const space = h('div', { role: 'presentation', class: 'space' });
const slots = [];

let order = [];
let [active, chosen] = [null, null];
let [touchedAt, seconds] = [-REST_MS, 0];
let choose = () => {};

export function startList(onChoose) {
  choose = onChoose;
  list.append(space);
  list.addEventListener('scroll', () => soon('list', draw), { passive: true });
  list.addEventListener('keydown', key);
  list.addEventListener('focus', () => { active ??= chosen ?? order[0] ?? null; soon('list', draw); });
  const touch = () => { touchedAt = performance.now(); };
  for (const use of ['pointermove', 'keydown', 'wheel']) list.addEventListener(use, touch, { passive: true });
  byId('filter').addEventListener('input', () => { sort(); list.scrollTop = 0; });
  on('names', sort);
  on('rows', () => state.paused || soon('list', draw));
  on('second', () => {
    if (state.paused) return;
    seconds++;
    if (seconds % SORT_S === 0 && performance.now() - touchedAt > REST_MS) sort();
    if (!calm.matches || seconds % CALM_S === 0) soon('sparks', sparks);
  });
  new ResizeObserver(() => soon('list', draw)).observe(list);
  calm.addEventListener('change', () => soon('sparks', sparks));
}

export function mark(name) {
  chosen = name;
  active = name ?? active;
  soon('list', draw);
}

function sort() {
  const filter = byId('filter').value.trim().toLowerCase();
  const trouble = (name) => state.rows.get(name).trouble ?? 0;
  order = [...state.rows.keys()].filter((name) => name.toLowerCase().includes(filter));
  order.sort((a, b) => trouble(b) - trouble(a) || (a < b ? -1 : 1));
  const all = state.rows.size;
  text(byId('shown'), order.length === all ? number(all) : `${number(order.length)} of ${number(all)}`);
  soon('list', draw);
}

function key(event) {
  const page = Math.max(1, Math.floor(list.clientHeight / ROW) - 1);
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -order.length, End: order.length };
  if (event.key in steps && order.length > 0) {
    const index = Math.min(order.length - 1, Math.max(0, order.indexOf(active) + steps[event.key]));
    active = order[index];
    list.scrollTop = Math.max((index + 1) * ROW - list.clientHeight, Math.min(index * ROW, list.scrollTop));
    draw();
  } else if ((event.key === 'Enter' || event.key === ' ') && active !== null) {
    choose(active, true);
  } else {
    return;
  }
  event.preventDefault();
}

function draw() {
  order = order.filter((name) => state.rows.has(name));
  space.style.height = order.length * ROW + 'px';
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 2);
  const count = Math.min(order.length - first, Math.ceil(list.clientHeight / ROW) + 4);
  while (slots.length < count) {
    slots.push(slot(slots.length));
    space.append(slots.at(-1).element);
  }
  slots.forEach((place, index) => {
    const name = index < count ? order[first + index] : undefined;
    attribute(place.element, 'hidden', name === undefined ? '' : null);
    const isOther = place.name !== name;
    place.name = name;
    if (name !== undefined) {
      place.element.style.top = (first + index) * ROW + 'px';
      write(place, state.rows.get(name), first + index);
      if (isOther) spark(place, sparkSlots());
    }
  });
  attribute(list, 'aria-activedescendant', slots.find((place) => place.name === active)?.element.id);
}

function slot(index) {
  const part = (name) => h('span', { class: name });
  const parts = {
    name: part('name'), kind: part('kind'), special: part('special'), use: part('use'), fill: part('fill'), used: part('used'),
    admitted: part('number'), refused: part('number refused'), waiting: part('number queue'),
    spark: h('canvas', { class: 'spark', width: 88, height: 22 }),
  };
  parts.use.append(parts.fill, parts.used);
  const element = h('div', { role: 'option', class: 'row', id: 'row-' + index },
    h('span', { class: 'limiter' }, parts.name, h('span', { class: 'about' }, parts.kind, parts.special)), parts.use, parts.admitted, parts.refused, parts.waiting, parts.spark);
  const place = { element, parts, name: undefined };
  element.addEventListener('click', () => choose(place.name, false));
  return place;
}

/** The limit of a row, in words. */
export const limitOf = (row) => number(row.limit) + (row.byKey ? ' a key' : '');

/** What is special about a row, in words. */
export function marks(row) {
  return [
    row.suspendedMs > 0 && 'suspended', row.override && 'override', row.orphan && 'orphan', row.kind === 'removed' && 'removed',
    row.enforced === 0 ? 'dry run' : row.enforced < 1 && `enforced for ${percent(row.enforced)}`,
  ].filter(Boolean);
}

function write(place, row, index) {
  const { element, parts } = place;
  const special = marks(row);
  const use = row.inFlight === undefined || row.byKey ? null : row.limit > 0 ? row.inFlight / row.limit : row.inFlight > 0 ? 1 : 0;
  text(parts.name, row.name);
  text(parts.special, special.join(', '));
  text(parts.kind, row.kind);
  text(parts.used, row.limit === undefined ? '' : use === null ? (row.byKey ? '' : 'limit ') + limitOf(row) : `${number(row.inFlight)} | ${number(row.limit)}`);
  parts.fill.style.width = Math.min(100, (use ?? 0) * 100) + '%';
  attribute(parts.fill, 'data-full', use >= 1 ? 'true' : null);
  text(parts.admitted, number(row.admitted));
  text(parts.refused, number(row.refused));
  attribute(parts.refused, 'data-some', row.refused > 0 ? 'true' : null);
  text(parts.waiting, number(row.waiting));
  attribute(element, 'aria-selected', row.name === chosen ? 'true' : 'false');
  attribute(element, 'data-active', row.name === active ? 'true' : null);
  attribute(element, 'aria-setsize', order.length);
  attribute(element, 'aria-posinset', index + 1);
  attribute(element, 'data-name', row.name);
  attribute(element, 'aria-label', [
    row.name, row.kind, ...special,
    use === null ? row.limit !== undefined && 'limit ' + limitOf(row) : `${number(row.inFlight)} of ${number(row.limit)} in use`,
    row.admitted !== undefined && `${number(row.admitted)} admitted a second`, row.refused !== undefined && `${number(row.refused)} refused a second`,
    row.waiting !== undefined && `${number(row.waiting)} waiting`,
  ].filter(Boolean).join(', '));
}

export function sparks() {
  const places = sparkSlots();
  slots.forEach((place) => place.name !== undefined && spark(place, places));
}

/** Admitted as a line, refused as bars from below; nothing where nothing was heard. */
function spark(place, places) {
  const row = state.rows.get(place.name);
  const canvas = place.parts.spark;
  if (!row || canvas.offsetWidth === 0) return;
  const ratio = devicePixelRatio;
  const width = canvas.width = Math.round(88 * ratio);
  const height = canvas.height = Math.round(22 * ratio);
  const paint = canvas.getContext('2d');
  const { admitted, refused } = row.spark;
  let top = 1;
  for (const at of places) top = Math.max(top, admitted[at] || 0, refused[at] || 0);
  const x = (index) => index * width / (places.length - 1);
  const y = (value) => height - 1 - value / top * (height - 3);
  paint.fillStyle = colour('refused');
  places.forEach((at, index) => refused[at] > 0 && paint.fillRect(x(index) - ratio, y(refused[at]), 1.5 * ratio, height - y(refused[at])));
  paint.strokeStyle = colour('use');
  paint.lineWidth = ratio;
  paint.beginPath();
  places.forEach((at, index) => {
    const isAfterGap = index === 0 || Number.isNaN(admitted[places[index - 1]]);
    if (!Number.isNaN(admitted[at])) paint[isAfterGap ? 'moveTo' : 'lineTo'](x(index), y(admitted[at]));
  });
  paint.stroke();
}
