import type { ComponentChildren, VNode } from 'preact';
import type { HomeOverview } from '../service.ts';
import { countWords, numberWords, percentWords, spanWords } from './words.ts';
import { toIso } from '../../../kernel/clock.ts';
import { Rows } from '../../../pages/list/rows.tsx';
import { findLatency, findSuccessRate } from '../../deliveries/index.ts';

/** Four figures that show whether delivery works. */
export function Tiles({ home: { day, takenToday, waiting } }: { home: HomeOverview }): VNode {
  const rate = findSuccessRate(day);
  const latency = findLatency(day, 0.95);
  const ended = day.delivered + day.retried + day.givenUp;
  return (
    <dl class="tiles">
      <Tile name="Delivered today" value={numberWords(takenToday)}>
        since 00:00 UTC
      </Tile>
      <Tile name="Success rate" value={rate === null ? '–' : percentWords(rate)}>
        {rate === null
          ? 'no event has ended in the last 24 hours'
          : `of ${numberWords(ended)} that ended in the last 24 hours`}
      </Tile>
      <Tile name="p95 latency" value={latency === null ? '–' : spanWords(latency)}>
        {`of the ${numberWords(day.delivered + day.retried)} delivered in the last 24 hours, from an event to your receiver’s 2xx`}
      </Tile>
      <Tile name="Waiting" value={countWords(waiting)}>
        <a href="/portal/deliveries?state=pending">still to be delivered</a>
        {waiting.ofFirst === null ? ' now' : ` now, in your first ${waiting.ofFirst} channels`}
      </Tile>
    </dl>
  );
}

interface TileProps {
  name: string;
  value: string;
  children: ComponentChildren;
}

function Tile({ name, value, children }: TileProps): VNode {
  return (
    <div class="card">
      <dt>{name}</dt>
      <dd>
        <b class="number">{value}</b>
        <span>{children}</span>
      </dd>
    </div>
  );
}

type Hour = HomeOverview['hours'][number];

const size = { width: 480, height: 96, gap: 4 };
/** Any count above 0 must be visible, however small its share. */
const leastHeight = 3;

/** From bottom to top. */
const outcomes = [
  { of: 'delivered', style: 'delivered', word: 'delivered' },
  { of: 'retried', style: 'retried', word: 'delivered by a retry' },
  { of: 'givenUp', style: 'given-up', word: 'given up' },
] as const;

/** Outcomes of the events of the last 24 hours: as bars, in words, and as a table. */
export function Hours({ home: { hours, day } }: { home: Pick<HomeOverview, 'hours' | 'day'> }): VNode {
  const words = outcomes.map(({ of, word }) => `${numberWords(day[of])} ${word}`).join(', ');
  const most = Math.max(1, ...hours.map(countEnded));
  return (
    <section aria-labelledby="hours">
      <h2 id="hours">Events of the last 24 hours</h2>
      <figure class="card chart">
        <svg
          viewBox={`0 0 ${size.width} ${size.height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`Of the last 24 hours: ${words}`}
        >
          {hours.map((hour, index) => (
            <Bar hour={hour} x={(index * size.width) / hours.length} slots={hours.length} most={most} />
          ))}
        </svg>
        <div class="axis" aria-hidden="true">
          <span>24 h ago</span>
          <span>now</span>
        </div>
        <figcaption>
          <ul class="legend">
            {outcomes.map(({ of, style, word }) => (
              <li class={style}>
                <b class="number">{numberWords(day[of])}</b> {word}
              </li>
            ))}
          </ul>
        </figcaption>
      </figure>
      <Table hours={hours} />
    </section>
  );
}

function countEnded({ delivered, retried, givenUp }: Hour): number {
  return delivered + retried + givenUp;
}

interface BarProps {
  hour: Hour;
  x: number;
  slots: number;
  most: number;
}

/** An hour without events is a line, so that the axis is visible. */
function Bar({ hour, x, slots, most }: BarProps): VNode {
  const place = { x, width: size.width / slots - size.gap };
  if (countEnded(hour) === 0) return <rect class="none" {...place} y={size.height - 2} height={2} />;
  const room = size.height - leastHeight * outcomes.length;
  let top = size.height;
  return (
    <g>
      <title>{`${hourWords(hour)}: ${outcomes.map(({ of, word }) => `${hour[of]} ${word}`).join(', ')}`}</title>
      {outcomes.map(({ of, style }) => {
        if (hour[of] === 0) return null;
        const height = leastHeight + Math.round((hour[of] / most) * room);
        top -= height;
        return <rect class={style} {...place} y={top} height={height} />;
      })}
    </g>
  );
}

function hourWords({ at }: Hour): string {
  return `${toIso(at).slice(11, 16)} UTC`;
}

function Table({ hours }: { hours: readonly Hour[] }): VNode {
  const busy = hours.filter((hour) => countEnded(hour) > 0).toReversed();
  return (
    <details class="more-fields as-table">
      <summary>The same as a table</summary>
      {busy.length === 0 ? (
        <p>No event has ended in the last 24 hours.</p>
      ) : (
        <Rows
          heads={['Hour', 'Delivered', 'By a retry', 'Given up']}
          rows={busy.map((hour) => [
            <time datetime={toIso(hour.at)}>{hourWords(hour)}</time>,
            ...outcomes.map(({ of }) => <span class="number">{numberWords(hour[of])}</span>),
          ])}
        />
      )}
      <p class="hint">
        An event counts in the hour in which it was delivered or given up at last: one that is replayed no
        longer counts as given up. Figures are at most a minute old; an hour that is not listed had no event.
      </p>
    </details>
  );
}
