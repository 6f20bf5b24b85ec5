/* A change in steps: edit, preview and confirm, apply with an end. It names the revision that it was made from: of another one nothing is
 * applied, and the dialog says so. Undo is one click. */

import { byId, clock, cut, duration, h, number, percent, soon, sync, tell } from './dom.js';
import { ask, now, problems, state } from './live.js';
import { load, shown, take } from './detail.js';

const dialog = byId('change');
const ENDS = [[60, '1 minute'], [300, '5 minutes'], [900, '15 minutes'], [3600, '1 hour'], [14400, '4 hours']];
const DRY_RUN_SECONDS = 60;

let [name, revision, parts] = ['', 0, {}];

/** Settings that one text can change. What stands in lists is changed as text. */
const simple = (settings) => Object.entries(settings).filter(([path]) => !path.includes('[') && path !== 'template');

export function openChange() {
  const { detail } = shown();
  if (!detail) return;
  name = detail.name;
  revision = detail.revision;
  const row = state.rows.get(name) ?? {};
  const isOfCode = Object.keys(detail.settings ?? {}).length === 0;
  const ofCode = { concurrency: [['concurrency', String(row.limit)]], rate: [['rate', '']] }[row.kind] ?? [];
  const fields = (isOfCode ? ofCode : simple(detail.settings)).map(([path, value]) => ({
    path, before: value, input: h('input', { type: 'text', value, autocomplete: 'off', spellcheck: 'false' }),
  }));
  parts = {
    fields, entry: JSON.stringify(JSON.parse(detail.override?.entry ?? '{}')),
    raw: h('textarea', { rows: 4, spellcheck: 'false', 'aria-label': 'The patch as text, as in a document' }),
    rawOpen: h('details', { ontoggle: asText }, h('summary', {}, 'Other fields: write the patch as text')),
    dry: h('input', { type: 'checkbox', onchange: () => { parts.seconds.value = parts.dry.checked ? DRY_RUN_SECONDS : 900; } }),
    keep: h('input', { type: 'checkbox', onchange: () => { parts.seconds.disabled = parts.keep.checked; } }),
    seconds: h('select', {}, ENDS.map(([seconds, label]) => h('option', { value: seconds }, label))),
    why: h('input', { type: 'text', required: true, maxlength: 128, autocomplete: 'off' }),
    problems: h('ul', { class: 'problems', role: 'alert' }),
    edit: h('form', { onsubmit: preview, novalidate: true }),
    confirm: h('div', { hidden: true }),
    again: h('button', { type: 'button', id: 'again', hidden: true, onclick: again }, 'Start again from what is in force now'),
  };
  parts.seconds.value = 900;
  parts.rawOpen.append(parts.raw);
  const label = (words, input, more) => h('label', { class: input.type === 'checkbox' ? 'check' : 'field' }, h('span', {}, words), input, more);
  parts.edit.append(
    h('p', { class: 'owner' }, detail.owner ?? ''),
    h('fieldset', {}, h('legend', {}, 'Settings'), fields.map(({ path, input }) => label(path, input)), parts.rawOpen),
    h('fieldset', {}, h('legend', {}, 'How'), label(`dry run: enforce 0, nothing is refused, the page shows what would be (${DRY_RUN_SECONDS} s)`, parts.dry),
      label('ends by itself after', parts.seconds), label('keep: it does not end by itself', parts.keep), label('why (required)', parts.why)),
    h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'), h('button', { type: 'submit', class: 'main', id: 'preview' }, 'Preview')));
  dialog.replaceChildren(h('h2', { id: 'change-title' }, `Change ${cut(name, 80)}`), parts.edit, parts.confirm, parts.problems, parts.again);
  if (!dialog.open) dialog.showModal();
  parts.rawOpen.open = fields.length === 0;
  (fields[0]?.input ?? parts.raw).select();
}

/** The patch that the fields make over that in force, which ends with it. Numbers and booleans are read as such. */
function patch() {
  const tree = Object.assign(Object.create(null), JSON.parse(parts.entry));
  for (const { path, before, input } of parts.fields) {
    const value = input.value.trim();
    const steps = path.split('.');
    const leaf = steps.pop();
    if (value !== before) {
      const branch = steps.reduce((inner, step) => inner[step] ??= Object.create(null), tree);
      branch[leaf] = value === '' ? null : /^(-?\d+(\.\d+)?|true|false)$/.test(value) ? JSON.parse(value) : value;
    }
  }
  if (parts.dry.checked) tree.enforce = 0;
  return JSON.stringify(tree);
}

/* Once the patch is written as text, the fields that made it rest. */
function asText() {
  if (parts.rawOpen.open) parts.raw.value = patch();
  for (const input of [...parts.fields.map((field) => field.input), parts.dry]) input.disabled = parts.rawOpen.open;
}

function complain(lines) {
  sync(parts.problems, lines, String, (line) => h('li', {}, cut(String(line))));
}

async function preview(event) {
  event.preventDefault();
  const entry = parts.rawOpen.open ? parts.raw.value.trim() : patch();
  const isSaid = parts.why.value.trim() !== '';
  complain([['', '{}', parts.entry].includes(entry) && 'Nothing is changed yet.', !isSaid && 'Say why: it is kept with the change.'].filter(Boolean));
  if (!isSaid) parts.why.focus();
  if (parts.problems.childElementCount > 0) return;
  const answer = await ask('POST', 'api/preview', { name, patch: entry });
  if (answer.status === 200) confirm(entry, answer.json);
  else if (answer.status === 429 || answer.status >= 500) confirm(entry, { unsure: problems(answer) });
  else complain(problems(answer));
}

function confirm(entry, seen) {
  const facts = [];
  if (seen.requests > 0) {
    facts.push(['recorded', `${number(seen.requests)} requests in ${duration((seen.spanSeconds ?? 0) * 1000)}`], ['refused in fact', number(seen.refusedInFact)],
      ['as it is, replayed', number(seen.refusedAsItIs)], ['would be refused', `${number(seen.wouldRefuse)} (${percent(seen.wouldRefuse / seen.requests)})`
        + (seen.high > seen.low ? `, between ${number(seen.low)} and ${number(seen.high)}` : '')], ['wait', `p50 ${duration(seen.p50WaitMs)}, p99 ${duration(seen.p99WaitMs)}`]);
  }
  facts.push(...differences(entry, seen), ['in flight', inFlight(seen)]);
  const seconds = parts.keep.checked ? null : Number(parts.seconds.value);
  facts.push(['ends', seconds === null ? 'not by itself: keep' : `after ${duration(seconds * 1000)}, at ${clock(now() + seconds * 1000)}; then what is below it returns`], ['why', parts.why.value.trim()]);
  const apply = h('button', { type: 'button', class: 'main', id: 'apply', onclick: () => send(entry, seconds) }, 'Apply');
  parts.confirm.replaceChildren(
    h('p', { class: 'preview', id: 'preview-text' }, seen.text || 'There is no recorded traffic to replay.'),
    h('ul', { class: 'unsure' }, (seen.unsure ?? []).map((line) => h('li', {}, 'Unsure: ' + cut(String(line))))),
    h('dl', { class: 'facts' }, facts.map(([label, value]) => h('div', {}, h('dt', {}, label), h('dd', {}, cut(String(value)))))),
    h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: () => step(true) }, 'Back'), apply));
  step(false);
  apply.focus();
}

function step(isEdit) {
  parts.edit.hidden = !isEdit;
  parts.confirm.hidden = isEdit;
  complain([]);
}

/** Old -> new of each setting that is changed, and what else bounds it. */
function differences(entry, { settingsThen }) {
  const { settings = {}, control, caps } = shown().detail;
  const changed = parts.fields.filter(({ before, input }) => input.value.trim() !== before);
  const fields = changed.map(({ path, before, input }) => [path, `${before || 'none'} → ${input.value.trim() || 'none'}`]);
  if (parts.dry.checked) fields.push(['enforce', `${settings.enforce ?? 1} → 0`]);
  return [...(parts.rawOpen.open ? [['patch', entry]] : fields), settingsThen && ['all settings then', settingsThen],
    control && ['bounds of the control', `${number(control.min)} to ${number(control.max)}`], caps && ['caps of the code', caps]].filter(Boolean);
}

function inFlight({ inFlight: held = state.rows.get(name)?.inFlight, limitThen }) {
  if (held === undefined) return 'nothing is held: a change touches no request that was granted';
  return limitThen !== undefined && held > limitThen
    ? `${number(held)} in flight over the new ${number(limitThen)}: none is revoked; nothing new is granted until fewer than ${number(limitThen)} are left`
    : `${number(held)} in flight: all stay`;
}

async function send(entry, seconds) {
  byId('apply').disabled = true;
  const answer = await ask('POST', 'api/override', { name, patch: entry, seconds, why: parts.why.value.trim(), revision });
  if (answer.status === 200) {
    dialog.close();
    take(answer.json);
    done(`Applied to ${cut(name, 80)}, revision ${answer.json.revision}.`);
  } else {
    byId('apply').disabled = false;
    const isOld = answer.status === 409;
    complain([...problems(answer), isOld && `Somebody else has changed it: revision ${answer.json.revision}, not ${revision}. Nothing was applied.`].filter(Boolean));
    parts.again.hidden = !isOld;
  }
}

async function again() {
  const why = parts.why.value;
  take((await ask('GET', 'api/limit?name=' + encodeURIComponent(name))).json);
  openChange();
  parts.why.value = why;
}

export async function undo() {
  const { detail } = shown();
  const answer = await ask('POST', 'api/undo', { name: detail.name, revision: detail.revision });
  if (answer.status === 200) {
    take(answer.json);
    done(`Undone: ${cut(detail.name, 80)} is back, revision ${answer.json.revision}.`);
  } else {
    done(problems(answer).join(' ') + (answer.status === 409 ? ' Somebody else has changed it; nothing was undone. Look again.' : ''));
    load();
  }
}

function done(words) {
  tell(words);
  soon('focus', () => (byId('undo')?.hidden === false ? byId('undo') : byId('open-change'))?.focus());
}
