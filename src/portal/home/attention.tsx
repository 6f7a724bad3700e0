import type { VNode } from 'preact';
import { describeHealth, mendingPath } from '../channels/words.ts';
import { State } from '../parts.tsx';
import type { FaringChannel } from '../../use-cases/index.ts';

const maxShown = 10;

/** What a person should do something about, each with the way there; nothing when all is well. */
export function Attention({ channels }: { channels: readonly FaringChannel[] }): VNode | null {
  const ailing = channels.filter((each) => describeHealth(each).tone === 'bad');
  if (ailing.length === 0) return null;
  return (
    <section class="card attention" aria-labelledby="attention">
      <h2 id="attention">Needs your attention</h2>
      <ul>
        {ailing.slice(0, maxShown).map((each) => {
          const { tone, word, why } = describeHealth(each);
          return (
            <li>
              <a href={mendingPath(each.channel.id, each.problems[0]?.code)}>
                {each.channel.name ?? 'Without a name'}
              </a>{' '}
              <State tone={tone}>{word}</State> {why}
            </li>
          );
        })}
      </ul>
      {ailing.length <= maxShown ? null : (
        <p>
          <a href="/portal/channels">{ailing.length - maxShown} more</a>
        </p>
      )}
    </section>
  );
}
