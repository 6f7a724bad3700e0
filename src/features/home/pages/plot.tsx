/** [portal: How it looks, plots] Outcomes over a span as stacked bars: an SVG of the server, with the labels of its axes as text around it. */
import { useContext } from 'preact/hooks';
import type { VNode } from 'preact';
import { homeSpans } from '../history.ts';
import type { History, Period } from '../history.ts';
import { hourMs, toIso } from '../../../kernel/clock.ts';
import { ReaderZone } from '../../../pages/time.tsx';
import type { Zone } from '../../../pages/zone.ts';
import { numberWords } from '../../../pages/numbers.ts';
import { makeScale } from './scale.ts';
import type { Scale } from './scale.ts';

/** Units of the drawing, which is stretched to the room that it has. */
const height = 100;
const slot = 10;
const gap = 2;
/** Any count above 0 is visible, however small its share. */
const leastHeight = 2.5;

/** From bottom to top. */
export const outcomes = [
  { of: 'delivered', style: 'delivered', word: 'delivered' },
  { of: 'retried', style: 'retried', word: 'delivered by a retry' },
  { of: 'givenUp', style: 'given-up', word: 'given up' },
] as const;

export function countEnded({ delivered, retried, givenUp }: Period): number {
  return delivered + retried + givenUp;
}

/** "14:00 to 15:00", "22 Nov, 06:00 to 12:00", "22 Nov (UTC)". */
export function periodWords({ at, until }: Period, zone: Zone): string {
  const length = until - at;
  if (length > 6 * hourMs) return `${utcDay(at)} (UTC)`;
  const hours = `${zone.hour(at)} to ${zone.hour(until)}`;
  return length > hourMs ? `${zone.day(at)}, ${hours}` : hours;
}

const utcDay = (at: number): string =>
  new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

export function Plot({ history }: { history: History }): VNode {
  const { periods, span, sum } = history;
  const scale = makeScale(Math.max(0, ...periods.map(countEnded)));
  const words = outcomes.map(({ of, word }) => `${numberWords(sum[of])} ${word}`).join(', ');
  const width = periods.length * slot;
  return (
    <div class="plot">
      <div class="y-axis number" aria-hidden="true">
        {scale.lines.map((value) => (
          <span>{numberWords(value)}</span>
        ))}
      </div>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Of the last ${homeSpans[span].words}: ${words}`}
      >
        <Grid scale={scale} width={width} />
        {periods.map((period, index) => (
          <Bar period={period} x={index * slot} top={scale.top} />
        ))}
      </svg>
      <TimeAxis history={history} />
    </div>
  );
}

/** Without the line at zero, which each period draws of its own. */
function Grid({ scale, width }: { scale: Scale; width: number }): VNode {
  return (
    <g class="grid">
      {scale.lines.slice(0, -1).map((value) => {
        const y = height - (value / scale.top) * height;
        return <line x1={0} x2={width} y1={y} y2={y} />;
      })}
    </g>
  );
}

interface BarProps {
  period: Period;
  x: number;
  top: number;
}

/** Zero is a line at zero; a period of which nothing is known is a gap. */
function Bar({ period, x, top }: BarProps): VNode | null {
  const zone = useContext(ReaderZone);
  if (!period.isKnown) return null;
  const counts = outcomes.map(({ of, word }) => `${numberWords(period[of])} ${word}`).join(', ');
  let y = height;
  return (
    <g>
      <title>{`${periodWords(period, zone)}: ${counts}`}</title>
      <line class="zero" x1={x} x2={x + slot} y1={height} y2={height} />
      {outcomes.map(({ of, style }) => {
        if (period[of] === 0) return null;
        const tall = Math.min(y, Math.max(leastHeight, (period[of] / top) * height));
        y -= tall;
        return <rect class={style} x={x + gap / 2} width={slot - gap} y={round(y)} height={round(tall)} />;
      })}
    </g>
  );
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** Labels of the time axis: each stands where its part of the span begins. */
const parts = { '24h': 4, '7d': 7, '30d': 6 } as const;

function TimeAxis({ history: { periods, span } }: { history: History }): VNode {
  const zone = useContext(ReaderZone);
  const each = periods.length / parts[span];
  return (
    <div class="x-axis" aria-hidden="true">
      {periods
        .filter((_, index) => index % each === 0)
        .map(({ at }) => (
          <time datetime={toIso(at)}>
            {span === '24h' ? zone.hour(at) : span === '7d' ? zone.day(at) : utcDay(at)}
          </time>
        ))}
    </div>
  );
}
