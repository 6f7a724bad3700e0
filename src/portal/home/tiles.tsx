import type { ComponentChildren, VNode } from 'preact';
import { findLatency, findSuccessRate } from '../../domain/webhooks/delivery-hour.ts';
import type { HomeOverview } from '../../use-cases/index.ts';
import { countWords, numberWords, percentWords, spanWords } from './words.ts';

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
        {rate === null ? 'no event has ended in 24 h' : `of ${numberWords(ended)} that ended in 24 h`}
      </Tile>
      <Tile name="95 of 100 arrive within" value={latency === null ? '–' : spanWords(latency)}>
        from an event to your receiver’s 2xx, in 24 h
      </Tile>
      <Tile name="Waiting" value={countWords(waiting)}>
        <a href="/portal/deliveries?state=pending">still to be delivered</a>
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
