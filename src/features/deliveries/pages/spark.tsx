import type { VNode } from 'preact';
import { numberWords } from '../../../pages/numbers.ts';
import { mostCounted, partMs } from '../channel-hours.ts';
import type { ChannelHours } from '../channel-hours.ts';

/** Units of the drawing, which is stretched to its room. */
const height = 10;
/** Any count above 0 is visible. */
const least = 1;

interface SparkProps {
  hours: ChannelHours;
  /** When there was something to count, at the earliest (ms): before it nothing is drawn. */
  from: number;
}

/** The last 24 hours of a channel, a bar for each two, as tall as its highest allows: how it goes, not how much it is. */
export function Spark({ hours: { since, counts }, from }: SparkProps): VNode {
  const most = Math.max(1, ...counts);
  const first = Math.min(counts.length - 1, Math.max(0, Math.floor((from - since) / partMs)));
  const bars = counts.flatMap((count, part) =>
    count === 0 ? [] : `M${part}.5 ${height}v-${Math.max(least, round((count / most) * height))}`,
  );
  return (
    <svg class="spark" viewBox={`0 0 ${counts.length} ${height}`} preserveAspectRatio="none" role="img">
      <title>{wordsOf(counts)}</title>
      <path class="zero" d={`M${first} ${height}H${counts.length}`} />
      {bars.length === 0 ? null : <path d={bars.join('')} />}
    </svg>
  );
}

function wordsOf(counts: readonly number[]): string {
  const sum = numberWords(counts.reduce((all, each) => all + each, 0));
  return `24 hours: ${counts.includes(mostCounted) ? 'more than ' : ''}${sum} events`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
