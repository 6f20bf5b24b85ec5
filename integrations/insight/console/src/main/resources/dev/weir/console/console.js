/* The page: the strip at the top, the way to a limiter, and how the parts meet. */

import { attribute, byId, clock, cut, duration, forgetColours, h, soon, tell, text } from './dom.js';
import { begin, on, problems, signIn, silence, state, now } from './live.js';
import { mark, sparks, startList } from './list.js';
import { show, shown, startDetail } from './detail.js';
import { openChange, undo } from './change.js';

const login = byId('login');

function strip() {
  const badge = byId('connection');
  const { connection, process, paused } = state;
  attribute(badge, 'data-state', paused ? 'paused' : connection);
  attribute(document.body, 'data-stale', connection === 'stale');
  text(badge, paused ? 'paused' : connection === 'stale' ? `stale since ${duration(Math.max(1000, Math.round(silence() / 1000) * 1000))}` : connection);
  if (process) {
    const name = cut(process.name ?? 'process', 60);
    document.title = name + ' · Weir';
    text(byId('process'), `${name} · up ${duration(now() - Date.parse(process.started))}${process.version ? ' · Weir ' + process.version : ''}`);
  }
  const newest = state.events.at(-1);
  text(byId('last-event'), newest ? clock(newest.at) : 'none');
}

function session() {
  const { access, tokens } = state.session;
  attribute(byId('access'), 'hidden', access === 'read' ? null : '');
  attribute(byId('sign-in'), 'hidden', access === 'write' || tokens === false ? '' : null);
  if (access === 'none' && !login.open) openLogin();
  else if (access !== 'none' && login.open) login.close();
}

function openLogin() {
  const token = h('input', { type: 'password', autocomplete: 'off', required: true });
  const wrong = h('p', { class: 'problems', role: 'alert' });
  const enter = async (event) => {
    event.preventDefault();
    const answer = await signIn(token.value.trim());
    token.value = '';
    if (answer.status === 200) login.close();
    else text(wrong, problems(answer).join(' '));
  };
  login.replaceChildren(h('h2', { id: 'login-title' }, 'Sign in'),
    h('p', {}, 'The token is the text in a file; the log of the process says in which.'),
    h('form', { onsubmit: enter }, h('label', { class: 'field' }, h('span', {}, 'Token'), token), wrong,
      h('div', { class: 'buttons' }, state.session.access !== 'none' && h('button', { type: 'button', onclick: () => login.close() }, 'Cancel'),
        h('button', { type: 'submit', class: 'main' }, 'Sign in'))));
  login.showModal();
  token.focus();
}

/* The address names the limiter that is shown: #limit=NAME. A token is never in it. */
const addressed = () => new URLSearchParams(location.hash.slice(1)).get('limit');

function choose(name, takeFocus) {
  history.replaceState(null, '', name === null ? location.pathname + location.search : '#' + new URLSearchParams({ limit: name }));
  go(name, takeFocus);
}

function go(name, takeFocus) {
  attribute(document.body, 'data-detail', name === null ? null : 'true');
  mark(name);
  show(name, takeFocus);
}

const THEMES = ['auto', 'light', 'dark'];
const themeNow = () => Math.max(0, THEMES.indexOf(localStorage.getItem('weir-theme')));

function repaint() {
  forgetColours();
  soon('sparks', sparks);
  if (shown()) show(shown().name, false);
}

function theme(next) {
  attribute(document.documentElement, 'data-theme', next === 'auto' ? null : next);
  text(byId('theme'), 'Theme: ' + next);
  localStorage.setItem('weir-theme', next);
  repaint();
}

byId('pause').addEventListener('click', () => {
  state.paused = !state.paused;
  attribute(byId('pause'), 'aria-pressed', String(state.paused));
  text(byId('pause'), state.paused ? 'Go on' : 'Pause');
  strip();
});
byId('theme').addEventListener('click', () => theme(THEMES[(themeNow() + 1) % THEMES.length]));
byId('sign-in').addEventListener('click', openLogin);
login.addEventListener('cancel', (event) => state.session.access === 'none' && event.preventDefault());
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint);
addEventListener('hashchange', () => ['', '#limit'].includes(location.hash.split('=')[0]) && go(addressed(), false));
on('session', session);
on('second', strip);
on('rows', () => soon('strip', strip));
let wasStale = false;
on('connection', () => {
  strip();
  if (state.connection === 'stale' || wasStale) {
    wasStale = state.connection === 'stale';
    tell(wasStale ? 'The values are stale: nothing is heard from the process.' : 'The values are live again.');
  }
});

startList(choose);
startDetail({ change: () => state.session.access === 'write' ? openChange() : openLogin(), undo, back: () => { choose(null, false); byId('list').focus(); } });
theme(THEMES[themeNow()]);
go(addressed(), false);
begin();
