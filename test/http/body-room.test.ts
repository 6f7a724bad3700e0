/** [faults: 92, I11] What nobody has vouched for is bounded, all posts together. */
import { expect, test } from '@jest/globals';
import { Wire } from '../hostile/support.ts';
import { closedAfterEach } from '../support/closing.ts';
import { until } from '../support/until.ts';
import { BodyRoom } from '../../src/http/middleware/body-room.ts';
import { run } from './support.ts';

const closing = closedAfterEach();

test('beyond the bound the one goes that has been on its way for longest', () => {
  let refusals = 0;
  const room = new BodyRoom(() => (refusals += 1), 100);
  const gone: string[] = [];
  const [slow, other, late] = ['slow', 'other', 'late'].map((name) => room.begin(() => void gone.push(name)));
  if (slow === undefined || other === undefined || late === undefined) throw new Error('no reading');
  room.grow(slow, 60);
  room.grow(other, 40);
  expect([gone, room.taken]).toEqual([[], 100]);
  room.grow(late, 1);
  expect([gone, room.taken, refusals]).toEqual([['slow'], 41, 1]);
  room.grow(slow, 1_000); // what it still sends counts no more
  expect([gone, room.taken]).toEqual([['slow'], 41]);
  room.end(slow);
  room.end(other);
  room.end(late);
  expect(room.taken).toBe(0);
});

test('one that is larger than the room goes itself', () => {
  const room = new BodyRoom(undefined, 100);
  let isGone = false;
  const large = room.begin(() => (isGone = true));
  room.grow(large, 101);
  expect([isGone, room.taken]).toEqual([true, 0]);
});

test("forms share it: of people who don't finish what they type, the first is refused", async () => {
  const service = await run({ bodyRoom: new BodyRoom(undefined, 100_000) });
  closing(() => service.stop());
  const wires = [new Wire(service.port), new Wire(service.port)];
  closing(() => wires.map((wire) => wire.end()));
  for (const wire of wires) {
    await wire.write(
      'POST /portal/sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n' +
        `Content-Length: 65000\r\n\r\nemail=${'x'.repeat(60_000)}`,
    );
  }
  await until('one to be refused', () => wires.some(({ statuses }) => statuses.length > 0));
  expect(wires.map(({ statuses }) => statuses)).toEqual([[503], []]);
});
