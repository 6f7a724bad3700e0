import { metricTable } from '../../kernel/metrics.ts';
import type { Counters, Figures, Observers } from '../../kernel/metrics.ts';
import { CounterMetric, GaugeMetric, HistogramMetric } from './series.ts';

export interface Metrics extends Counters, Observers {
  /** Adds gauges, which are read at every scrape. */
  gauges(read: () => Figures): void;
  text(): Promise<{ contentType: string; body: string }>;
}

/** All metrics of the table exist from the first scrape on: an alert on an event that has never happened needs its metric. */
export function makeMetrics(): Metrics {
  const counters = new Map<string, CounterMetric>();
  const gauges = new Map<string, GaugeMetric>();
  const histograms = new Map<string, HistogramMetric>();
  for (const [name, row] of Object.entries(metricTable)) {
    const { kind, help } = row;
    const labels = 'labels' in row ? row.labels : [];
    if (kind === 'counter') counters.set(name, new CounterMetric(name, kind, help, labels));
    else if (kind === 'gauge') gauges.set(name, new GaugeMetric(name, kind, help, labels));
    else {
      const bounds = 'bounds' in row ? row.bounds : undefined;
      histograms.set(name, new HistogramMetric(name, help, labels, bounds));
    }
  }
  const figures: (() => Figures)[] = [];
  let ofProcess: Promise<Registry> | null = null;
  return {
    increment: (name, labels, times = 1) => counters.get(name)?.add(labels, times),
    observe: (name, seconds, labels) => histograms.get(name)?.observe(labels, seconds),
    gauges: (read) => void figures.push(read),
    async text() {
      const registry = await (ofProcess ??= processMetrics());
      // A gauge without a reader's value is 0: the figures of the last channel vanish with it.
      for (const gauge of gauges.values()) gauge.set(0);
      for (const read of figures)
        for (const [name, value] of Object.entries(read())) gauges.get(name)?.set(value);
      const own = [...counters.values(), ...gauges.values(), ...histograms.values()];
      const body = `${own.map((metric) => metric.text()).join('\n')}\n${await registry.metrics()}`;
      return { contentType: registry.contentType, body };
    },
  };
}

type Registry = Awaited<ReturnType<typeof processMetrics>>;

/**
 * Memory, event loop, garbage collection. These metrics sample the event loop, and their library is large, so both start at the first
 * scrape.
 */
async function processMetrics() {
  const { Registry, collectDefaultMetrics } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
