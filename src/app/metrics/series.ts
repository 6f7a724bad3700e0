/** The values of one metric by their labels, as Prometheus text. */
import type { Labels } from '../../kernel/metrics.ts';

/**
 * Series beyond this number are counted together, but by their second label while it has few values, so that a status is not lost.
 * [faults: I11]
 */
const maxSeries = 400;
const maxTogether = 50;
/** Accepted label values. Any other value could be text that somebody wrote. */
const word = /^[\w.:/{}-]{0,80}$/;
const other = 'other';

const secondsBuckets: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

interface Series<V> {
  labels: readonly string[];
  value: V;
}

/** Finding a value takes one look-up in a map, because a send does it ten times. [performance §2] */
abstract class Metric<V> {
  readonly name: string;
  readonly #help: string;
  readonly #kind: string;
  readonly #labelNames: readonly string[];
  readonly #series = new Map<string, Series<V>>();

  constructor(name: string, kind: string, help: string, labelNames: readonly string[]) {
    this.name = `trunkline_${name}`;
    this.#kind = kind;
    this.#help = help;
    this.#labelNames = labelNames;
    if (labelNames.length === 0) this.#add('', []);
  }

  protected abstract zero(): V;
  protected abstract linesOf(labels: string, value: V): string[];

  protected find(labels: Labels | undefined): Series<V> {
    const [first, second] = this.#labelNames;
    const one = first === undefined ? '' : (labels?.[first] ?? '');
    const key = second === undefined ? one : `${one} ${labels?.[second] ?? ''}`;
    return this.#series.get(key) ?? this.#newSeries(key, labels);
  }

  #newSeries(key: string, labels: Labels | undefined): Series<V> {
    const values = this.#labelNames.map((name) => wordFor(labels?.[name] ?? ''));
    if (this.#series.size < maxSeries && values.join(' ') === key) return this.#add(key, values);
    const together = [other, ...values.slice(1)];
    const known = this.#series.get(together.join(' '));
    if (known !== undefined) return known;
    if (this.#series.size < maxSeries + maxTogether) return this.#add(together.join(' '), together);
    const others = this.#labelNames.map(() => other);
    return this.#series.get(others.join(' ')) ?? this.#add(others.join(' '), others);
  }

  #add(key: string, labels: readonly string[]): Series<V> {
    const series = { labels, value: this.zero() };
    this.#series.set(key, series);
    return series;
  }

  text(): string {
    const lines = [...this.#series.values()].flatMap(({ labels, value }) =>
      this.linesOf(this.#labelNames.map((name, at) => `${name}="${labels[at] ?? ''}"`).join(','), value),
    );
    return [`# HELP ${this.name} ${this.#help}`, `# TYPE ${this.name} ${this.#kind}`, ...lines].join('\n');
  }
}

export class CounterMetric extends Metric<{ count: number }> {
  add(labels: Labels | undefined, times: number): void {
    this.find(labels).value.count += times;
  }

  protected zero() {
    return { count: 0 };
  }

  protected linesOf(labels: string, { count }: { count: number }): string[] {
    return [`${this.name}${braced(labels)} ${count}`];
  }
}

export class GaugeMetric extends Metric<{ now: number }> {
  set(value: number): void {
    this.find(undefined).value.now = value;
  }

  protected zero() {
    return { now: 0 };
  }

  protected linesOf(labels: string, { now }: { now: number }): string[] {
    return [`${this.name}${braced(labels)} ${now}`];
  }
}

interface Distribution {
  buckets: number[];
  sum: number;
  count: number;
}

export class HistogramMetric extends Metric<Distribution> {
  readonly #bounds: readonly number[];

  constructor(name: string, help: string, labelNames: readonly string[], bounds = secondsBuckets) {
    super(name, 'histogram', help, labelNames);
    this.#bounds = bounds;
  }

  observe(labels: Labels | undefined, seconds: number): void {
    const { value } = this.find(labels);
    value.sum += seconds;
    value.count += 1;
    const at = this.#bounds.findIndex((bound) => seconds <= bound);
    if (at >= 0) value.buckets[at] = (value.buckets[at] ?? 0) + 1;
  }

  protected zero(): Distribution {
    return { buckets: [], sum: 0, count: 0 };
  }

  protected linesOf(labels: string, { buckets, sum, count }: Distribution): string[] {
    let below = 0;
    const lead = labels === '' ? '' : `${labels},`;
    const lines = this.#bounds.map((bound, at) => {
      below += buckets[at] ?? 0;
      return `${this.name}_bucket{${lead}le="${bound}"} ${below}`;
    });
    return [
      ...lines,
      `${this.name}_bucket{${lead}le="+Inf"} ${count}`,
      `${this.name}_sum${braced(labels)} ${sum}`,
      `${this.name}_count${braced(labels)} ${count}`,
    ];
  }
}

function wordFor(value: string): string {
  return word.test(value) ? value : other;
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`;
}
