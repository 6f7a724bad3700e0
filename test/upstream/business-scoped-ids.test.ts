/** Whatever a `from` said can be answered, byte for byte; nothing laxer counts as a business-scoped id. [operator-interface §4] */
import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { personIn } from '../../src/rules/channels/recipient.ts';
import { kindOf } from '../../src/rules/channels/kinds.ts';
import { upstreamKindOf } from '../../src/upstream/kinds.ts';
import { Fault } from '../../src/kernel/faults.ts';
import { change, channelOf, onlyFact } from './support.ts';

const channel = channelOf('chatapp');
const metadata = { display_phone_number: '1 555', phone_number_id: '100200300400500' };

const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const lettersAndDigits = `${capitals}${capitals.toLowerCase()}0123456789`;
const capital = fc.constantFrom(...Array.from(capitals));
const letterOrDigit = fc.constantFrom(...Array.from(lettersAndDigits));
const scopedId = fc
  .tuple(
    fc.string({ unit: capital, minLength: 2, maxLength: 2 }),
    fc.constantFrom('.', '.ENT.'),
    fc.string({ unit: letterOrDigit, minLength: 1, maxLength: 128 }),
  )
  .map((parts) => parts.join(''));

/** An id with one character replaced, added or removed. */
const nearly = fc
  .tuple(
    scopedId,
    fc.nat(),
    fc.nat(1),
    fc.oneof(fc.constant(''), fc.string({ unit: 'binary', maxLength: 1 })),
  )
  .map(([id, at, cut, put]) => id.slice(0, at % id.length) + put + id.slice((at % id.length) + cut));

/** The grammar, without a regular expression: country, `.`, perhaps `ENT.`, 1 to 128 letters and digits. */
function isScopedId(text: string): boolean {
  const among = (chars: string, set: string) => Array.from(chars).every((char) => set.includes(char));
  const [country = '', second, third, ...more] = text.split('.');
  const id = (third === undefined ? second : third) ?? '';
  const isParent = third === undefined || second === 'ENT';
  const isId = id.length >= 1 && id.length <= 128 && among(id, lettersAndDigits);
  return country.length === 2 && among(country, capitals) && isParent && isId && more.length === 0;
}

function checked(recipient: string): string | null {
  try {
    return kindOf('chatapp').checkRecipient(recipient, channel);
  } catch (thrown) {
    if (thrown instanceof Fault) return null;
    throw thrown;
  }
}

describe('business-scoped ids', () => {
  test('a `from` is accepted, sent and found as it came', () => {
    fc.assert(
      fc.property(scopedId, (id) => {
        const message = {
          from_user_id: id,
          id: 'wamid.1',
          timestamp: '1767225600',
          type: 'text',
          text: { body: 'a' },
        };
        const fact = onlyFact(change('messages', { metadata, messages: [message] }));
        expect(fact).toMatchObject({ kind: 'inbound', from: id });
        expect(checked(id)).toBe(id);
        expect(personIn(id)).toBe(id);
        const content = { type: 'text', text: 'hi' } as const;
        const body = upstreamKindOf('chatapp').send.body({ messageId: 'm', recipient: id, content });
        expect(body).toMatchObject({ recipient: id });
        expect(body).not.toHaveProperty('to');
      }),
      { numRuns: 300 },
    );
  });

  test('an id with a character changed is accepted only as another id, or as a number', () => {
    fc.assert(
      fc.property(nearly, (text) => {
        const recipient = checked(text);
        if (isScopedId(text)) expect(recipient).toBe(text);
        else expect(recipient).toBe(null);
      }),
      { numRuns: 2_000 },
    );
  });
});
