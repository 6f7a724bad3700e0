/** [spec: message.echo; faults: I1, 5] kill -9 while an echo waits for the answer of a send that may be its own. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Mortal } from '../support/crash.ts';
import { echoInTheHold } from '../support/echoes.ts';
import { newAccount } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

jest.setTimeout(90_000);

let mortal: Mortal;
let photoapp: Channel;
beforeAll(async () => {
  mortal = await Mortal.open();
  const account = await newAccount(mortal.world.service);
  photoapp = await mortal.world.connect(account, 'photoapp', { events: ['message.echo'] });
}, 90_000);
afterAll(() => mortal.close());

test('the send is over, nothing more happens on the channel: its event comes after the restart', async () => {
  const to = await echoInTheHold(mortal.world, photoapp);
  await mortal.kill();
  expect(mortal.inbox.arrivals).toEqual([]);
  await mortal.restart();
  const [arrival] = await mortal.inbox.next(1, ({ event }) => event.event === 'message.echo', 30_000);
  expect(arrival?.event.data).toMatchObject({ recipient: to, text: 'We open at nine.' });
});
