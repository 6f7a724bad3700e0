/** The views of a message's record: for its sender, in a list, in its timeline. */
import { describe, expect, test } from '@jest/globals';
import { listedDelivered, listedSent } from '../../src/features/messages/listed.ts';
import type { Delivered, Sent } from '../../src/features/messages/listed.ts';
import type { SendState } from '../../src/rules/messages/message.ts';
import { abandonedMarker, newMessage } from '../../src/rules/messages/message.ts';
import { replyFor } from '../../src/rules/messages/send-reply.ts';
import { currentStatus, listCalls, listStatuses } from '../../src/features/messages/timeline-rules.ts';
import { channelOf, newYear } from './samples.ts';

const own = {
  id: 'm-1',
  recipient: '4915900000777',
  state: 'sending' as const,
  attemptedAt: newYear,
  epoch: 3,
  createdAt: newYear - 1,
};
const made = {
  id: 'm-1',
  channelId: 'channel-chatapp',
  accountId: 'account-1',
  channelType: 'chatapp',
  origin: 'service',
  recipient: '4915900000777',
  messageType: null,
  content: null,
  state: 'sending',
  rank: 0,
  deliveryFailed: false,
  statusAt: null,
  sentAt: null,
  deliveredAt: null,
  readAt: null,
  failedAt: null,
  copies: 0,
  tries: 0,
  attemptedAt: newYear,
  nextTryAt: null,
  upstreamIds: [],
  calls: null,
  error: null,
  errorCode: null,
  epoch: 3,
  createdAt: newYear - 1,
};

describe('a new message', () => {
  test('has no fields of later events', () => {
    expect(newMessage(channelOf('chatapp'), own)).toEqual(made);
  });

  test('has what is known already', () => {
    const known = {
      origin: 'echo' as const,
      messageType: 'text',
      content: new Uint8Array([7]),
      rank: 2,
      statusAt: 5,
      sentAt: 4,
      deliveredAt: 5,
      copies: 1,
      tries: 2,
      upstreamIds: ['up-1'],
    };
    expect(newMessage(channelOf('chatapp'), { ...own, ...known })).toEqual({ ...made, ...known });
  });

  test('is abandoned if it only reserves an id', () => {
    const { state: _, ...marked } = own;
    expect(abandonedMarker(channelOf('chatapp'), marked)).toEqual({ ...made, state: 'abandoned' });
  });
});

describe('a repeated send with the id of a message [spec: Message send state]', () => {
  test.each([
    ['abandoned', null],
    ['sending', { status: 'queued' }],
    ['queued', { status: 'queued' }],
    ['sent', { status: 'sent' }],
    ['failed', { status: 'failed', error: 'The message could not be sent', errorCode: null }],
  ] as const)('that is %s is answered %j', (state, answer) => {
    expect(replyFor({ state })).toEqual(answer);
  });

  test('that failed gets the error', () => {
    expect(replyFor({ state: 'failed', error: 'No such person', errorCode: 100 })).toEqual({
      status: 'failed',
      error: 'No such person',
      errorCode: 100,
    });
  });
});

describe('the status of a message [spec: Delivery status of a message]', () => {
  test.each<[{ rank?: number; deliveryFailed?: boolean; state: SendState }, string | null]>([
    [{ state: 'sending' }, null],
    [{ state: 'queued' }, null],
    [{ state: 'sent' }, 'sent'],
    [{ state: 'sent', rank: 1 }, 'sent'],
    [{ state: 'failed' }, 'failed'],
    [{ state: 'sent', rank: 1, deliveryFailed: true }, 'failed'],
    [{ state: 'queued', rank: 2 }, 'delivered'],
    [{ state: 'failed', rank: 2, deliveryFailed: true }, 'delivered'],
    [{ state: 'sent', rank: 3, deliveryFailed: true }, 'read'],
  ])('%j is %s', (told, status) => {
    expect(currentStatus({ rank: 0, deliveryFailed: false, ...told })).toBe(status);
  });

  test('the reported ones are ordered by time, without those that a later one implies', () => {
    expect(listStatuses({ sentAt: 3, deliveredAt: null, readAt: 5, failedAt: 1 })).toEqual([
      { status: 'failed', at: 1 },
      { status: 'sent', at: 3 },
      { status: 'read', at: 5 },
    ]);
    expect(listStatuses({ sentAt: null, deliveredAt: null, readAt: null, failedAt: null })).toEqual([]);
  });
});

describe('the calls of a timeline', () => {
  const refused = {
    at: 1,
    endedAt: 2,
    outcome: 'refused' as const,
    error: 'No',
    code: 100,
    traceId: 'trace-1',
  };

  test('are those that are logged, and the last one as stored', () => {
    const record = { tries: 3, attemptedAt: 9, upstreamIds: [], sentAt: null, calls: { 1: refused } };
    expect(listCalls(record)).toEqual([
      { n: 1, ...refused },
      { n: 3, at: 9, endedAt: null, outcome: null, error: null, code: null, traceId: null },
    ]);
  });

  test('use the log for the last one, if it is logged', () => {
    const record = { tries: 1, attemptedAt: 9, upstreamIds: [], sentAt: null, calls: { 1: refused } };
    expect(listCalls(record)).toEqual([{ n: 1, ...refused }]);
  });
});

describe('a list', () => {
  const sent: Sent = newMessage(channelOf('chatapp'), { ...own, messageType: 'text' });
  const delivered: Delivered = {
    channelId: 'channel-chatapp',
    event: 'message.received',
    messageId: 'm-2',
    person: '4915900000777',
    messageType: 'image',
    createdAt: newYear,
  };
  const listed = {
    messageId: 'm-2',
    channelId: 'channel-chatapp',
    person: '4915900000777',
    type: 'image',
    createdAt: newYear,
  };

  test('has a sent message as sending until more is known', () => {
    const line = {
      messageId: 'm-1',
      channelId: 'channel-chatapp',
      direction: 'outbound',
      person: '4915900000777',
      type: 'text',
      createdAt: newYear - 1,
    };
    expect(listedSent(sent)).toEqual({ ...line, status: 'queued' });
    expect(listedSent({ ...sent, rank: 2 })).toEqual({ ...line, status: 'delivered' });
  });

  test("has neither a marker nor an echo's record", () => {
    expect(listedSent({ ...sent, state: 'abandoned' })).toBeNull();
    expect(listedSent({ ...sent, origin: 'echo' })).toBeNull();
  });

  test('has inbound content', () => {
    expect(listedDelivered(delivered, undefined)).toEqual({
      ...listed,
      direction: 'inbound',
      status: 'received',
    });
  });

  test('has an echo as sent, or with the state of its statuses', () => {
    const echo = { ...delivered, event: 'message.echo' as const };
    const line = { ...listed, direction: 'echo' };
    expect(listedDelivered(echo, undefined)).toEqual({ ...line, status: 'sent' });
    expect(listedDelivered(echo, { ...sent, origin: 'echo' })).toEqual({ ...line, status: 'sent' });
    expect(listedDelivered(echo, { ...sent, origin: 'echo', rank: 3 })).toEqual({ ...line, status: 'read' });
  });

  test('has no status as a separate entry', () => {
    expect(listedDelivered({ ...delivered, event: 'message.read', messageType: null }, undefined)).toBeNull();
  });
});
