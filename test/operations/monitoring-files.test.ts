/** Dashboards and alerts use existing metrics, and every alert leads to a page. [operator-interface §5] */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { makeMetrics } from '../../src/app/metrics/index.ts';
import { metricTable } from '../../src/kernel/metrics.ts';
import { samplesOf } from './prometheus.ts';

const root = join(import.meta.dirname, '../..');
const asText = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string }[];
  fieldConfig?: { defaults: { thresholds?: { steps: { color: string }[] } } };
}
interface Dashboard {
  panels: Panel[];
  links: { title: string; url: string }[];
  templating: { list: { name: string }[] };
}
const dashboard: Dashboard = JSON.parse(asText('config/grafana/trunkline.json'));
const graphs = dashboard.panels.filter(({ type }) => type !== 'row');
const drawn = graphs.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string; runbook_url: string };
}
const rules: Rule[] = parse(asText('config/prometheus/alerts.yml')).groups.flatMap(
  ({ rules: all }: { rules: Rule[] }) => all,
);

/** The metrics in an expression: names that are no words of PromQL, no labels and not in quotes. */
function namesIn(expr: string): string[] {
  const bare = expr.replaceAll(/"[^"]*"|\{[^}]*\}|\bby \([^)]*\)|\[[^\]]*\]/g, ' ');
  return [...bare.matchAll(/\b[a-z][a-z0-9]*_[a-z0-9_]+\b/g)]
    .map(([name]) => name)
    .filter((name) => name !== 'histogram_quantile');
}

/** The labels by which an expression selects or groups. */
function labelsIn(expr: string): string[] {
  const selected = [...expr.matchAll(/[{,]\s*(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label);
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/));
  return [...selected, ...grouped];
}

async function scraped(): Promise<Set<string>> {
  const { body } = await makeMetrics().text();
  const typed = [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', kind]) =>
    kind === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  return new Set([...samplesOf(body).map(({ name }) => name), ...typed, 'up']);
}

const ofScrapes = ['job', 'instance', 'le'];
const known = new Set([
  ...ofScrapes,
  ...Object.values(metricTable).flatMap((row): string[] => ('labels' in row ? [...row.labels] : [])),
]);

describe.each([
  ['dashboard', drawn],
  ['alerts', rules.map(({ expr }) => expr)],
])('%s', (_name, expressions) => {
  test('every metric in it exists', async () => {
    const there = await scraped();
    expect(expressions.flatMap(namesIn).length).toBeGreaterThan(10);
    expect(expressions.flatMap(namesIn).filter((name) => !there.has(name))).toEqual([]);
  });

  test('every label in it exists', () => {
    expect(expressions.flatMap(labelsIn).filter((label) => !known.has(label))).toEqual([]);
  });
});

test('a missing one is found', async () => {
  const there = await scraped();
  const wrong = 'sum by (le) (rate(trunkline_sends_lost_total{channel="1"}[5m]))';
  expect(namesIn(wrong).filter((name) => !there.has(name))).toEqual(['trunkline_sends_lost_total']);
  expect(labelsIn(wrong).filter((label) => !known.has(label))).toEqual(['channel']);
});

test('no label of ours is one that Prometheus adds to a target', () => {
  const own = Object.values(metricTable).flatMap((row): string[] => ('labels' in row ? [...row.labels] : []));
  expect(own.filter((label) => ofScrapes.includes(label))).toEqual([]);
});

test('no share of failed requests counts probes of nodes that start or drain', () => {
  const failed = [...drawn, ...rules.map(({ expr }) => expr)].filter((expr) => expr.includes('status=~"5..'));
  expect(failed.length).toBeGreaterThan(2);
  const counted = failed.flatMap((expr) => [...expr.matchAll(/trunkline_http_requests_total\{[^}]*\}/g)]);
  expect(
    counted.map(([selected]) => selected).filter((each) => !each.includes('route!="readiness"')),
  ).toEqual([]);
});

describe('the dashboard', () => {
  test('shows every metric', () => {
    const asked = drawn.join('\n');
    expect(Object.keys(metricTable).filter((name) => !asked.includes(`trunkline_${name}`))).toEqual([]);
  });

  test('starts with panels whose colour shows whether action is needed, and which link to where to act', () => {
    const tiles = dashboard.panels.filter(({ type }) => type === 'stat');
    expect(tiles.map(({ gridPos }) => gridPos.y)).toEqual(tiles.map(() => 1));
    for (const { title, fieldConfig } of tiles)
      expect([title, fieldConfig?.defaults.thresholds?.steps.map(({ color }) => color).toSorted()]).toEqual([
        title,
        ['green', 'orange', 'red'],
      ]);
    expect(tiles.length).toBeGreaterThan(4);
    const variables = dashboard.templating.list.map(({ name }) => `\${${name}}`);
    for (const { url } of dashboard.links) expect(variables).toContain(url.split('/')[0]);
    expect(dashboard.links.map(({ title }) => title)).toEqual(["Operators' console", 'Incidents']);
  });

  test('has unique ids for its panels, which do not overlap', () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const overlaps = dashboard.panels.flatMap((a, at) =>
      dashboard.panels
        .slice(at + 1)
        .filter(({ gridPos: b }) => {
          const { x, y, w, h } = a.gridPos;
          return x < b.x + b.w && b.x < x + w && y < b.y + b.h && b.y < y + h;
        })
        .map((b) => `${a.title} / ${b.title}`),
    );
    expect(overlaps).toEqual([]);
  });
});

describe('the alerts', () => {
  test('each has a unique name, a severity and a sentence', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { labels, annotations } of rules) {
      expect(['page', 'ticket']).toContain(labels.severity);
      expect(annotations.summary).not.toBe('');
    }
  });

  test('each has the same heading in its link', () => {
    const at =
      '{{ with $externalLabels.trunkline_incidents }}{{ . }}{{ else }}docs/operating/incidents.md{{ end }}';
    expect(rules.map(({ annotations }) => annotations.runbook_url)).toEqual(
      rules.map(({ annotations }) => `${at}#${annotations.runbook.split('#')[1]}`),
    );
  });

  test('each links to a heading of a page', () => {
    const lost = rules.filter(({ annotations: { runbook } }) => {
      const [file = '', anchor = ''] = runbook.split('#');
      const headings = [...asText(file).matchAll(/^## (.+)$/gm)].map(([, heading = '']) =>
        heading
          .toLowerCase()
          .replaceAll(/[^a-z0-9 -]/g, '')
          .replaceAll(' ', '-'),
      );
      return !headings.includes(anchor);
    });
    expect(lost.map(({ alert }) => alert)).toEqual([]);
  });
});
