/** What events say beside text and files. [spec: Additions] */
import { describe, expect, test } from '@jest/globals';
import { builtEvent, readAbout } from '../../src/rules/events/built.ts';
import { atOnce, channelUpdated, templateUpdated, withUntold } from '../../src/rules/events/changes.ts';
import type { Change } from '../../src/rules/events/changes.ts';
import { textBlock, unsupportedBlock } from '../../src/rules/events/content-blocks.ts';
import { referralMembers, writeContext, writeNames } from '../../src/rules/events/context-blocks.ts';
import { personEvent } from '../../src/rules/events/person.ts';
import { listContent, redactContent } from '../../src/rules/events/redact-content.ts';
import { deliveryEvents, eventTypes, isOfChange, messageEvents } from '../../src/rules/events/table.ts';
import type { PersonChange } from '../../src/rules/messages/facts.ts';
import { idFrom } from '../../src/kernel/ids.ts';
import { channelOf, newYear } from './samples.ts';

const channel = channelOf('chatapp');
const change: Change = {
  id: 'change-1',
  at: newYear,
  changed: 'quality',
  before: 'GREEN',
  after: 'RED',
  reason: null,
};

describe('names of the sender', () => {
  test.each([
    [{}, {}],
    [{ userId: 'DE.1' }, { from_user_id: 'DE.1' }],
    [{ username: 'mia' }, { from_username: 'mia' }],
    [
      { userId: 'DE.1', username: 'mia' },
      { from_user_id: 'DE.1', from_username: 'mia' },
    ],
  ])('%j are said as %j', (names, said) => {
    expect(writeNames(names)).toEqual(said);
  });
});

describe('what a message answers and where its sender came from', () => {
  const referral = {
    source: 'ad',
    sourceId: '1',
    sourceUrl: 'https://ad.example/1',
    headline: 'Bread',
    body: 'Fresh',
    mediaType: 'image',
    mediaUrl: 'https://ad.example/i',
    clickId: 'click-1',
    ref: 'spring',
    productId: 'p',
    catalogId: 'c',
  };

  test.each([
    [{}, {}],
    [
      { replyTo: { upstreamId: 'wamid.1', messageId: 'message-1' } },
      { reply_to: { message_id: 'message-1' } },
    ],
    [{ replyTo: { upstreamId: 'wamid.1' } }, { reply_to: { upstream_message_id: 'wamid.1' } }],
    [{ replyTo: { upstreamId: 'm_1', story: { id: 's' } } }, { reply_to: { story: { id: 's' } } }],
    [{ referral: { source: 'post' } }, { referral: { source: 'post' } }],
    [
      { replyTo: { messageId: 'message-1' }, referral: { ref: 'spring' } },
      { reply_to: { message_id: 'message-1' }, referral: { ref: 'spring' } },
    ],
  ])('%j is said as %j', (context, said) => {
    expect(writeContext(context)).toEqual(said);
  });

  test('every member of a referral has its name', () => {
    const said = {
      source: 'ad',
      source_id: '1',
      source_url: 'https://ad.example/1',
      headline: 'Bread',
      body: 'Fresh',
      media_type: 'image',
      media_url: 'https://ad.example/i',
      ctwa_clid: 'click-1',
      ref: 'spring',
      product_id: 'p',
      catalog_id: 'c',
    };
    expect(writeContext({ referral })).toStrictEqual({ referral: said });
    expect(referralMembers).toEqual(Object.keys(said));
  });
});

test.each([
  [{ text: 'Yes' }, { type: 'text', text: 'Yes' }],
  [
    { text: 'Yes', button: { id: 'y', title: 'Yes' } },
    { type: 'text', text: 'Yes', button: { id: 'y', title: 'Yes' } },
  ],
])('a text %j', (part, block) => {
  expect(textBlock({ type: 'text', ...part })).toStrictEqual(block);
});

test.each([
  [{ unsupportedType: 'order' }, { type: 'unsupported', unsupported_type: 'order' }],
  [
    { unsupportedType: 'order', text: 'a', button: { id: 'b' }, content: { c: 1 }, reason: 'too_long' },
    {
      type: 'unsupported',
      unsupported_type: 'order',
      text: 'a',
      button: { id: 'b' },
      content: { c: 1 },
      unsupported_reason: 'too_long',
    },
  ],
])('an unsupported part %j', (part, block) => {
  expect(unsupportedBlock(JSON.parse(JSON.stringify({ type: 'unsupported', ...part })))).toStrictEqual(block);
});

describe('person.updated', () => {
  const all: PersonChange = {
    kind: 'person',
    channelType: 'chatapp',
    identity: '422300000000002',
    upstreamId: 'wamid.SYS',
    from: '491',
    userId: 'DE.2',
    previousFrom: '490',
    previousUserId: 'DE.1',
    at: newYear,
    requestId: 'request-1',
  };
  const { userId: _, previousFrom: __, previousUserId: ___, ...least } = all;

  test('has the names before and after', () => {
    expect(personEvent(channel, all)).toStrictEqual({
      event: 'person.updated',
      messageId: idFrom('person', channel.id, 'wamid.SYS'),
      at: newYear,
      requestId: 'request-1',
      data: { from: '491', from_user_id: 'DE.2', previous_from: '490', previous_user_id: 'DE.1' },
    });
  });

  test('has only what upstream tells', () => {
    expect(personEvent(channel, least).data).toStrictEqual({ from: '491' });
  });
});

describe('changes', () => {
  test('of a channel and of a template are events under the id of the change', () => {
    const { id: _, at: __, ...said } = change;
    const aboutChannel = channelUpdated(change);
    const template = { id: 't', name: 'order_ready', language: 'de' };
    const aboutTemplate = templateUpdated(template, change);
    expect(aboutChannel).toStrictEqual({
      event: 'channel.updated',
      messageId: 'change-1',
      at: newYear,
      data: said,
    });
    expect(aboutTemplate).toStrictEqual({
      event: 'template.updated',
      messageId: 'change-1',
      at: newYear,
      data: { template_id: 't', template_name: 'order_ready', language: 'de', ...said },
    });
    expect(builtEvent(channel, aboutChannel).envelope.data).toStrictEqual({ change_id: 'change-1', ...said });
  });

  test('that wait to be told are the newest 32, and are told at once', () => {
    const numbered = Array.from({ length: 34 }, (_, index) => ({ ...change, id: String(index) }));
    expect(withUntold(null, [change])).toEqual([change]);
    expect(withUntold(numbered.slice(0, 3), numbered.slice(3))).toEqual(numbered.slice(2));
    expect(atOnce).toBe(0);
  });
});

test('events of a change are told from those of a message', () => {
  expect(eventTypes.filter(isOfChange)).toEqual(['channel.updated', 'template.updated']);
  expect(messageEvents).toEqual(
    eventTypes.filter((event) => !event.endsWith('l.updated') && !event.startsWith('template')),
  );
  expect(deliveryEvents).toEqual([...eventTypes, 'webhook.test']);
});

describe('content is hidden', () => {
  const data = {
    message_id: 'm',
    from: '491',
    text: 'Hello',
    content: { from: '492', amount: 7, is_paid: true, items: ['a', 2], nothing: null },
    button: { id: 'yes' },
    reply_to: { story: { url: 'https://story.example' }, upstream_message_id: 'wamid.1' },
    media: [{ media_id: 'x', filename: 'plan.pdf', file_size: 5, error: null }],
  };

  test('of a hidden member all of it, of others the unknown texts', () => {
    const { envelope } = builtEvent(channel, {
      event: 'message.received',
      messageId: 'm',
      at: newYear,
      data,
    });
    const nothing = '(a object, not shown)';
    const said = JSON.parse(redactContent(Buffer.from(JSON.stringify(envelope))) ?? 'null');
    expect(said.data).toEqual({
      message_id: 'm',
      from: '491',
      text: '(5 characters, not shown)',
      content: {
        from: '(3 characters, not shown)',
        amount: '(a number, not shown)',
        is_paid: '(a boolean, not shown)',
        items: ['(1 characters, not shown)', '(a number, not shown)'],
        nothing,
      },
      button: { id: '(3 characters, not shown)' },
      reply_to: {
        story: { url: '(21 characters, not shown)' },
        upstream_message_id: 'wamid.1',
      },
      media: [{ media_id: 'x', filename: '(8 characters, not shown)', file_size: 5, error: null }],
    });
    expect(readAbout(envelope)).toEqual({ person: '491', messageType: null });
  });

  test('and is what an answer must not repeat', () => {
    const words = listContent(Buffer.from(JSON.stringify({ data })));
    expect(words).toEqual(['Hello', '492', '7', 'a', '2', 'yes', 'https://story.example', 'plan.pdf']);
  });

  test('of a change only metadata are told, all of which are shown', () => {
    const { envelope } = builtEvent(
      channel,
      templateUpdated({ id: 't', name: 'order_ready', language: 'de' }, change),
    );
    const bytes = Buffer.from(JSON.stringify(envelope));
    expect(JSON.parse(redactContent(bytes) ?? 'null')).toEqual(JSON.parse(JSON.stringify(envelope)));
    expect(listContent(bytes)).toEqual([]);
  });

  test('what is no JSON has none', () => {
    expect(listContent(Buffer.from('{'))).toEqual([]);
    expect(redactContent(Buffer.from('{'))).toBeNull();
    expect(listContent(Buffer.from('null'))).toEqual([]);
    expect(listContent(Buffer.from('"a"'))).toEqual(['a']);
  });
});
