import type { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { Counters } from '../use-cases/bind-use-cases.ts';

export interface Metrics extends Counters {
  /** One value of a distribution, in the unit its name ends with. */
  observe(name: string, value: number): void;
  /** A gauge read when it is scraped. */
  gauge(name: string, help: string, read: () => number): void;
  text(): Promise<{ contentType: string; body: string }>;
}

const buckets = [0.25, 0.5, 1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000];

/** Prometheus counters by name, made at their first use. Labels are ids of ours and words, never anything a client wrote. */
export function makeMetrics(prom: typeof import('prom-client')): Metrics {
  const registry: Registry = new prom.Registry();
  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();
  const collect: typeof collectDefaultMetrics = prom.collectDefaultMetrics;
  let collecting = false;
  return {
    increment(name, labels = {}, times = 1) {
      const key = `${name}/${Object.keys(labels).join(',')}`;
      let counter = counters.get(key);
      if (counter === undefined) {
        const labelNames = Object.keys(labels);
        counter = new prom.Counter({
          name: `trunkline_${name}`,
          help: name,
          labelNames,
          registers: [registry],
        });
        counters.set(key, counter);
      }
      counter.inc(labels, times);
    },
    observe(name, value) {
      let histogram = histograms.get(name);
      if (histogram === undefined) {
        histogram = new prom.Histogram({
          name: `trunkline_${name}`,
          help: name,
          buckets,
          registers: [registry],
        });
        histograms.set(name, histogram);
      }
      histogram.observe(value);
    },
    gauge(name, help, read) {
      const gauge: Gauge = new prom.Gauge({
        name: `trunkline_${name}`,
        help,
        registers: [registry],
        collect(): void {
          gauge.set(read());
        },
      });
    },
    async text() {
      // The default metrics sample the event loop: nobody pays for them before the first scrape.
      if (!collecting) collect({ register: registry });
      collecting = true;
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}
