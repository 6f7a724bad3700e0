/** [portal: Messages] A filter that matches few of many. */
import { expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import type { MessageOnChannel } from '../../../src/features/index.ts';
import type { PagePosition, PageRequest } from '../../../src/kernel/paging.ts';
import { caller, now, run, someId, useCasesWith, visitor } from '../../http/support.ts';
import { channelOf } from '../../rules/samples.ts';

const channel = channelOf('chatapp', { accountId: caller.accountId });

const found = (): MessageOnChannel => ({
  messageId: newId(),
  channelId: channel.id,
  channelType: 'chatapp',
  direction: 'outbound',
  person: '4915900000777',
  type: 'text',
  status: 'failed',
  createdAt: now,
});

const place: PagePosition = { createdAt: now - 7_200_000, id: someId };

/** Makes the page, where the n-th read returns `reads[n]`; returns it with the number of reads and their queries. */
async function shown(reads: readonly (readonly MessageOnChannel[])[], end: PagePosition | null) {
  const asked: PageRequest[] = [];
  const useCases = useCasesWith({
    visitor: async () => visitor,
    listChannels: async () => ({ items: [{ channel, subscription: null }], nextCursor: null }),
    async listMessages(_caller, _filter, page) {
      asked.push(page);
      const items = [...(reads[asked.length - 1] ?? [])];
      return { items, nextCursor: asked.length < reads.length ? place : end };
    },
  });
  const { ask, stop } = await run({ useCases });
  const headers = { cookie: `__Host-trunkline_session=${'s'.repeat(43)}` };
  const { text } = await ask('/portal/messages?state=failed', { headers });
  await stop();
  return { text, asked, rows: text.split('>What happened<').length - 1 };
}

test('reads until the page is full, or everything has been searched', async () => {
  const { rows, asked } = await shown([[], [found(), found()], [], [found()]], null);
  expect([rows, asked.map(({ limit }) => limit)]).toEqual([3, [50, 50, 48, 48]]);
  expect(asked.map(({ cursor }) => cursor)).toEqual([null, place, place, place]);
});

test('does not read on after a full page', async () => {
  const { rows, asked } = await shown([Array.from({ length: 50 }, found), [found()]], null);
  expect([rows, asked.length]).toEqual([50, 1]);
});

test('after five reads it says how far it searched, and offers to continue', async () => {
  const { text, asked } = await shown([[], [], [], [], []], place);
  expect([asked.length, text]).toEqual([5, expect.stringMatching(/those since <time[^>]*>2 h ago<\/time>/)]);
  expect(text).toMatch(/href="\/portal\/messages\?state=failed&(?:amp;)?cursor=/);
});
