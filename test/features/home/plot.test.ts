/** [portal: How it looks, plots] Axis, grid and values; zero is a line at zero, absence a gap. */
import { expect, test } from '@jest/globals';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { noCounts } from '../../../src/features/deliveries/index.ts';
import { Plot } from '../../../src/features/home/pages/plot.tsx';
import { makeScale } from '../../../src/features/home/pages/scale.ts';
import { hourMs } from '../../../src/kernel/clock.ts';

test.each([
  [0, [1, 0]],
  [1, [1, 0]],
  [3, [3, 2, 1, 0]],
  [4, [4, 3, 2, 1, 0]],
  [5, [6, 4, 2, 0]],
  [34, [40, 30, 20, 10, 0]],
  [41, [60, 40, 20, 0]],
  [999, [1_000, 500, 0]],
  [1_000_000, [1_000_000, 500_000, 0]],
])('the axis up to %i has round values', (most, lines) => {
  expect(makeScale(most)).toEqual({ top: lines[0], lines });
});

const begin = Date.UTC(2026, 10, 22);
const none = { delivered: 0, retried: 0, givenUp: 0 };
const period = (index: number, isKnown: boolean, counts = none) => ({
  at: begin + index * hourMs,
  until: begin + (index + 1) * hourMs,
  isKnown,
  ...counts,
});

test('bars are to scale, zero is a line, and what is unknown is a gap', () => {
  const periods = Array.from({ length: 24 }, (_, index) => period(index, index >= 21));
  periods[22] = period(22, true, { delivered: 3, retried: 0, givenUp: 1 });
  const sum = { ...noCounts(), delivered: 3, givenUp: 1 };
  const html = renderToString(
    h(Plot, { history: { span: '24h', periods, sum, today: begin, takenToday: 4 } }),
  );
  expect(html).toContain(
    'aria-label="Of the last 24 hours: 3 delivered, 0 delivered by a retry, 1 given up"',
  );
  expect(html.match(/<line class="zero"/g)).toHaveLength(3);
  const bars = [...html.matchAll(/<rect class="([^"]+)"[^>]* y="([^"]+)" height="([^"]+)"/g)];
  expect(bars.map(([, ...bar]) => bar)).toEqual([
    ['delivered', '25', '75'],
    ['given-up', '0', '25'],
  ]);
  expect(html).toContain('<title>22:00 to 23:00: 3 delivered, 0 delivered by a retry, 1 given up</title>');
  expect(html.match(/<span>\d<\/span>/g)?.join('')).toBe(
    '<span>4</span><span>3</span><span>2</span><span>1</span><span>0</span>',
  );
  expect([...html.matchAll(/<time[^>]*>([^<]+)/g)].map(([, hour]) => hour)).toEqual([
    '00:00',
    '06:00',
    '12:00',
    '18:00',
  ]);
});
