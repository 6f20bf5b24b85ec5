/* The panels of the chosen limiter, each of which answers one question. The detail is asked for once a second, and at once when the row
 * has another revision. Each panel is written by a job of its own, so that no frame waits for all of them. */

import { attribute, byId, cells, clock, cut, duration, h, number, percent, soon, sync, text, words } from './dom.js';
import { Figure, disposeAll, moveCursor, setZoom, zoom } from './figure.js';
import { Heat, heatOf, quantile } from './heat.js';
import { Lines, spanOf } from './lines.js';
import { limitOf, marks } from './list.js';
import { ask, now, on, problems, state } from './live.js';

const KEPT = 300;
const LINES = ['dashed', 'dotted', 'dash-dot'];
const REASONS = ['CONCURRENCY', 'RATE', 'QUEUE_FULL', 'TIMED_OUT', 'SHED', 'NEVER', 'UNAVAILABLE', 'CANCELLED', 'KEY_MISSING', 'SUSPENDED'];
const OUTCOMES = { granted: 'granted after a wait', limited: 'not waited for', timedOut: 'timed out', full: 'queue full' };
const place = byId('detail');

let view = null;
let actions = {};

/** What is shown: {name, detail, seconds, bounds, panels}; null = all limiters. */
export const shown = () => view;

export function startDetail(given) {
  actions = given;
  zoom.listener = render;
  on('second', () => state.paused || (state.connection === 'live' && load(), render()));
  on('session', load);
  on('connection', () => soon('head', head));
  on('rows', () => state.paused || soon('head', head));
  on('events', () => state.paused || soon('events', events));
}

/** Shows a limiter, or all of them (null). */
export function show(name, takeFocus) {
  disposeAll();
  setZoom(null, null);
  view = name === null ? null : { name, detail: null, seconds: new Map(), bounds: [], span: view?.span ?? KEPT, panels: {}, busy: false, taken: 0 };
  place.replaceChildren(...(name === null ? overview() : build()));
  render();
  load();
  if (takeFocus) byId('chosen').focus();
}

/** Reads the detail; what came for another limiter, or for an older request, is dropped. */
export async function load() {
  const mine = view;
  if (mine === null || mine.busy || state.session.access === 'none') return;
  mine.busy = true;
  const { taken } = mine;
  const after = mine.seconds.size === 0 ? '' : '&after=' + Math.max(...mine.seconds.keys());
  const answer = await ask('GET', 'api/limit?name=' + encodeURIComponent(mine.name) + after);
  mine.busy = false;
  if (view !== mine || mine.taken !== taken || answer.status === 0) return;
  if (answer.status === 200) take(answer.json);
  else text(mine.panels.owner, problems(answer).join(' '));
}

/** Takes a detail that the server sent: its history is added to what is there. */
export function take(detail) {
  if (view?.name !== detail.name) return;
  view.detail = detail;
  view.taken++;
  view.bounds = detail.history?.bounds ?? view.bounds;
  for (const second of detail.history?.seconds ?? []) view.seconds.set(second.t, second);
  for (const t of view.seconds.keys()) t < now() / 1000 - KEPT - 30 && view.seconds.delete(t);
  render();
}

const panel = (id, title, ...children) => h('section', { class: 'panel', id: 'panel-' + id, 'aria-labelledby': 'title-' + id },
  h('h3', { id: 'title-' + id }, title), ...children);
const facts = () => h('dl', { class: 'facts' });
const table = (label, ...heads) => h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label },
  h('table', {}, h('thead', {}, h('tr', {}, heads.map((head) => h('th', { scope: 'col' }, head)))), h('tbody')));
const body = (element) => element.querySelector('tbody');

function write(list, entries) {
  const given = Object.entries(entries).filter(([, value]) => value !== undefined && value !== null && value !== '');
  sync(list, given, ([label]) => label, ([label]) => h('div', {}, h('dt', {}, label), h('dd')), (item, [, value]) => text(item.lastChild, value));
}

function overview() {
  const parts = { facts: facts(), source: facts(), problems: h('ul', { class: 'problems' }), events: table('Events', 'time', 'limiter', 'event') };
  place.parts = parts;
  return [h('h2', { id: 'chosen', tabindex: -1 }, 'All limiters'), parts.facts, h('div', { class: 'grid' },
    panel('source', 'Where settings come from', parts.source, parts.problems), panel('events', 'What happened?', parts.events))];
}

function build() {
  const lines = (id, title, options) => {
    const figure = new Figure(id, title, new Lines({ ...options, host: () => figure.plot }));
    return figure;
  };
  const cell = h('p', { class: 'cell' });
  const heat = new Heat(() => heatFigure.plot, cell);
  const heatFigure = new Figure('heat', 'Is the work slower?', heat);
  heatFigure.element.append(cell);
  const parts = place.parts = view.panels = {
    marks: h('p', { class: 'marks' }), numbers: h('dl', { class: 'numbers' }), owner: h('p', { class: 'owner' }), suspended: h('p', { class: 'applied', hidden: true }), applied: h('p', { class: 'applied', hidden: true }),
    change: h('button', { type: 'button', id: 'open-change', class: 'main', onclick: () => actions.change() }, 'Change…'),
    undo: h('button', { type: 'button', id: 'undo', hidden: true, onclick: () => actions.undo() }, 'Undo the last change'),
    zoom: h('button', { type: 'button', hidden: true, onclick: () => setZoom(null, null) }, 'Reset zoom'),
    limit: lines('limit', 'Is it tight?', { axis: number }), decisions: lines('decisions', 'Who is refused? (per second)', { axis: number }),
    waiting: lines('waiting', 'How many wait?', { axis: number }), waits: lines('waits', 'How long do they wait?', { axis: duration, least: 10 }),
    heat: heatFigure, totals: facts(), queue: facts(), control: facts(), controlWhy: h('p'), held: facts(), store: facts(), settings: facts(),
    changes: table('Changes', 'time', 'by', 'change', 'why'), keys: table('Keys', 'key', 'granted', 'refused', 'share of refused'),
    permits: h('div'), events: table('Events', 'time', 'limiter', 'event'),
  };
  const span = h('select', { 'aria-label': 'Time that the charts show', onchange: (event) => { view.span = Number(event.target.value); setZoom(null, null); } },
    h('option', { value: 60 }, 'last minute'), h('option', { value: KEPT }, 'last 5 minutes'));
  span.value = view.span;
  parts.decisions.element.append(parts.totals);
  return [
    h('div', { class: 'title' }, h('button', { type: 'button', class: 'back', onclick: () => actions.back() }, 'All limiters'),
      h('h2', { id: 'chosen', tabindex: -1 }, cut(view.name)), parts.marks, span, parts.zoom, parts.undo, parts.change),
    parts.applied, parts.suspended, parts.numbers, parts.owner,
    h('div', { class: 'grid' }, h('div', { class: 'panel' }, parts.limit.element), panel('why', 'Who moved it?', parts.controlWhy, parts.control, parts.changes),
      h('div', { class: 'panel' }, parts.decisions.element),
      h('div', { class: 'panel', id: 'panel-waiting' }, parts.waiting.element, parts.queue), h('div', { class: 'panel', id: 'panel-waits' }, parts.waits.element),
      h('div', { class: 'panel', id: 'panel-heat' }, heatFigure.element), panel('keys', 'One client or all?', parts.keys),
      panel('held', 'Is something leaking?', parts.held, parts.permits), panel('store', 'How is its store?', parts.store),
      panel('settings', 'What is in force?', parts.settings), panel('events', 'What happened?', parts.events)),
  ];
}

function render() {
  soon('head', head);
  soon('events', events);
  if (view?.detail) {
    const points = window_();
    const jobs = { limit, decisions, queue, heat, why, keys, held, store, settings };
    for (const [name, job] of Object.entries(jobs)) soon('panel-' + name, () => view?.detail && job(view.detail, view.panels, points));
  }
}

/** The seconds that charts show, with a gap (undefined) for each that is missing. */
function window_() {
  const lag = state.connection === 'live' ? 5 : 0; // the newest second is still being recorded
  const end = Math.max(...view.seconds.keys(), Math.floor(now() / 1000) - lag);
  const { from, to } = spanOf(end, view.span);
  const xs = [];
  for (let t = from + 1; t <= end; t++) xs.push(t);
  return { xs, from, to, at: (of) => xs.map((x) => { const second = view.seconds.get(x); return second ? of(second) ?? 0 : null; }),
    flags: view.detail.changes?.map((change) => Date.parse(change.at) / 1000) ?? [] };
}

const last = (column) => column.at(-1) ?? undefined;
const line = (label, colourName, style = 'solid', more = {}) => ({ label, colour: colourName, line: style, ...more });

function draw(figure, { xs, from, to, flags }, series, columns, formats, summary, band) {
  figure.update({ xs, from, to, flags, band, series, columns, labels: series.map(({ label }) => label), formats, summary });
}

function head() {
  const { parts } = place;
  if (view === null) {
    const rows = [...state.rows.values()];
    const count = (test) => number(rows.filter(test).length);
    write(parts.facts, { limiters: number(rows.length), 'that refuse now': count((row) => row.refused > 0), 'with a queue that waits': count((row) => row.waiting > 0),
      'with an override': count((row) => row.override), orphans: count((row) => row.orphan) });
    const { problems: wrong = [], orphans = [], up, ...source } = state.source ?? {};
    write(parts.source, { ...source, state: up === false ? 'cannot be reached; what was last in force stays' : 'up', orphans: orphans.join(', ') });
    sync(parts.problems, wrong, String, (problem) => h('li', {}, cut(String(problem))));
    return;
  }
  const row = state.rows.get(view.name) ?? {};
  if (view.detail && row.revision !== undefined && row.revision > view.detail.revision) load();
  write(parts.numbers, { limit: limitOf(row), 'in flight': row.inFlight === undefined ? undefined : number(row.inFlight), 'admitted/s': number(row.admitted),
    'refused/s': number(row.refused), waiting: row.waiting === undefined ? undefined : number(row.waiting),
    'oldest wait': row.oldestWaitMs === undefined ? undefined : duration(row.oldestWaitMs),
    'oldest permit': row.oldestHeldMs === undefined ? undefined : duration(row.oldestHeldMs),
    left: view.detail?.remaining === undefined || row.inFlight !== undefined ? undefined : number(view.detail.remaining), keys: view.detail?.keys });
  text(parts.marks, state.rows.has(view.name) ? [row.kind, ...marks(row)].join(' · ') : 'gone');
  attribute(parts.suspended, 'hidden', row.suspendedMs > 0 ? null : '');
  if (row.suspendedMs > 0) {
    text(parts.suspended, cut(`Suspended for another ${duration(row.suspendedMs)}: all requests are refused or wait. Why: ${view.detail?.suspended?.why ?? 'not loaded yet'}.`, 600));
  }
  const override = view.detail?.override;
  attribute(parts.applied, 'hidden', override ? null : '');
  if (override) {
    const ends = override.until && Date.parse(override.until) - now() < 10 * 365 * 86400e3
      ? `until ${clock(override.until)} (${duration(Math.max(0, Date.parse(override.until) - now()))} left)` : 'until it is undone';
    text(parts.applied, cut(`Override by ${override.who}, ${ends}: ${Object.entries(override.patch ?? {}).map(([path, value]) => `${path} ${value}`).join(', ')}. `
      + `Why: ${override.why}.${override.pending ? ' Not in force yet.' : ''}${override.problem ? ' Problem: ' + override.problem : ''}`, 600));
  }
  const mayWrite = state.session.access === 'write';
  for (const button of [parts.undo, parts.change]) attribute(button, 'disabled', state.connection === 'stale');
  attribute(parts.undo, 'hidden', mayWrite && view.detail?.undo ? null : '');
  attribute(parts.change, 'hidden', mayWrite || state.session.tokens !== false ? null : '');
  text(parts.change, mayWrite ? 'Change…' : 'Sign in to change');
  attribute(parts.zoom, 'hidden', zoom.from === null ? '' : null);
}

function limit(detail, parts, points) {
  text(parts.owner, detail.owner ?? '');
  const limits = points.at((second) => second.limit);
  const isHeld = [...view.seconds.values()].some((second) => second.inFlight > 0) || state.rows.get(view.name)?.inFlight !== undefined;
  const uses = points.at((second) => isHeld ? second.inFlight : second.admitted);
  const use = isHeld ? 'in flight' : 'admitted/s';
  const { byKey } = state.rows.get(view.name) ?? {};
  const over = byKey ? [] : [line('limit', 'limit', 'solid', { steps: true })]; // that of one key is no bound of the sum of all
  draw(parts.limit, points, [...over, line(use, 'use', 'solid', { fill: 'use-fill' })], byKey ? [uses] : [limits, uses], [number, number],
    last(uses) === undefined ? 'no data' : `limit ${limitOf({ limit: last(limits), byKey })}, ${number(last(uses))} ${use}${refusedShare(points)}`,
    detail.control && Number.isFinite(detail.control.max) && detail.control.max < 1e6 ? { min: detail.control.min, max: detail.control.max } : null);
}

const sum = (counts) => Object.values(counts ?? {}).reduce((total, count) => total + count, 0);

function refusedShare({ xs }) {
  const seconds = xs.slice(-10).map((x) => view.seconds.get(x)).filter(Boolean);
  const refused = seconds.reduce((total, second) => total + sum(second.refused), 0);
  const all = refused + seconds.reduce((total, second) => total + (second.admitted ?? 0), 0);
  return all === 0 ? ', no requests' : `, ${percent(refused / all)} refused`;
}

function decisions(detail, parts, points) {
  const reasons = [...new Set(points.xs.flatMap((x) => Object.keys(view.seconds.get(x)?.refused ?? {})))].sort();
  const passes = points.xs.some((x) => view.seconds.get(x)?.passed > 0);
  const series = [line('admitted', 'use'), ...(passes ? [line('would refuse', 'warn', 'dash-dot')] : []),
    ...reasons.map((reason) => line('refused: ' + words(reason), 'reason-' + Math.max(0, REASONS.indexOf(reason)) % 5, LINES[Math.max(0, REASONS.indexOf(reason)) % 3]))];
  const columns = [points.at((second) => second.admitted), ...(passes ? [points.at((second) => second.passed)] : []),
    ...reasons.map((reason) => points.at((second) => second.refused?.[reason] ?? 0))];
  draw(parts.decisions, points, series, columns, series.map(() => number), last(columns[0]) === undefined ? 'no data'
    : series.map(({ label }, nth) => `${number(last(columns[nth]))} ${label}`).join(', ') + ' in the last second');
  const totals = detail.totals ?? {};
  write(parts.totals, { since: totals.admitted === undefined ? undefined : detail.store ? 'the start' : 'the recording began', admitted: totals.admitted === undefined ? undefined : number(totals.admitted), 'would have refused': totals.passed ? number(totals.passed) : undefined,
    ...Object.fromEntries(Object.entries(totals.refused ?? {}).map(([reason, count]) => ['refused: ' + words(reason), number(count)])) });
}

function queue({ queue: now_, settings: given = {} }, parts, points) {
  attribute(byId('panel-waiting'), 'hidden', now_ ? null : '');
  attribute(byId('panel-waits'), 'hidden', now_ ? null : '');
  if (now_) {
    const waiting = points.at((second) => second.waiting);
    draw(parts.waiting, points, [line('waiting', 'use', 'solid', { fill: 'use-fill' })], [waiting], [number],
      last(waiting) === undefined ? 'no data' : `${number(last(waiting))} waiting, room for ${number(now_.capacity)}`);
    const wait = (share) => points.xs.map((x) => quantile(view.seconds.get(x)?.waits, view.bounds, share));
    const columns = [wait(0.5), wait(0.99), points.at((second) => second.oldestWaitMs)];
    draw(parts.waits, points, [line('p50', 'use'), line('p99', 'warn', 'dashed'), line('oldest now', 'reason-1', 'dotted')], columns, [duration, duration, duration],
      `oldest ${duration(now_.oldestMs ?? 0)}, p99 of the last second ${last(columns[1]) === undefined ? 'none' : duration(last(columns[1]))}`);
    const { length, permits, capacity, discipline, maxWaitMs, oldestMs, predictedMs, ...outcomes } = now_;
    write(parts.queue, { discipline: given['queue.discipline'] ?? cut(String(discipline), 60), 'max wait': maxWaitMs === undefined ? undefined : duration(maxWaitMs), 'predicted wait': predictedMs === undefined ? undefined : duration(predictedMs),
      'permits wanted': permits === undefined ? undefined : number(permits), since: 'the queue was made',
      ...Object.fromEntries(Object.entries(outcomes).filter(([, count]) => count > 0).map(([name, count]) => [OUTCOMES[name] ?? words(name), number(count)])) });
  }
}

function heat(detail, parts, { xs: all }) {
  const xs = all.slice(-60);
  const map = heatOf(xs, view.seconds, view.bounds);
  attribute(byId('panel-heat'), 'hidden', map.ranges.length > 0 ? null : '');
  if (map.ranges.length > 0) {
    const times = (share) => xs.map((x) => quantile(view.seconds.get(x)?.held, view.bounds, share));
    const counted = xs.map((x) => view.seconds.get(x)?.held?.reduce((total, [, count]) => total + count, 0) ?? null);
    const columns = [times(0.5), times(0.99), counted];
    parts.heat.update({ xs, ...map, columns, labels: ['p50', 'p99', 'calls timed'], formats: [duration, duration, number],
      summary: last(columns[0]) === undefined ? 'no call ended in the last second' : `p50 ${duration(last(columns[0]))}, p99 ${duration(last(columns[1]))}, of 1 in 16 calls` });
  }
}

function why({ changes = [], control }, parts) {
  text(parts.controlWhy, cut(control?.why ?? ''));
  write(parts.control, control ? { bounds: `${number(control.min)} to ${number(control.max)}`, updates: number(control.updates),
    stale: control.stale ? 'yes: it has no effect any more' : undefined } : {});
  const newest = [...changes].reverse().slice(0, 50);
  sync(body(parts.changes), newest, (change) => JSON.stringify(change), (change) => h('tr', {},
    h('td', {}, h('button', { type: 'button', class: 'small', 'aria-label': `Move the cursor of all charts to ${clock(change.at)}`, onclick: () => moveCursor(Date.parse(change.at) / 1000) }, clock(change.at))),
    h('td', {}, [change.writer, change.version, change.who].filter(Boolean).join(' ')),
    h('td', {}, cut((change.differences ?? []).map(({ setting, before, after }) => `${setting}: ${before || 'none'} → ${after || 'none'}`).join(', ') || 'the same settings')),
    h('td', {}, cut(change.why ?? ''))));
}

function keys({ hotKeys, settings: given = {} }, parts) {
  attribute(byId('panel-keys'), 'hidden', hotKeys || given.key || given['key[0]'] ? null : '');
  const all = hotKeys?.refusedInAll;
  const byKey = new Map();
  for (const [column, list] of Object.entries({ granted: hotKeys?.granted ?? [], refused: hotKeys?.refused ?? [] })) {
    list.slice(0, 20).forEach((entry) => byKey.set(entry.key, { ...byKey.get(entry.key), [column]: entry }));
  }
  const about = (entry) => entry ? number(entry.estimate) + (entry.error > 0 ? ` (−${number(entry.error)})` : '') : '–';
  const sorted = [...byKey].sort(([, a], [, b]) => (b.refused?.estimate ?? 0) - (a.refused?.estimate ?? 0) || (b.granted?.estimate ?? 0) - (a.granted?.estimate ?? 0)).slice(0, 20);
  sync(body(parts.keys), sorted, ([key]) => key, () => h('tr'), (row, [key, { granted, refused }]) =>
    cells(row, [cut(key, 80), about(granted), about(refused), refused && all > 0 ? percent(refused.estimate / all) : '–']));
  text(byId('title-keys'), !hotKeys ? 'One client or all? Not recorded: hot-keys: true records it' : `One client or all? (since the start${hotKeys.hashed ? ', keys are hashed' : ''})`);
}

function held({ held: now_, spec }, parts) {
  attribute(byId('panel-held'), 'hidden', now_ && state.rows.get(view.name)?.inFlight !== undefined ? null : '');
  write(parts.held, { held: number(state.rows.get(view.name)?.inFlight), oldest: now_?.oldestMs === undefined ? undefined : duration(now_.oldestMs),
    holders: now_?.tracked ? undefined : 'not tracked; track-permits: 16 tracks one permit in 16' });
  sync(parts.permits, (now_?.permits ?? []).slice(0, 50), (permit) => permit.thread + JSON.stringify(permit.at ?? []),
    (permit) => h('details', {}, h('summary'), h('pre', { tabindex: 0 }, cut((permit.at ?? []).join('\n'), 4000))),
    (details, permit) => text(details.firstChild, `${duration(permit.heldMs)} by ${cut(permit.thread ?? 'unknown')}`));
}

function store(detail, parts) {
  const given = { ...detail.store, ...prefixed('share', detail.share), ...prefixed('tasks', detail.tasks) };
  attribute(byId('panel-store'), 'hidden', Object.keys(given).length > 0 ? null : '');
  text(byId('title-store'), detail.store ? 'How is its store?' : detail.share ? 'How large is its share?' : 'How do its tasks end?');
  write(parts.store, Object.fromEntries(Object.entries(given).map(([name, value]) => [words(name.replace(/[A-Z]/g, ' $&')),
    name.endsWith('Ms') ? duration(value) : typeof value === 'number' ? number(value) : typeof value === 'object' ? JSON.stringify(value) : String(value)])));
}

const prefixed = (prefix, given) => Object.fromEntries(Object.entries(given ?? {}).map(([name, value]) => [`${prefix} ${name}`, value]));

function settings(detail, parts) {
  write(parts.settings, { specification: detail.spec === undefined ? undefined : cut(String(detail.spec)), from: detail.origin, writer: detail.writer,
    caps: detail.caps === undefined ? undefined : cut(typeof detail.caps === 'string' ? detail.caps : JSON.stringify(detail.caps)), revision: detail.revision, ...detail.settings });
}

function events() {
  const about = view?.name;
  const list = state.events.filter((event) => about === undefined || !event.limiter || event.limiter === about).slice(-100).reverse();
  sync(body(place.parts.events), list, (event) => event.at + event.kind + (event.limiter ?? '') + event.text, (event) => h('tr', { class: 'event' },
    h('td', {}, clock(event.at)), h('td', {}, cut(event.limiter ?? 'all', 80)), h('td', {}, `${event.kind}: ${cut(event.text)}`)));
}
