/** Prometheus's own tool accepts the alerts, the dashboard and the metrics. [operator-interface §5] */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { describeWithProgram } from '../support/programs.ts';
import { World } from '../support/world.ts';

const root = join(import.meta.dirname, '../..');
const alertsFile = join(root, 'config/prometheus/alerts.yml');
const alerts: string[] = parse(readFileSync(alertsFile, 'utf8')).groups.flatMap(
  ({ rules }: { rules: { alert: string }[] }) => rules.map(({ alert }) => alert),
);

/** For each alert, series of half an hour and more, a value per minute, for which it fires: in promtool's notation. */
const fires: Record<string, Record<string, string>> = {
  TrunklineDown: { 'up{job="trunkline",instance="a"}': '0x200' },
  TrunklineStoreUnreachable: { 'trunkline_store_reachable{instance="a"}': '0x200' },
  TrunklineLeaseInvalid: { 'trunkline_lease_valid{instance="a"}': '0x200' },
  TrunklineNodesDisagree: {
    'trunkline_nodes_live{instance="a"}': '2x200',
    'trunkline_nodes_live{instance="b"}': '1x200',
  },
  TrunklineNodesUnlinked: {
    'trunkline_peers_without_link{instance="a"}': '1x200',
    'trunkline_peers_without_link{instance="b"}': '0x200',
  },
  TrunklineFailsRequests: {
    'trunkline_http_requests_total{route="sendText",status="200"}': '0+90x200',
    'trunkline_http_requests_total{route="sendText",status="503"}': '0+10x200',
  },
  TrunklineBug: { 'trunkline_http_requests_total{route="listChannels",status="500"}': '_x115 1x85' },
  TrunklineSendsWait: { 'trunkline_sends_waiting{instance="a"}': '101x200' },
  TrunklineUpstreamFails: {
    'trunkline_upstream_sends_total{outcome="accepted"}': '0+80x200',
    'trunkline_upstream_sends_total{outcome="unknown"}': '0+20x200',
  },
  TrunklineReceiverFails: { 'trunkline_receivers_failing{instance="a"}': '1x200' },
  TrunklineDeliveriesGrow: { 'trunkline_deliveries_pending{instance="a"}': '20000+10x200' },
  TrunklineEventsStuck: { 'trunkline_deliveries_oldest_pending_seconds{instance="a"}': '1801x200' },
  TrunklineEventsLate: {
    'trunkline_delivery_first_attempt_seconds_bucket{le="10"}': '0+90x200',
    'trunkline_delivery_first_attempt_seconds_bucket{le="30"}': '0+100x200',
    'trunkline_delivery_first_attempt_seconds_bucket{le="+Inf"}': '0+100x200',
  },
  TrunklineEventsGivenUp: {
    'trunkline_deliveries_recorded_total{instance="a",outcome="given_up"}': '0+2x200',
  },
  TrunklineNoRoomForWebhooks: {
    'trunkline_delivery_attempts_total{instance="a",result="busy"}': '0+1x200',
  },
  TrunklineAppRefused: { 'trunkline_upstream_app_refused_total{reason="proof"}': '0+1x200' },
  TrunklinePostsRefused: {
    'trunkline_upstream_posts_refused_total{reason="wrong_signature"}': '0+1x200',
  },
  TrunklineChannelsLost: { 'trunkline_channel_problems_total{code="access_removed"}': '0+1x200' },
  TrunklineSendsRefused: {
    'trunkline_upstream_sends_total{outcome="accepted"}': '0+70x200',
    'trunkline_upstream_sends_total{outcome="refused"}': '0+30x200',
  },
  TrunklineAppWebhooksWrong: { 'trunkline_app_webhooks_wrong{instance="a"}': '1x200' },
  TrunklineAppNotChecked: { 'trunkline_app_webhooks_checks_total{outcome="failed"}': '0+1x200' },
  TrunklineFactsUnroutable: {
    'trunkline_upstream_facts_unroutable_total{channel_type="chatapp"}': '0+2x200',
  },
  TrunklineUpstreamChanged: { 'trunkline_upstream_items_malformed_total{instance="a"}': '0x100 1x100' },
  TrunklineQuarantined: { 'trunkline_quarantined_total{kind="files"}': '_x100 1x100' },
  TrunklineFences: { 'trunkline_fences_total{instance="a"}': '0+1x200' },
  TrunklineStoreSlow: {
    'trunkline_store_commit_seconds_bucket{le="0.25"}': '0+1x200',
    'trunkline_store_commit_seconds_bucket{le="1"}': '0+100x200',
    'trunkline_store_commit_seconds_bucket{le="+Inf"}': '0+100x200',
  },
  TrunklineVolumeFull: { 'trunkline_volume_free_bytes{instance="a"}': '1000000000x200' },
  TrunklineConnectionsDropped: {
    'trunkline_connections_dropped_total{instance="a",listener="public",why="idle"}': '0+10x200',
  },
  TrunklineEventLoop: { 'nodejs_eventloop_lag_p99_seconds{job="trunkline",instance="a"}': '0.3x200' },
  TrunklineJobFails: { 'trunkline_job_runs_total{name="sweep",outcome="failed"}': '0+1x200' },
  TrunklineMailsStay: { 'trunkline_mails_total{kind="digest",outcome="refused"}': '0+1x200' },
  TrunklineBillingStuck: { 'trunkline_billing_events_total{outcome="unknown_tier"}': '_x100 1x100' },
};

/** A busy node without a problem. */
const well: Record<string, string> = {
  'trunkline_app_webhooks_wrong{instance="a"}': '0x200',
  'trunkline_app_webhooks_checks_total{outcome="failed"}': '1x200',
  'trunkline_upstream_posts_refused_total{reason="unsigned"}': '0+1x200',
  'up{job="trunkline",instance="a"}': '1x200',
  'trunkline_store_reachable{instance="a"}': '1x200',
  'trunkline_lease_valid{instance="a"}': '1x200',
  'trunkline_nodes_live{instance="a"}': '2x200',
  'trunkline_nodes_live{instance="b"}': '2x200',
  'trunkline_peers_without_link{instance="a"}': '0x200',
  // A balancer asks a node that drains.
  'trunkline_http_requests_total{route="readiness",status="503"}': '0+600x200',
  'trunkline_http_requests_total{route="sendText",status="200"}': '0+6000x200',
  'trunkline_http_requests_total{route="sendText",status="503"}': '0+60x200',
  'trunkline_http_requests_total{route="sendText",status="500"}': '1x200',
  'trunkline_sends_waiting{instance="a"}': '20x200',
  'trunkline_upstream_sends_total{outcome="accepted"}': '0+6000x200',
  'trunkline_upstream_sends_total{outcome="unknown"}': '0+60x200',
  'trunkline_receivers_failing{instance="a"}': '0x200',
  'trunkline_deliveries_pending{instance="a"}': '20000-10x200',
  'trunkline_deliveries_oldest_pending_seconds{instance="a"}': '1200x200',
  'trunkline_deliveries_oldest_pending_seconds{instance="b"}': '1200x200',
  'trunkline_delivery_first_attempt_seconds_bucket{le="10"}': '0+100x200',
  'trunkline_delivery_first_attempt_seconds_bucket{le="+Inf"}': '0+100x200',
  'trunkline_deliveries_recorded_total{instance="a",outcome="given_up"}': '0+1x200',
  'trunkline_delivery_attempts_total{instance="a",result="busy"}': '0x200',
  'trunkline_upstream_facts_unroutable_total{channel_type="chatapp"}': '0+1x200',
  'trunkline_upstream_items_malformed_total{instance="a"}': '3x200',
  'trunkline_quarantined_total{kind="files"}': '2x200',
  'trunkline_fences_total{instance="a"}': '7x200',
  'trunkline_store_commit_seconds_bucket{le="0.25"}': '0+100x200',
  'trunkline_store_commit_seconds_bucket{le="+Inf"}': '0+100x200',
  'trunkline_volume_free_bytes{instance="a"}': '50000000000x200',
  'trunkline_volume_free_bytes{instance="b"}': '0x200',
  'trunkline_connections_dropped_total{instance="a",listener="public",why="idle"}': '40x200',
  'nodejs_eventloop_lag_p99_seconds{job="trunkline",instance="a"}': '0.02x200',
  'trunkline_job_runs_total{name="sweep",outcome="failed"}': '3x200',
  'trunkline_mails_total{kind="digest",outcome="refused"}': '5x200',
  'trunkline_billing_events_total{outcome="unknown_tier"}': '2x200',
};

describeWithProgram('promtool', 'promtool', (promtool) => {
  let place: string;
  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), 'trunkline-promtool-'));
  });
  afterAll(() => rmSync(place, { recursive: true }));

  /** Its output; throws with the output if it fails. */
  function ask(args: readonly string[], input = ''): string {
    try {
      return execFileSync(promtool, args, { encoding: 'utf8', input, stdio: 'pipe' });
    } catch (error) {
      const { stdout, stderr } = Object(error);
      throw new Error(`${stdout}${stderr}`, { cause: error });
    }
  }

  function askWith(args: readonly string[], name: string, content: unknown): string {
    const file = join(place, name);
    writeFileSync(file, stringify(content));
    return ask([...args, file]);
  }

  /** Two hours after the start exactly these alerts fire. */
  const scenario = (series: Record<string, string>, firing: readonly string[]) => ({
    rule_files: [alertsFile],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: [
          {
            expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
            eval_time: '120m',
            exp_samples: firing.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
          },
        ],
      },
    ],
  });

  test('accepts the alerts', () => {
    expect(ask(['check', 'rules', alertsFile])).toContain(`${alerts.length} rules found`);
  });

  test('every alert has a case here', () => {
    expect(Object.keys(fires).toSorted()).toEqual(alerts.toSorted());
  });

  test.each([
    [
      'TrunklineBug',
      { 'trunkline_http_requests_total{route="listChannels",status="500"}': '_x10 1x105 2x85' },
    ],
    ['TrunklineQuarantined', { 'trunkline_quarantined_total{kind="files"}': '_x10 1x90 2x100' }],
    ['TrunklineAppRefused', { 'trunkline_upstream_app_refused_total{reason="app"}': '_x115 1x85' }],
    ['TrunklineBillingStuck', { 'trunkline_billing_events_total{outcome="unreadable"}': '_x10 1x90 2x100' }],
  ])('%s fires for the second case too', (alert, series) => {
    expect(askWith(['test', 'rules'], `${alert}-2.yml`, scenario(series, [alert]))).toContain('SUCCESS');
  });

  test.each([
    [undefined, 'docs/operating/incidents.md#a-node-is-down'],
    ['https://host.example/incidents', 'https://host.example/incidents#a-node-is-down'],
  ])('an alert links to the page at the external label %s', (label, url) => {
    const labels = { job: 'trunkline', instance: 'a' };
    const alert = {
      eval_time: '120m',
      alertname: 'TrunklineDown',
      exp_alerts: [
        {
          exp_labels: { ...labels, severity: 'page' },
          exp_annotations: {
            summary: 'a can not be scraped',
            runbook: 'docs/operating/incidents.md#a-node-is-down',
            runbook_url: url,
          },
        },
      ],
    };
    const input_series = [{ series: 'up{job="trunkline",instance="a"}', values: '0x200' }];
    const external_labels = label === undefined ? {} : { trunkline_incidents: label };
    const asked = {
      rule_files: [alertsFile],
      evaluation_interval: '1m',
      tests: [{ interval: '1m', input_series, external_labels, alert_rule_test: [alert] }],
    };
    expect(askWith(['test', 'rules'], 'links.yml', asked)).toContain('SUCCESS');
  });

  test.each(Object.entries(fires))('%s fires, and no other', (alert, series) => {
    expect(askWith(['test', 'rules'], `${alert}.yml`, scenario(series, [alert]))).toContain('SUCCESS');
  });

  test('none fires while everything works', () => {
    expect(askWith(['test', 'rules'], 'well.yml', scenario(well, []))).toContain('SUCCESS');
  });

  test('parses every query of the dashboard', () => {
    const { panels } = JSON.parse(readFileSync(join(root, 'config/grafana/trunkline.json'), 'utf8'));
    const queries: string[] = panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
      targets.map(({ expr }) => expr),
    );
    const rules = queries.map((expr, index) => ({
      record: `query:${index}`,
      expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$job', 'trunkline'),
    }));
    const said = askWith(['check', 'rules'], 'queries.yml', { groups: [{ name: 'queries', rules }] });
    expect(said).toContain(`${queries.length} rules found`);
  });

  test("reports no problem with a busy node's metrics, except for three that Node itself names", async () => {
    const world = await World.open();
    const channel = await world.connected('chatapp');
    await world.send(channel, 'hello');
    await world.inbox.event('message.delivered');
    const text = await (await fetch(`${world.service.url}/metrics`)).text();
    await world.close();
    const ofNode = /^(?:# (?:HELP|TYPE) )?nodejs_active_(?:handles|requests|resources)_total\b.*\n/gm;
    expect(ask(['check', 'metrics'], text.replaceAll(ofNode, ''))).toBe('');
  });
});
