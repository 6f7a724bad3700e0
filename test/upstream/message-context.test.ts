/** [faults: 365] What messages carry beside text and files is bounded and checked; what does not fit is left out. */
import { describe, expect, test } from '@jest/globals';
import type { InboundMessage } from '../../src/rules/messages/facts.ts';
import { postOf } from './inbound-samples.ts';
import { parse } from './support.ts';

function chatapp(members: Record<string, unknown>): InboundMessage {
  return read('chatapp', { from: '4915900000777', id: 'wamid.1', timestamp: '1767225600', ...members });
}

function pagechat(message: Record<string, unknown>): InboundMessage {
  const [sender, recipient] = [{ id: '8800000000000001' }, { id: '520000000000005' }];
  return read('pagechat', {
    sender,
    recipient,
    timestamp: 1_767_225_600_000,
    message: { mid: 'm_1', ...message },
  });
}

function read(type: 'chatapp' | 'pagechat', item: Record<string, unknown>): InboundMessage {
  const [fact] = parse(postOf(type, [{ list: type === 'chatapp' ? 'messages' : 'messaging', item }])).facts;
  if (fact?.kind !== 'inbound') throw new Error('no inbound message');
  return fact;
}

const contentOf = ({ parts: [part] }: InboundMessage): unknown =>
  part?.type === 'unsupported' ? part.content : undefined;

describe('a plain text has no further member', () => {
  test.each([
    ['chatapp', () => chatapp({ type: 'text', text: { body: 'Hi' } })],
    ['pagechat', () => pagechat({ text: 'Hi' })],
  ])('%s', (_, written) => {
    const members = [
      'kind',
      'channelType',
      'identity',
      'upstreamId',
      'at',
      'caption',
      'parts',
      'from',
      'fromName',
    ];
    expect(Object.keys(written()).toSorted()).toEqual(members.toSorted());
  });
});

describe('a place needs both coordinates, within their range', () => {
  test.each([
    [{ latitude: 91, longitude: 0 }],
    [{ latitude: 0, longitude: -181 }],
    [{ latitude: '53.5' }],
    [{ latitude: 'north', longitude: 1 }],
    [{ latitude: null, longitude: null, name: 'Nowhere' }],
    [[]],
    ['here'],
  ])('%j is none', (location) => {
    expect(contentOf(chatapp({ type: 'location', location }))).toBeUndefined();
  });

  test('numbers may come as text', () => {
    const location = { latitude: '53.5', longitude: '-10', url: 'ftp://a', name: 7 };
    expect(contentOf(chatapp({ type: 'location', location }))).toEqual({
      latitude: 53.5,
      longitude: -10,
      name: '7',
    });
  });
});

describe('lists are cut, and so are texts', () => {
  test('contacts', () => {
    const contacts = Array.from({ length: 60 }, (_, n) => ({
      name: { formatted_name: `${n} ${'n'.repeat(2_000)}` },
    }));
    const { contacts: kept } = Object(
      contentOf(chatapp({ type: 'contacts', contacts: [null, 1, {}, ...contacts] })),
    );
    expect([kept.length, kept[0].name.length]).toEqual([47, 1_024]);
  });

  test('an emoji is not cut in half', () => {
    const name = { formatted_name: `${'n'.repeat(1_023)}🧭` };
    const { contacts } = Object(contentOf(chatapp({ type: 'contacts', contacts: [{ name }] })));
    expect(contacts).toEqual([{ name: `${'n'.repeat(1_023)}\uFFFD` }]);
  });

  test('items of an order', () => {
    const item = { product_retailer_id: 'a', quantity: '2', item_price: Number.MAX_VALUE, currency: null };
    const { items } = Object(
      contentOf(chatapp({ type: 'order', order: { product_items: Array.from({ length: 60 }, () => item) } })),
    );
    expect([items.length, items[0]]).toEqual([50, { product_id: 'a', quantity: 2, price: Number.MAX_VALUE }]);
  });
});

describe('the answers of a form', () => {
  const form = (response: unknown): unknown => {
    const nfm = { name: 'flow', response_json: response };
    return contentOf(chatapp({ type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: nfm } }));
  };

  test('long numbers keep their digits', () => {
    expect(form('{"order":12345678901234567890,"of":{"day":"Friday"}}')).toEqual({
      name: 'flow',
      response: { order: '12345678901234567890', of: { day: 'Friday' } },
    });
  });

  test.each([
    ['no JSON', '{'],
    ['no object', '[1]'],
    ['no text', { a: 1 }],
    ['over 32 KiB', JSON.stringify({ a: 'x'.repeat(33_000) })],
    ['over 32 KiB in UTF-8', JSON.stringify({ a: 'ü'.repeat(20_000) })],
    ['too deep', `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`],
  ])('%s', (_, response) => {
    expect(form(response)).toEqual({ name: 'flow' });
  });
});

describe('a reply and a referral', () => {
  test.each([
    [{ context: { forwarded: true } }],
    [{ context: 'x' }],
    [{ context: { id: '' }, referral: [] }],
    [{ referral: { source_url: 'javascript:alert(1)' } }],
  ])('chatapp: %j tells nothing', (members) => {
    const { replyTo, referral } = chatapp({ type: 'text', text: { body: 'Hi' }, ...members });
    expect([replyTo, referral]).toEqual([undefined, undefined]);
  });

  test.each([[{ reply_to: {} }], [{ reply_to: { story: {} } }], [{ reply_to: 7, referral: 'x' }]])(
    'pagechat: %j tells nothing',
    (members) => {
      const { replyTo, referral } = pagechat({ text: 'Hi', ...members });
      expect([replyTo, referral]).toEqual([undefined, undefined]);
    },
  );

  test('a link that is too long is left out', () => {
    const source_url = `https://a.example/${'a'.repeat(2_048)}`;
    const { referral } = chatapp({
      type: 'text',
      text: { body: 'Hi' },
      referral: { source_type: 'POST', source_url },
    });
    expect(referral).toEqual({ source: 'post' });
  });
});
