/** Parses Prometheus text as a scraper does. */
interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Throws on an invalid line. */
export function samplesOf(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, labels = '', value] =
        /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (-?[\d.e+-]+|\+Inf|[Nn]a[Nn])$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`no sample: ${line}`);
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
      return {
        name,
        labels: Object.fromEntries(pairs.map(([, label = '', said = '']) => [label, said])),
        value: Number(value),
      };
    });
}

/** The sum over every series with this name and these labels. */
export function sumOf(samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number {
  return samples
    .filter((sample) => sample.name === `trunkline_${name}`)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}
