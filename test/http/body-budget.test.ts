/** [faults: 92, I11] Unauthenticated bodies share one memory limit. */
import { expect, test } from '@jest/globals';
import { Wire } from '../hostile/support.ts';
import { closeAfterEach } from '../support/closing.ts';
import { until } from '../support/until.ts';
import { BodyBudget } from '../../src/http/middleware/body-budget.ts';
import type { HeldBody } from '../../src/http/middleware/body-budget.ts';
import { run } from './house.ts';

const closing = closeAfterEach();

test('beyond the limit the body that has been incomplete for longest is refused', () => {
  let refusals = 0;
  const budget = BodyBudget.forAnonymous(() => (refusals += 1), { total: 100 });
  const gone: string[] = [];
  const reading = (name: string): HeldBody => {
    const body = budget.begin(null);
    body.refuse = () => void gone.push(name);
    return body;
  };
  const [slow, other, late] = [reading('slow'), reading('other'), reading('late')];
  slow.grow(60);
  other.grow(40);
  expect([gone, budget.bytes]).toEqual([[], 100]);
  late.grow(1);
  expect([gone, budget.bytes, refusals]).toEqual([['slow'], 41, 1]);
  slow.grow(1_000); // further bytes of a refused body do not count
  expect([gone, budget.bytes]).toEqual([['slow'], 41]);
  for (const body of [slow, other, late]) body.end();
  expect(budget.bytes).toBe(0);
});

test('a body that is larger than the limit is refused itself', () => {
  const budget = BodyBudget.forAnonymous(undefined, { total: 100 });
  expect([budget.begin(null).grow(101)?.code, budget.bytes]).toEqual(['overloaded', 0]);
});

test('forms share the limit: of people who do not finish, the first is refused', async () => {
  const service = await run({ bodyBudget: BodyBudget.forAnonymous(undefined, { total: 100_000 }) });
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
