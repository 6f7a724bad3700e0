/** [upstream §4.2, §4.4, §4.7, §4.8; operator-interface §4] Every inbound type of every channel kind: a sample becomes one event or none. */
import { describe, expect, test } from '@jest/globals';
import { echoEvents } from '../../src/rules/events/echo.ts';
import { receivedEvents } from '../../src/rules/events/received.ts';
import { builtEvent } from '../../src/rules/events/built.ts';
import type { BuiltEvent } from '../../src/rules/events/built.ts';
import { withoutAdditions } from '../support/additions.ts';
import { postOf, samples } from './inbound-samples.ts';
import { channelOf, leftOutOf, parse } from './support.ts';

function eventsOf(post: unknown): BuiltEvent[] {
  return parse(post).facts.flatMap((fact) => {
    if (fact.kind !== 'inbound' && fact.kind !== 'echo') return [];
    const channel = channelOf(fact.channelType);
    const events = fact.kind === 'echo' ? echoEvents(channel, fact) : receivedEvents(channel, 'pro', fact);
    return events.map((event) => builtEvent(channel, event));
  });
}

/** The content of an event without ids and people; of a file only `voice` and `filename`. */
function contentOf({ envelope: { data } }: BuiltEvent): Record<string, unknown> {
  const { message_id: _, from, from_name: __, recipient, status, media, ...content } = withoutAdditions(data);
  expect(from ?? recipient).toMatch(/^[0-9]+$/);
  expect(status ?? 'sent').toBe('sent');
  if (media === undefined) return content;
  const { voice, filename } = Object(media);
  return { ...content, ...(voice === true ? { voice } : {}), ...(filename == null ? {} : { filename }) };
}

describe('each sample becomes one event or none', () => {
  test.each(samples.map((sample) => [sample.type, sample.name, sample] as const))(
    '%s: the sample %s becomes its event',
    (type, _, sample) => {
      const post = postOf(type, [sample]);
      const { facts, malformed, ignored } = parse(post);
      const isTold = sample.event !== null;
      expect({ facts: facts.length, malformed, ignored }).toEqual(
        isTold ? { facts: 1, malformed: 0, ignored: 0 } : { facts: 0, malformed: 0, ignored: 1 },
      );
      expect(eventsOf(post).map(contentOf)).toEqual(isTold ? [sample.event] : []);
      // A known item without an event is not kept for operators.
      expect(leftOutOf(post)).toEqual([]);
    },
  );
});

test('the names of the samples of one kind are distinct', () => {
  const names = samples.map(({ type, name }) => `${type} ${name}`);
  expect(new Set(names).size).toBe(names.length);
});
