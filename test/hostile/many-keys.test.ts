/** [faults: 111] One account with many keys, and with a browser session. */
import { expect, test } from '@jest/globals';
import { Visitor, accountIdOf, newVisitor } from '../pages/visitor.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newAccount } from '../support/world.ts';
import { laxWorld } from '../support/upstream-app.ts';

const burst = 5;
/** So slow that no request is regained during a test. */
const perSecond = 0.001;
const world = sharedWorld(
  { RATE_LIMIT_PER_SECOND: String(perSecond), RATE_LIMIT_BURST: String(burst) },
  laxWorld,
);

const makeKey = (accountId: string) => world.service.admin('POST', `/accounts/${accountId}/keys`);

test('an account can hold 50 keys, however many are made at once; one more is refused until one is revoked', async () => {
  const { accountId } = await newAccount(world.service);
  const made = await Promise.all(Array.from({ length: 60 }, () => makeKey(accountId)));
  const account = await world.service.admin('GET', `/accounts/${accountId}`);
  expect(account.body.keys).toHaveLength(50);
  const refused = made.filter(({ status }) => status !== 201);
  expect(refused.map(({ status, body }) => [status, body])).toEqual(
    Array.from({ length: 11 }, () => [
      400,
      { detail: 'An account can have at most 50 API keys: revoke one first' },
    ]),
  );
  const one = made.find(({ status }) => status === 201)?.body.api_key_id;
  await world.service.admin('DELETE', `/keys/${one}`);
  expect((await makeKey(accountId)).status).toBe(201);
});

test('the portal shows that refusal too', async () => {
  const visitor = await newVisitor(world);
  const accountId = await accountIdOf(world, visitor);
  for (let status = 201; status === 201;) ({ status } = await makeKey(accountId));
  const answer = await visitor.post('/portal/keys', { name: 'one more', scope: 'admin' });
  expect([answer.status, answer.text.includes('at most 50 API keys')]).toEqual([400, true]);
});

test('however many keys an account has, its limit is that of four keys', async () => {
  const { accountId, key } = await newAccount(world.service);
  const made = await Promise.all(Array.from({ length: 9 }, () => makeKey(accountId)));
  const keys = [key, ...made.map(({ body }) => body.api_key)];
  const answers = await Promise.all(
    keys.flatMap((each) =>
      Array.from({ length: burst }, () => world.service.call('GET', '/api/v1/redirects', { key: each })),
    ),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(4 * burst);
  const other = await newAccount(world.service);
  expect((await world.service.call('GET', '/api/v1/redirects', { key: other.key })).status).toBe(200);
});

test('forms of the portal have the limit of one key, and reading pages still works', async () => {
  const visitor = await newVisitor(world);
  const post = () => visitor.ask('/portal/redirects', { csrf: visitor.csrf });
  const answers = await Promise.all(Array.from({ length: burst + 3 }, post));
  const limited = answers.filter(({ status }) => status === 429);
  expect(limited).toHaveLength(3);
  expect(limited[0]?.text).toContain('That was too much at once');
  expect((await visitor.ask('/portal/keys')).status).toBe(200);
  const neighbour: Visitor = await newVisitor(world);
  expect((await neighbour.post('/portal/keys', { name: 'mine', scope: 'admin' })).status).toBe(302);
});
