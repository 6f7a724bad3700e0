import type { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import type { Counters } from '../use-cases/make.ts';

export interface Metrics extends Counters {
  /** A gauge read when it is scraped. */
  gauge(name: string, help: string, read: () => number): void;
  text(): Promise<{ contentType: string; body: string }>;
}

/** Prometheus counters by name, made at their first use. Labels are ids of ours and words, never anything a client wrote. */
export function makeMetrics(prom: typeof import('prom-client')): Metrics {
  const registry: Registry = new prom.Registry();
  const counters = new Map<string, Counter>();
  const collect: typeof collectDefaultMetrics = prom.collectDefaultMetrics;
  let collecting = false;
  return {
    increment(name, labels = {}) {
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
      counter.inc(labels);
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
