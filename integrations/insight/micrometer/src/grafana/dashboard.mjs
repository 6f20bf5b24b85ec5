// Writes the dashboard of limits for Grafana, by the builders of Grafana itself:
//   npm ci && npm run build        writes ../main/resources/weir-limiters.json and the file digest
//   node dashboard.mjs FILE        writes another file
// The digest tells, where there is no npm, whether the dashboard is that of this script.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import common from '@grafana/grafana-foundation-sdk/common';
import dashboards from '@grafana/grafana-foundation-sdk/dashboard';
import prometheus from '@grafana/grafana-foundation-sdk/prometheus';
import timeseries from '@grafana/grafana-foundation-sdk/timeseries';

const DS = { type: 'prometheus', uid: '${DS}' };
const INSTANCES = 'job=~"$job", instance=~"$instance"';
const OF_NAME = `{${INSTANCES}, name=~"$name"}`;
const OF_SOURCE = `{${INSTANCES}, source=~"$source"}`;
const where = more => `{${INSTANCES}, name=~"$name", ${more}}`;
const rate = series => `rate(${series}[$__rate_interval])`;
const by = (labels, how, series) => `${how} by (${labels}) (${series})`;

// Admitted is solid, refused is dashed: color is never alone.
const SOLID = { fill: 'solid' };
const DASHED = { fill: 'dash', dash: [6, 4] };

// Three panels in a row of 24 columns, or two.
const HEIGHT = 8;
let panels = 0;
let x = 0;
let y = 0;

function panel(title, width, unit, description, queries, draw = p => p) {
  if (x + width > 24) {
    x = 0;
    y += HEIGHT;
  }
  const built = new timeseries.PanelBuilder()
    .id(++panels)
    .title(title)
    .description(description)
    .unit(unit)
    .axisSoftMin(0)
    .datasource(DS)
    .gridPos({ x, y, w: width, h: HEIGHT })
    .lineWidth(1)
    .fillOpacity(0)
    .spanNulls(false)
    .showPoints(common.VisibilityMode.Never)
    .tooltip(new common.VizTooltipOptionsBuilder().mode(common.TooltipDisplayMode.Multi).sort(common.SortOrder.Descending))
    .legend(
      new common.VizLegendOptionsBuilder()
        .displayMode(common.LegendDisplayMode.List)
        .placement(common.LegendPlacement.Bottom)
        .showLegend(true),
    );
  x += width;
  queries.forEach(([expr, legend, line = SOLID], i) => {
    const refId = String.fromCharCode(65 + i);
    built.withTarget(new prometheus.DataqueryBuilder().refId(refId).datasource(DS).expr(expr).legendFormat(legend).range());
    if (line !== SOLID) {
      built.overrideByQuery(refId, [{ id: 'custom.lineStyle', value: line }]);
    }
  });
  dashboard.withPanel(draw(built));
}

function row(title) {
  y += x > 0 ? HEIGHT : 0;
  dashboard.withRow(new dashboards.RowBuilder(title).id(++panels).gridPos({ x: 0, y, w: 24, h: 1 }));
  x = 0;
  y += 1;
}

const stepped = p => p.lineInterpolation(common.LineInterpolation.StepAfter);

function variable(name, label, query) {
  return new dashboards.QueryVariableBuilder(name)
    .label(label)
    .datasource(DS)
    .query({ query, refId: name })
    .definition(query)
    .multi(true)
    .includeAll(true)
    .allValue('.*')
    .current({ selected: true, text: ['All'], value: ['$__all'] })
    .refresh(dashboards.VariableRefresh.OnTimeRangeChanged)
    .sort(dashboards.VariableSort.AlphabeticalAsc);
}

const dashboard = new dashboards.DashboardBuilder('Weir: limiters')
  .uid('weir-limiters')
  .description('Limits of Weir: their use, decisions, queues, work, controls, stores and configuration')
  .tags(['weir'])
  .timezone('browser')
  .refresh('30s')
  .time({ from: 'now-1h', to: 'now' })
  .tooltip(dashboards.DashboardCursorSync.Crosshair)
  .editable()
  .withVariable(new dashboards.DatasourceVariableBuilder('DS').label('Data source').type('prometheus'))
  .withVariable(variable('job', 'Job', 'label_values(weir_acquire_requests_total, job)'))
  .withVariable(variable('instance', 'Instance', 'label_values(weir_acquire_requests_total{job=~"$job"}, instance)'))
  .withVariable(variable('name', 'Limiter', `label_values(weir_acquire_requests_total{${INSTANCES}}, name)`))
  .withVariable(variable('source', 'Source of limits', `label_values(weir_config_version{${INSTANCES}}, source)`))
  .annotation(
    new dashboards.AnnotationQueryBuilder()
      .name('Changes by hand or document')
      .datasource(DS)
      .enable(true)
      .iconColor('orange')
      .expr(`sum by (name) (increase(weir_limit_changes_total${where('why="reconfigured"')}[$__rate_interval])) > 0`),
  );

row('Limit and decisions');
panel('Limit and permits in flight', 12, 'none', 'Is it tight? The bounds are those of an adaptive control. A rate has nothing in flight.', [
  [by('name', 'sum', `weir_limit_permits${OF_NAME}`), '{{name}} limit', DASHED],
  [by('name', 'sum', `weir_inflight_permits${OF_NAME}`), '{{name}} in flight'],
  [by('name', 'sum', `weir_adaptive_limit_min_permits${OF_NAME}`), '{{name}} minimum', { fill: 'dot', dash: [1, 6] }],
  [by('name', 'sum', `weir_adaptive_limit_max_permits${OF_NAME}`), '{{name}} maximum', { fill: 'dot', dash: [1, 6] }],
], stepped);
panel('Decisions by reason', 12, 'reqps', 'Who is refused, and why? A request of several names jointly is counted by those that were asked. "Let through" are requests over a limit that is not fully enforced: it would have refused them.', [
  [by('name', 'sum', rate(`weir_acquire_requests_total${where('outcome="permitted"')}`)), '{{name}} permitted'],
  [by('name, reason', 'sum', rate(`weir_acquire_requests_total${where('outcome="rejected"')}`)), '{{name}} {{reason}}', DASHED],
  [by('name', 'sum', rate(`weir_passed_requests_total${OF_NAME}`)), '{{name}} let through', { fill: 'dot', dash: [1, 6] }],
]);
panel('Refused share', 8, 'percentunit', 'Of all requests, for whatever reason.', [
  [`${by('name', 'sum', rate(`weir_acquire_requests_total${where('outcome="rejected"')}`))} / ${by('name', 'sum', rate(`weir_acquire_requests_total${OF_NAME}`))}`, '{{name}}', DASHED],
]);
panel('Left of a rate', 8, 'none', 'Permits that a rate would grant now, without waiting. A limit by key has none: each key has its own.', [
  [by('name', 'sum', `weir_remaining_permits${OF_NAME}`), '{{name}}'],
]);
panel('Keys', 8, 'none', 'Keys in the tables of limits by key, and requests a second without a key. Who the heavy keys are is in limiter.status().hotKeys(): no key is a label.', [
  [by('name', 'sum', `weir_keys${OF_NAME}`), '{{name}}'],
  [by('name', 'sum', rate(`weir_acquire_requests_total${where('reason="key_missing"')}`)), '{{name}} without key', DASHED],
]);

row('Queue');
panel('Waiting requests', 8, 'none', 'How many requests wait, and for how many permits.', [
  [by('name', 'sum', `weir_queue_length_requests${OF_NAME}`), '{{name}} requests'],
  [by('name', 'sum', `weir_queue_permits${OF_NAME}`), '{{name}} permits', DASHED],
]);
panel('Waits', 8, 's', 'How long do they wait? The 99th percentile is there where a histogram is published.', [
  [`${by('name', 'sum', rate(`weir_wait_seconds_sum${OF_NAME}`))} / ${by('name', 'sum', rate(`weir_wait_seconds_count${OF_NAME}`))}`, '{{name}} mean'],
  [`histogram_quantile(0.99, ${by('name, le', 'sum', rate(`weir_wait_seconds_bucket${OF_NAME}`))})`, '{{name}} p99', DASHED],
  [by('name', 'max', `weir_wait_seconds_max${OF_NAME}`), '{{name}} maximum'],
  [by('name', 'max', `weir_queue_oldest_age_seconds${OF_NAME}`), '{{name}} oldest now'],
  [by('name', 'max', `weir_queue_predicted_wait_seconds${OF_NAME}`), '{{name}} predicted', { fill: 'dot', dash: [1, 6] }],
]);
panel('How waits end', 8, 'reqps', 'Requests that waited or were refused by the queue, each once.', [
  [by('name, how', 'sum', rate(`weir_queue_ended_requests_total${OF_NAME}`)), '{{name}} {{how}}'],
]);

row('Work and held permits');
panel('Time of execution', 8, 's', 'Is the work slower? The percentiles are there where a histogram is published: executions(Timer.Builder::publishPercentileHistogram).', [
  [`${by('name', 'sum', rate(`weir_execution_seconds_sum${OF_NAME}`))} / ${by('name', 'sum', rate(`weir_execution_seconds_count${OF_NAME}`))}`, '{{name}} mean'],
  [`histogram_quantile(0.5, ${by('name, le', 'sum', rate(`weir_execution_sampled_seconds_bucket${OF_NAME}`))})`, '{{name}} p50', { fill: 'dot', dash: [1, 6] }],
  [`histogram_quantile(0.99, ${by('name, le', 'sum', rate(`weir_execution_sampled_seconds_bucket${OF_NAME}`))})`, '{{name}} p99', DASHED],
]);
panel('Ended work by outcome', 8, 'ops', 'Permits that were released.', [
  [by('name, outcome', 'sum', rate(`weir_execution_seconds_count${OF_NAME}`)), '{{name}} {{outcome}}'],
]);
panel('Oldest held permit', 8, 's', 'Is something leaking? Only where track-permits is not 0.', [
  [by('name', 'max', `weir_held_oldest_seconds${OF_NAME}`), '{{name}}'],
]);

row('Changes and adaptive control');
panel('Changes of the limit by who', 6, 'none', 'Who moved it: the controller by its reason, a document or an override as "reconfigured".', [
  [by('name, why', 'sum', `increase(weir_limit_changes_total${OF_NAME}[$__rate_interval])`), '{{name}} {{why}}'],
]);
panel('Overrides in force', 6, 'none', 'Patches by hand.', [[by('name', 'sum', `weir_override${OF_NAME}`), '{{name}}']], stepped);
panel('Enforced share', 6, 'percentunit', 'The share of rejections that is enforced; 0 = a dry run.', [
  [by('name', 'min', `weir_enforced_ratio${OF_NAME}`), '{{name}}'],
], p => stepped(p).max(1));
panel('Suspended for', 6, 's', 'What stands behind the limit has asked for it, such as by a 429. Ends by itself.', [
  [by('name', 'max', `weir_suspended_seconds${OF_NAME}`), '{{name}}'],
]);
panel('Windows of the control', 8, 'none', 'Windows a second that were evaluated, samples that were left out, and what threw.', [
  [by('name', 'sum', rate(`weir_adaptive_updates_windows_total${OF_NAME}`)), '{{name}} windows'],
  [by('name', 'sum', rate(`weir_adaptive_unusable_samples_total${OF_NAME}`)), '{{name}} unusable samples', { fill: 'dot', dash: [1, 6] }],
  [by('name', 'sum', rate(`weir_adaptive_failures_total${OF_NAME}`)), '{{name}} failures', DASHED],
]);
panel('Queue behind the control', 8, 'none', 'In flight, relative to what the throughput needs: over 4 calls queue in the server. Stale = the control has no effect.', [
  [by('name', 'max', `weir_adaptive_queue${OF_NAME}`), '{{name}}'],
  [by('name', 'max', `weir_adaptive_stale${OF_NAME}`), '{{name}} stale', DASHED],
]);
panel('Signals', 8, 'none', 'The last good readings, the sensors that are not well, and readings a second that threw or hung.', [
  [by('name, signal', 'avg', `weir_signal${OF_NAME}`), '{{name}} {{signal}}'],
  [by('name, signal, state', 'sum', `weir_signal_health${where('state!="good"')}`), '{{name}} {{signal}} {{state}}', DASHED],
  [by('name, signal', 'sum', rate(`weir_signal_failures_total${OF_NAME}`)), '{{name}} {{signal}} failures', DASHED],
]);

row('Executors and stores');
panel('Tasks by result', 8, 'ops', 'Tasks of the executors of a name that have ended, those over executors of the application among them.', [
  [by('name, result', 'sum', rate(`weir_executor_tasks_total${OF_NAME}`)), '{{name}} {{result}}'],
]);
panel('Store answers', 8, 'none', '1 while the store answers; degraded: there are so many requests that it is not asked.', [
  [by('name', 'min', `weir_store_up${OF_NAME}`), '{{name}} up'],
  [by('name', 'max', `weir_store_degraded${OF_NAME}`), '{{name}} degraded', DASHED],
], stepped);
panel('Round trips', 8, 's', 'The mean time of commands that were answered.', [
  [`${by('name', 'sum', rate(`weir_store_roundtrip_seconds_sum${OF_NAME}`))} / ${by('name', 'sum', rate(`weir_store_roundtrip_seconds_count${OF_NAME}`))}`, '{{name}} mean'],
]);
panel('Commands without an answer', 12, 'none', 'Commands under way now.', [
  [by('name', 'sum', `weir_store_inflight_commands${OF_NAME}`), '{{name}}'],
]);
panel('Decisions without the store', 12, 'ops', 'Requests that were decided without the store, commands without a good answer, and values that the store replaced.', [
  [by('name', 'sum', rate(`weir_store_local_requests_total${OF_NAME}`)), '{{name}} local', DASHED],
  [by('name, result', 'sum', rate(`weir_store_commands_total${OF_NAME}`)), '{{name}} {{result}}', DASHED],
  [by('name', 'sum', rate(`weir_store_healed_values_total${OF_NAME}`)), '{{name}} healed'],
]);

row('Configuration');
panel('Version in force', 8, 'none', 'The number that the document states as its version, by instance; 0 = it states none, or a text.', [
  [by('source, instance', 'max', `weir_config_version${OF_SOURCE}`), '{{source}} {{instance}}'],
], stepped);
panel('Instances by version', 8, 'none', 'How many instances run each version that is not a number.', [
  [by('source, version', 'count', `weir_config_info${OF_SOURCE}`), '{{source}} {{version}}'],
], stepped);
panel('Age of the version', 8, 's', 'How long ago the version was put in force.', [
  [by('source, instance', 'max', `weir_config_age_seconds${OF_SOURCE}`), '{{source}} {{instance}}'],
]);
panel('Source is read', 12, 'bool', 'Whether the source could be read the last time. While it cannot, what is in force stays.', [
  [by('source, instance', 'min', `weir_config_source_up${OF_SOURCE}`), '{{source}} {{instance}}'],
], p => stepped(p).max(1));
panel('Documents and what is wrong', 12, 'none', 'Documents in the interval, and what is wrong with the one in force.', [
  [by('source, result', 'sum', `increase(weir_config_documents_total${OF_SOURCE}[$__rate_interval])`), '{{source}} {{result}}'],
  [by('source', 'max', `weir_config_problems${OF_SOURCE}`), '{{source}} problems', DASHED],
  [by('source', 'max', `weir_config_orphans_names${OF_SOURCE}`), '{{source}} orphans', DASHED],
  [by('source', 'sum', `increase(weir_config_failures_total${OF_SOURCE}[$__rate_interval])`), '{{source}} failures', DASHED],
]);

const path = relative => fileURLToPath(new URL(relative, import.meta.url));
const json = JSON.stringify(dashboard.build(), null, 2) + '\n';
if (process.argv[2]) {
  writeFileSync(process.argv[2], json);
} else {
  writeFileSync(path('../main/resources/weir-limiters.json'), json);
  const digest = createHash('sha256').update(readFileSync(path('dashboard.mjs'))).update(json).digest('hex');
  writeFileSync(path('digest'), digest + '\n');
}
