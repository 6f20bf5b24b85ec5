/* What the server says: the session, and one stream for the whole page. A stream that is cut comes back with everything
 * ("whole"), which replaces what was there: nothing is shown twice. Where there is no stream, or no room for one more, the page asks
 * every second instead. */

const [STALE_MS, POLL_MS, STREAM_AGAIN_MS] = [3000, 1000, 30000];
const [SPARK, EVENTS] = [60, 300];

export const state = {
  session: { access: 'none' }, process: null, source: null, rows: new Map(), events: [], connection: 'connecting', paused: false,
};

/** Fires `session`, `rows` (something changed), `names` (rows came or went), `events`, `connection`, `second`. */
const bus = new EventTarget();
const fire = (name) => bus.dispatchEvent(new Event(name));
export const on = (name, listener) => bus.addEventListener(name, listener);

let [heardAt, serverAt] = [0, 0];
let stream = null;
let [polling, turn, lastId] = [false, 0, null];

/** The clock of the server in ms, as far as the page knows it; it goes on while nothing is heard, so that charts show the gap. */
export const now = () => serverAt === 0 ? Date.now() : serverAt + performance.now() - heardAt;
export const silence = () => performance.now() - heardAt;

/** Asks the server. The status is 0 if it does not answer. */
export async function ask(method, path, body) {
  try {
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json', 'X-Weir-Token': state.session.check ?? '' };
    const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body), credentials: 'same-origin', cache: 'no-store' });
    const json = await answer.json().catch(() => ({}));
    if ((answer.status === 401 || answer.status === 403) && path !== 'api/session') begin();
    return { status: answer.status, json };
  } catch {
    return { status: 0, json: { problems: ['The process does not answer.'] } };
  }
}

export const problems = (answer) => answer.json.problems?.length ? answer.json.problems : [`The answer was ${answer.status}.`];

/** Reads the session, then opens the stream if it may read. */
export async function begin() {
  const answer = await ask('GET', 'api/session');
  if (answer.status === 200) {
    enter(answer.json);
  } else {
    connect('stale');
    setTimeout(begin, 2000);
  }
}

export async function signIn(token) {
  const answer = await ask('POST', 'api/session', { token });
  if (answer.status === 200) enter(answer.json);
  return answer;
}

function enter(session) {
  const changed = session.access !== state.session.access || !stream && !polling;
  state.session = session;
  fire('session');
  if (session.access === 'none') hangUp();
  else if (changed) open();
}

function hangUp() {
  stream?.close();
  [stream, polling, turn] = [null, false, turn + 1];
}

function open() {
  hangUp();
  if (!state.session.stream) return void poll();
  const opened = stream = new EventSource('api/stream');
  for (const kind of ['whole', 'tick']) opened.addEventListener(kind, (event) => take(JSON.parse(event.data)));
  opened.onerror = () => {
    connect('stale');
    if (opened.readyState === EventSource.CLOSED && stream === opened) {
      // refused: no room for one more stream, or the session has ended
      stream = null;
      setTimeout(() => polling && open(), STREAM_AGAIN_MS);
      poll();
    }
  };
}

async function poll() {
  polling = true;
  const mine = ++turn;
  const answer = await ask('GET', lastId === null ? 'api/rows' : 'api/rows?since=' + encodeURIComponent(lastId));
  if (turn !== mine) return; // a stream was opened meanwhile, or the session has ended
  if (answer.status === 200) {
    lastId = answer.json.id ?? null;
    take(answer.json);
  } else {
    connect('stale');
    lastId = answer.status === 0 ? lastId : null;
  }
  setTimeout(() => turn === mine && poll(), POLL_MS);
}

/** A whole frame replaces all that is there, any other adds to it. */
function take(frame) {
  const { rows: before } = state;
  if (frame.process) {
    state.process = frame.process;
    state.rows = new Map();
    state.events = [];
  }
  let names = Boolean(frame.process);
  for (const row of frame.rows) {
    names ||= !before.has(row.name);
    row.spark = before.get(row.name)?.spark ?? sparkline();
    state.rows.set(row.name, row);
  }
  for (const name of frame.gone ?? []) names = state.rows.delete(name) || names;
  state.source = frame.source ?? state.source;
  state.events = state.events.concat(frame.events ?? []).slice(-EVENTS);
  heardAt = performance.now();
  serverAt = Date.parse(frame.now);
  connect('live');
  if (names) fire('names');
  fire('rows');
  if (frame.process || frame.events?.length) fire('events');
}

function connect(connection) {
  if (state.connection === connection) return;
  state.connection = connection;
  fire('connection');
}

/* NaN is a gap: nothing was heard in that second. */
const sparkline = () => ({ admitted: new Float32Array(SPARK).fill(NaN), refused: new Float32Array(SPARK).fill(NaN) });
let slot = 0;

/** The places of the last 60 seconds in a sparkline, oldest first. */
export const sparkSlots = () => Array.from({ length: SPARK }, (_, back) => (slot + 1 + back) % SPARK);

setInterval(() => {
  if (state.connection === 'live' && silence() > STALE_MS) connect('stale');
  slot = (slot + 1) % SPARK;
  const isLive = state.connection === 'live';
  for (const row of state.rows.values()) {
    row.spark.admitted[slot] = isLive ? row.admitted ?? 0 : NaN;
    row.spark.refused[slot] = isLive ? row.refused ?? 0 : NaN;
  }
  fire('second');
}, 1000);
