import type { VNode } from 'preact';
import type { ChannelError } from '../types.ts';
import { plainSentence } from '../../../pages/forms/problems.ts';
import { Empty } from '../../../pages/list/empty.tsx';
import { Rows } from '../../../pages/list/rows.tsx';
import { When } from '../../../pages/time.tsx';
import { storedFailureWords } from '../../deliveries/index.ts';

const places = { send: 'a send, at the platform', delivery: 'an event, at the receiver' } as const;

/** Of a call to which upstream said no code. */
const withoutCode: Readonly<Record<string, string>> = {
  refused: 'The platform refused it.',
  deferred: 'The platform asked to wait.',
  unknown: 'The platform did not answer: the message may have been sent.',
  failed: 'The platform could not deliver it.',
};

/** Of the newest sends and events of a channel: which codes came, how often, and when last. */
export function LastErrors({ errors, now }: { errors: readonly ChannelError[]; now: number }): VNode {
  return (
    <section aria-labelledby="errors">
      <h2 id="errors">Last errors</h2>
      {errors.length === 0 ? (
        <Empty>
          <p>None among its newest sends and events.</p>
        </Empty>
      ) : (
        <Rows
          heads={['Code', 'Of', 'What it means', 'Times', 'Last']}
          rows={errors.map((error) => [
            <code class="nowrap">{error.code}</code>,
            <span class="nowrap">{places[error.of]}</span>,
            meaning(error),
            <span class="number">{error.count}</span>,
            <When at={error.lastAt} now={now} />,
          ])}
        />
      )}
    </section>
  );
}

function meaning({ of, code, words }: ChannelError): string {
  if (of === 'send') return words === null ? (withoutCode[code] ?? '') : plainSentence(words).words;
  return storedFailureWords(code);
}
