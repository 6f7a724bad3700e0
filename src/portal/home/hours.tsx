import type { VNode } from 'preact';
import type { BusyHour } from '../../use-cases/index.ts';
import { toIso } from '../../kernel/clock.ts';

const size = { width: 480, height: 96, gap: 4 };

/** Deliveries of the last 24 hours as bars; what they say stands beside them in words. */
export function Hours({ hours }: { hours: readonly BusyHour[] }): VNode {
  const most = Math.max(...hours.map(({ count }) => count));
  const total = hours.reduce((sum, { count }) => sum + count, 0);
  const words = total === 0 ? 'no event yet' : `${total} events, at most ${most} in an hour`;
  return (
    <section aria-labelledby="hours">
      <h2 id="hours">Events of the last 24 hours</h2>
      <figure class="card chart">
        <svg
          viewBox={`0 0 ${size.width} ${size.height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={words}
        >
          {hours.map(({ at, count }, index) => (
            <Bar at={at} count={count} index={index} slots={hours.length} most={most} />
          ))}
        </svg>
        <figcaption>
          <span>24 h ago</span>
          <span>{words}</span>
          <span>now</span>
        </figcaption>
      </figure>
    </section>
  );
}

interface BarProps extends BusyHour {
  index: number;
  slots: number;
  most: number;
}

/** An hour without events is a line, so that the axis is seen. */
function Bar({ at, count, index, slots, most }: BarProps): VNode {
  const slot = size.width / slots;
  const height = count === 0 ? 2 : Math.max(4, Math.round((count / most) * size.height));
  return (
    <rect
      class={count === 0 ? 'none' : 'some'}
      x={index * slot}
      y={size.height - height}
      width={slot - size.gap}
      height={height}
      rx="2"
    >
      <title>{`${toIso(at).slice(11, 16)} UTC: ${count}`}</title>
    </rect>
  );
}
