/* Elements, text and jobs. Names, keys and reasons come from strangers: they become text nodes or values of attributes, never markup. */

export const byId = (id) => document.getElementById(id);

/** An element. Attributes that are false or absent are left out; on* are listeners; children are elements or text. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else attribute(element, name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

/** Writes only what differs: an unchanged text costs no layout, and a selection in it stays. */
export function text(element, value) {
  if (element.textContent !== String(value)) element.textContent = value;
}

export function attribute(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/** Makes the children of `parent` those of `items`, in this order. A child lives as long as its key: focus and open details stay. */
export function sync(parent, items, keyOf, make, update = () => {}) {
  const known = parent.known ?? (parent.known = new Map());
  const wanted = new Set();
  let previous = null;
  for (const item of items) {
    let key = String(keyOf(item));
    while (wanted.has(key)) key += '+';
    wanted.add(key);
    const child = known.get(key) ?? make(item);
    known.set(key, child);
    update(child, item);
    const place = previous === null ? parent.firstChild : previous.nextSibling;
    if (child !== place) parent.insertBefore(child, place);
    previous = child;
  }
  for (const [key, child] of known) {
    if (!wanted.has(key) && known.delete(key)) child.remove();
  }
}

/** Writes the cells of a row of a table. */
export function cells(row, values, tag = 'td') {
  while (row.children.length > values.length) row.lastChild.remove();
  values.forEach((value, index) => text(row.children[index] ?? row.appendChild(h(tag)), value));
}

/* One queue of jobs of drawing. Each frame does as many as fit in 8 ms, so that no frame is blocked by all charts at once.
 * A job that waits is replaced by a newer one of the same key. */
const jobs = new Map();
let frame = 0;

export function soon(key, job) {
  jobs.set(key, job);
  frame ||= requestAnimationFrame(work);
}

function work() {
  const start = performance.now();
  frame = 0;
  for (const [key, job] of jobs) {
    jobs.delete(key);
    job();
    if (performance.now() - start > 8) break;
  }
  if (jobs.size > 0) frame ||= requestAnimationFrame(work);
}

let [speaking, telling] = [0, 0];

/** Tells a screen reader the values at a cursor, once the cursor rests. */
export function speak(words) {
  clearTimeout(speaking);
  speaking = setTimeout(() => text(byId('values'), words), 250);
}

/** Says for 10 s what has happened, also to a screen reader. */
export function tell(words) {
  clearTimeout(telling);
  text(byId('status'), words);
  telling = setTimeout(() => text(byId('status'), ''), 10000);
}

const whole = new Intl.NumberFormat('en');

export function number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  const size = Math.abs(value);
  return size >= 10 || Number.isInteger(value) ? whole.format(Math.round(value)) : value.toFixed(size < 1 ? 2 : 1);
}

/** A time as people say it: "3 ms", "4.2 s", "12 min". */
export function duration(ms) {
  if (ms === null || ms === undefined || Number.isNaN(ms)) return '–';
  if (ms < 1000) return (ms < 10 && ms > 0 ? Number(ms.toPrecision(2)) : Math.round(ms)) + ' ms';
  const seconds = ms / 1000;
  if (seconds < 120) return (seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)) + ' s';
  return seconds < 7200 ? Math.round(seconds / 60) + ' min' : seconds < 172800 ? Math.round(seconds / 3600) + ' h'
    : Math.round(seconds / 86400) + ' days';
}

export const percent = (share) => (share > 0 && share < 0.1 ? (share * 100).toFixed(1) : Math.round(share * 100)) + ' %';

export const clock = (at) => new Date(at).toLocaleTimeString('en-GB');

/** Text of a stranger, cut to a length that fits. */
export const cut = (words, length = 300) => words.length > length ? words.slice(0, length) + '…' : words;

/** REASON_LIKE_THIS as words. */
export const words = (name) => name.toLowerCase().replaceAll('_', ' ');

const probe = h('span', { class: 'unseen', 'aria-hidden': 'true' });
const colours = new Map();

/** The value of a colour of the style sheet, for a canvas. */
export function colour(name) {
  if (!colours.has(name)) {
    document.body.append(probe);
    probe.style.color = `var(--${name})`;
    colours.set(name, getComputedStyle(probe).color);
  }
  return colours.get(name);
}

/** Reads colours again: the theme is another one. */
export const forgetColours = () => colours.clear();

export const calm = matchMedia('(prefers-reduced-motion: reduce)');
