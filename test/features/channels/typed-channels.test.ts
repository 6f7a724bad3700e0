/** [faults: 355, 356] Lists of an account with hundreds of channels: a channel is typed, and each row names its own. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { openHouse } from '../../http/house.ts';
import type { House } from '../../http/house.ts';
import { asOwner, caller, now } from '../../http/support.ts';
import type { Running } from '../../http/support.ts';
import { aDelivery, aMessage } from '../../stores/conformance/samples.ts';
import { connectMany } from '../support/many-channels.ts';

let house: House;
let running: Running;
let channels: Channel[];
beforeAll(async () => {
  house = await openHouse();
  running = await house.run();
  channels = await connectMany(house, 250);
  const { id: channelId } = channels[249]!;
  const { accountId } = caller;
  const message = aMessage(channelId, { accountId, createdAt: now });
  const delivery = aDelivery(channelId, { accountId, createdAt: now, state: 'failed', payload: null });
  await house.channelState.commit(channelId, 1, [
    { write: 'insertMessage', message },
    { write: 'insertDelivery', delivery },
  ]);
});
afterAll(async () => {
  await running.stop();
  await house.close();
});

const open = async (path: string) => running.ask(path, { headers: asOwner });
const wordsOf = (html: string): string => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
const links = (html: string): string[] =>
  [...html.matchAll(/<li><a href="([^"]+)"><bdi>(Shop \d+)/g)].map(([, , name = '']) => name);
/** The value of the field, and the channel that the list is of. */
const chosen = (html: string): (string | undefined)[] => [
  /name="channel"[^>]*value="([^"]*)"/.exec(html)?.[1] ??
    /value="([^"]*)"[^>]*name="channel"/.exec(html)?.[1],
  /name="channel-is" value="([^"]*)"/.exec(html)?.[1],
];

describe.each(['/portal/deliveries', '/portal/messages', '/portal/templates'])('%s', (path) => {
  test('offers no list of channels, but a field to type one in', async () => {
    const { status, text } = await open(path);
    expect([status, text.includes('<option value="0')]).toEqual([200, false]);
    expect(text).toContain('name="channel"');
    expect(text.length).toBeLessThan(60_000);
  });

  test.each([
    ['its name', 'Shop 250'],
    ['its name in capitals', ' SHOP 250 '],
    ['its number', '+49 30 100250'],
    ['its number as digits', '4930100250'],
    ['the end of its number', '100250'],
    ['its name and number, as the field shows them', 'Shop 250 (+49 30 100250)'],
  ])('finds the last channel by %s', async (_words, typed) => {
    const { text } = await open(`${path}?channel=${encodeURIComponent(typed)}`);
    expect(chosen(text)).toEqual(['Shop 250 (+49 30 100250)', channels[249]!.id]);
  });

  test('takes an id; the field then shows the channel, and sends it again', async () => {
    const { id } = channels[224]!;
    const { text } = await open(`${path}?channel=${id}`);
    expect(chosen(text)).toEqual(['Shop 225 (+49 30 100225)', id]);
    const again = new URLSearchParams({ channel: 'Shop 225 (+49 30 100225)', 'channel-is': id });
    expect(chosen((await open(`${path}?${again}`)).text)[1]).toBe(id);
  });

  test('shows the channels that a text fits, a few, and how to see others', async () => {
    const some = (await open(`${path}?channel=hop+24&state=failed&cursor=x`)).text;
    const [, first = ''] = /<li><a href="([^"]+)"><bdi>Shop 24</.exec(some) ?? [];
    expect(first.replaceAll('&amp;', '&')).toBe(`${path}?channel=${channels[23]!.id}&state=failed`);
    expect(links(some)).toHaveLength(10);
    expect(some).toContain('More channels fit: type more of its name, or its number.');
    expect(some).not.toContain('<table');
  });

  test('says that no channel fits', async () => {
    const { status, text } = await open(`${path}?channel=%3Cb%3Enobody`);
    expect([status, wordsOf(text)]).toEqual([200, expect.stringContaining('No channel fits &lt;b>nobody .')]);
    expect((await open(`${path}?channel=${newId()}`)).status).toBe(404);
  });
});

test.each(['/portal/deliveries', '/portal/messages', '/portal/deliveries?state=failed'])(
  '%s has the row of the last channel, with its name and number',
  async (path) => {
    expect(wordsOf((await open(path)).text)).toMatch(/Shop 250 \(?\+49 30 100250/);
  },
);

test('without a choice the templates are those of the first channel that has any', async () => {
  const { text } = await open('/portal/templates');
  expect(chosen(text)[1]).toBe(channels[0]!.id);
});
