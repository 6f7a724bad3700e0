import { useContext } from 'preact/hooks';
import type { ComponentChildren, VNode } from 'preact';
import { homeSpans, isHomeSpan } from '../history.ts';
import type { History, HomeSpan } from '../history.ts';
import type { HomeOverview } from '../service.ts';
import { numberWords, percentWords } from '../../../pages/numbers.ts';
import { countWords, spanWords } from './words.ts';
import { countEnded, outcomes, periodWords, Plot } from './plot.tsx';
import { toIso } from '../../../kernel/clock.ts';
import { Tabs } from '../../../pages/components.tsx';
import { Rows } from '../../../pages/list/rows.tsx';
import { ReaderZone } from '../../../pages/time.tsx';
import { findLatency, findSuccessRate } from '../../deliveries/index.ts';

const homePath = '/portal';

export function spanIn(query: URLSearchParams): HomeSpan {
  const asked = query.get('span') ?? '';
  return isHomeSpan(asked) ? asked : '24h';
}

function spanPath(span: HomeSpan): string {
  return span === '24h' ? homePath : `${homePath}?span=${span}`;
}

/** The spans that the figures and the plot can be of, each with an address of its own. */
export function Spans({ at }: { at: HomeSpan }): VNode {
  const tabs = Object.entries(homeSpans).flatMap(([name, { short }]) =>
    isHomeSpan(name) ? [{ path: spanPath(name), name: short }] : [],
  );
  return <Tabs label="Span of the figures" tabs={tabs} at={spanPath(at)} />;
}

/** Four figures that show whether delivery works, each with its span. */
export function Tiles({ home: { history, waiting } }: { home: HomeOverview }): VNode {
  const zone = useContext(ReaderZone);
  const { sum, takenToday, today, span } = history;
  const rate = findSuccessRate(sum);
  const latency = findLatency(sum);
  const lately = `in the last ${homeSpans[span].words}`;
  const taken = sum.delivered + sum.retried;
  return (
    <dl class="tiles">
      <Tile name="Delivered today" value={numberWords(takenToday)}>
        since {zone.hour(today)}
      </Tile>
      <Tile name="Success rate" value={rate === null ? '–' : percentWords(rate)}>
        {rate === null
          ? `no event has ended ${lately}`
          : `of ${numberWords(taken + sum.givenUp)} that ended ${lately}`}
      </Tile>
      <Tile name="p95 latency" value={latency === null ? '–' : spanWords(latency)}>
        {`of the ${numberWords(taken)} delivered ${lately}, from an event to your receiver’s 2xx`}
      </Tile>
      <Tile name="Waiting" value={countWords(waiting)}>
        <a href="/portal/deliveries?state=pending">still to be delivered</a> now
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

/** Outcomes of the events of the span: as a plot, in words, and as a table. */
export function Outcomes({ history }: { history: History }): VNode {
  const { sum, span } = history;
  return (
    <section aria-labelledby="outcomes">
      <h2 id="outcomes">Events of the last {homeSpans[span].words}</h2>
      <figure class="card chart">
        <Plot history={history} />
        <figcaption>
          <ul class="legend">
            {outcomes.map(({ of, style, word }) => (
              <li class={style}>
                <b class="number">{numberWords(sum[of])}</b> {word}
              </li>
            ))}
          </ul>
        </figcaption>
      </figure>
      <Table history={history} />
    </section>
  );
}

const heads = { '24h': 'Hour', '7d': 'Hours', '30d': 'Day' } as const;

function Table({ history: { periods, span } }: { history: History }): VNode {
  const zone = useContext(ReaderZone);
  const busy = periods.filter((period) => countEnded(period) > 0).toReversed();
  return (
    <details class="more-fields as-table">
      <summary>The same as a table</summary>
      {busy.length === 0 ? (
        <p>No event has ended in the last {homeSpans[span].words}.</p>
      ) : (
        <Rows
          heads={[heads[span], 'Delivered', 'By a retry', 'Given up']}
          rows={busy.map((period) => [
            <time datetime={toIso(period.at)}>{periodWords(period, zone)}</time>,
            ...outcomes.map(({ of }) => <span class="number">{numberWords(period[of])}</span>),
          ])}
        />
      )}
      <p class="hint">
        An event counts when it was delivered or given up at last: one that is replayed no longer counts as
        given up. Figures are at most a minute old; a time that is not listed had no event. Before there was
        an account the plot is empty.
      </p>
    </details>
  );
}
