/* A change in steps: edit, preview and confirm, apply with an end. It names the revision that it was made from: of another one nothing is
 * applied, and the dialog says so. Undo is one click. */

import { byId, clock, cut, duration, h, number, percent, soon, sync, tell } from './dom.js';
import { ask, now, problems, state } from './live.js';
import { load, shown, take } from './detail.js';

const dialog = byId('change');
const ENDS = [[60, '1 minute'], [300, '5 minutes'], [900, '15 minutes'], [3600, '1 hour'], [14400, '4 hours']];
const DRY_RUN_SECONDS = 60;
const ORDER = ['concurrency', 'rate', 'burst', 'adaptive', 'queue'];

let [name, revision, parts] = ['', 0, {}];

/** Settings that one text can change, the numbers first. What stands in lists is changed as text. */
const rank = ([path]) => (ORDER.indexOf(path.split('.')[0]) + 1) || ORDER.length + 1;
const simple = (settings) => Object.entries(settings).filter(([path]) => !path.includes('[') && path !== 'template').sort((a, b) => rank(a) - rank(b));

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
    again: h('button', { type: 'button', id: 'again', hidden: true, onclick: again }, 'Look again, with what I have written'),
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
  dialog.replaceChildren(h('h2', { id: 'change-title' }, `Change ${cut(name, 80)}`), parts.edit, parts.confirm);
  step(true);
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
  parts.raw.value = parts.rawOpen.open ? parts.raw.value || patch() : '';
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
  const [mine, button] = [parts, byId('preview')];
  [button.disabled, button.textContent] = [true, 'Replaying…'];
  const answer = await ask('POST', 'api/preview', { name, patch: entry });
  [button.disabled, button.textContent] = [false, 'Preview'];
  if (parts !== mine) return; // another change was opened meanwhile
  if (answer.status === 200) confirm(entry, answer.json);
  else if (answer.status === 429 || answer.status >= 500) confirm(entry, { unsure: problems(answer) });
  else complain(problems(answer));
  if (!dialog.contains(document.activeElement)) button.focus();
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
  facts.push(['ends', seconds === null ? 'not by itself: keep' : `after ${duration(seconds * 1000)}, at ${clock(now() + seconds * 1000)}; then the settings of the document or the code are in force again`], ['why', parts.why.value.trim()]);
  const apply = h('button', { type: 'button', class: 'main', id: 'apply', onclick: () => send(entry, seconds) }, 'Apply');
  parts.confirm.replaceChildren(
    h('p', { class: 'preview', id: 'preview-text' }, seen.requests > 0 ? seen.text : 'No requests are recorded.'),
    h('ul', { class: 'unsure' }, (seen.unsure ?? []).map((line) => h('li', {}, 'Unsure: ' + cut(String(line))))),
    h('dl', { class: 'facts' }, facts.map(([label, value]) => h('div', {}, h('dt', {}, label), h('dd', {}, cut(String(value)))))),
    h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: () => step(true) }, 'Back'), apply));
  step(false);
  apply.focus();
}

function step(isEdit) {
  parts.edit.hidden = !isEdit;
  parts.confirm.hidden = isEdit;
  (isEdit ? parts.edit : parts.confirm).lastChild.before(parts.problems, parts.again);
  parts.again.hidden = true;
  complain([]);
}

/** Old -> new of each setting that is changed, and what else bounds it. */
function differences(entry, { settingsThen }) {
  const { settings = {}, control, caps } = shown().detail;
  const changed = parts.fields.filter(({ before, input }) => input.value.trim() !== before);
  const fields = changed.map(({ path, before, input }) => [path, `${before || 'none'} → ${input.value.trim() || 'none'}`]);
  if (parts.dry.checked) fields.push(['enforce', `${settings.enforce ?? 1} → 0`]);
  return [...(parts.rawOpen.open ? [['patch', entry]] : fields), settingsThen && ['all settings then', settingsThen],
    control && ['adaptive', `the limit is ${number(control.limit)} now, between ${number(control.min)} and ${number(control.max)}. The control goes on from here. To keep it: adaptive.max, or adaptive: null.`], caps && ['caps of the code', caps]].filter(Boolean);
}

function inFlight({ limitThen }) {
  const held = state.rows.get(name)?.inFlight;
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
    done(`Applied to ${cut(name, 80)}.`);
  } else {
    const isOld = answer.status === 409;
    byId('apply').disabled = isOld;
    complain(isOld ? ['The limit has changed since you opened this. Nothing was applied.'] : problems(answer));
    parts.again.hidden = !isOld;
    (isOld ? parts.again : byId('apply')).focus();
  }
}

/** Opens the change anew over what is in force now, with all that was written. */
async function again() {
  const old = parts;
  take((await ask('GET', 'api/limit?name=' + encodeURIComponent(name))).json);
  openChange();
  for (const { path, before, input } of old.fields) {
    const field = parts.fields.find((each) => each.path === path);
    if (field && input.value.trim() !== before) field.input.value = input.value;
  }
  for (const each of ['why', 'seconds', 'raw']) parts[each].value = old[each].value;
  for (const each of ['dry', 'keep']) parts[each].checked = old[each].checked;
  parts.seconds.disabled = parts.keep.checked;
  parts.rawOpen.open = old.rawOpen.open;
}

export async function undo() {
  const { detail } = shown();
  const answer = await ask('POST', 'api/undo', { name: detail.name, revision: detail.revision });
  if (answer.status === 200) {
    take(answer.json);
    done(`Undone: ${cut(detail.name, 80)} is back.`);
  } else {
    done(answer.status === 409 ? 'The limit has changed since you looked. Nothing was undone.' : problems(answer).join(' '));
    load();
  }
}

function done(words) {
  tell(words);
  soon('focus', () => (byId('undo')?.hidden === false ? byId('undo') : byId('open-change'))?.focus());
}
