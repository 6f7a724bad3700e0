/** [faults: 176] The signature of an attempt on the page of its delivery. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Role } from '../../../src/rules/person.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { connect, openHouse, signIn } from '../../http/house.ts';
import type { House } from '../../http/house.ts';
import { caller, now, someId } from '../../http/support.ts';
import type { Running } from '../../http/support.ts';
import { maxValueLength } from '../../../src/rules/webhooks/transcript.ts';
import { aDelivery } from '../../stores/conformance/samples.ts';

let house: House;
let service: Running;
beforeAll(async () => {
  house = await openHouse();
  await connect(house, 'chatapp', { channelId: someId });
  for (const role of ['developer', 'viewer'] as const) await signIn(house, role, sessionOf(role));
  service = await house.run();
});
afterAll(async () => {
  await service.stop();
  await house.close();
});

const sessionOf = (role: Role): string => role.padEnd(43, '-');
const signature = '0a1b2c3d4e5f6789'.repeat(4);
const previous = 'cd'.repeat(32);
/** Base64, with its two signs in the part that tells. */
const ofParts = `Qw+/x9Zk${'A1b2'.repeat(8)}c3d=`;
const previousOfParts = `Zy${'8vX/'.repeat(10)}q=`;

/** The page of a delivery whose receiver repeats the request's headers in its answer. */
async function pageFor(
  role: Role,
  said = `unknown signature ${signature}`,
  isCut = false,
  echoed = `sha256=${previous}`,
): Promise<string> {
  const { accountId } = caller;
  const deliveryId = newId();
  const attemptLog = `${now} 1 400 status`;
  const made = {
    id: deliveryId,
    accountId,
    state: 'failed',
    createdAt: now,
    attemptLog,
    payload: null,
  } as const;
  await house.channelState.commit(someId, 1, [
    { write: 'insertDelivery', delivery: aDelivery(someId, made) },
  ]);
  const transcript = {
    address: 'https://receiver.example/',
    request: [
      ['X-Webhook-Id', deliveryId],
      ['X-Webhook-Signature', `sha256=${signature}`],
      ['X-Webhook-Signature-Previous', `sha256=${previous}`],
      ['webhook-signature', `v1,${ofParts} v1,${previousOfParts}`],
    ] as const,
    answer: {
      headers: [['x-echo', echoed]] as const,
      body: Buffer.from(said),
      isCut,
    },
  };
  const of = { accountId, channelId: someId, deliveryId, startedAt: now, isTaken: false };
  house.features.noteTranscript({ ...of, transcript });
  const headers = { cookie: `__Host-trunkline_session=${sessionOf(role)}` };
  const { text } = await service.ask(`/portal/channels/${someId}/deliveries/${deliveryId}`, { headers });
  return text;
}

test('a developer sees it, to compare it with what a receiver computes', async () => {
  const page = await pageFor('developer');
  expect(page).toContain(`X-Webhook-Signature: sha256=${signature}\n`);
  expect(page).toContain(`unknown signature ${signature}`);
});

test('a viewer does not, nor what the answer repeats of it', async () => {
  const page = await pageFor('viewer');
  expect(page).toContain('X-Webhook-Signature: sha256=(not shown)\n');
  expect(page).toContain('unknown signature (not shown)');
  expect(page).not.toContain(signature);
  expect(page).not.toContain(previous);
});

test.each([
  ['in capitals', `wrong: ${signature.toUpperCase()}.`, 'wrong: (not shown).'],
  ['as far as a cut answer does', `wrong: ${signature.slice(0, 40)}`, 'wrong: (not shown)'],
  ['as its first eight digits', `wrong: ${signature.slice(0, 8)}`, 'wrong: (not shown)'],
])('a viewer does not see it in an answer that repeats it %s', async (_, said, shown) => {
  const page = await pageFor('viewer', said, true);
  expect(page).toContain(shown);
  expect(page.toLowerCase()).not.toContain(signature.slice(0, 8));
});

test.each([1, 4, 7])(
  'a viewer does not see the first %i digits of one where an answer was cut',
  async (digits) => {
    const begin = `wrong: ${signature.slice(0, digits)}`;
    expect(await pageFor('viewer', begin, true)).toContain('\nwrong: (not shown)<');
    expect(await pageFor('viewer', begin.toUpperCase(), true)).toContain('\nWRONG: (not shown)<');
    expect(await pageFor('viewer', begin, false)).toContain(`\n${begin}<`);
  },
);

test('nor where a header of the answer was cut', async () => {
  const padding = '-'.repeat(maxValueLength - 5);
  const page = await pageFor('viewer', '', true, `${padding}${previous.slice(0, 5)}`);
  expect(page).toContain(`${padding}(not shown)\n`);
  expect(await pageFor('viewer', '', true, `-${previous.slice(0, 5)}`)).toContain('-cdcdc\n');
});

test.each([
  ['as it is', ofParts, 'wrong: (not shown).'],
  ['the one of the secret before', previousOfParts, 'wrong: (not shown).'],
  ['as JSON of PHP writes it', ofParts.replaceAll('/', String.raw`\/`), 'wrong: (not shown).'],
  ['as a URL writes it', encodeURIComponent(ofParts), 'wrong: (not shown).'],
  ['as its first characters', ofParts.slice(0, 8), 'wrong: (not shown).'],
])('a viewer does not see webhook-signature, nor an answer that repeats it %s', async (_, said, shown) => {
  const page = await pageFor('viewer', `wrong: ${said}.`, true);
  expect(page).toContain('webhook-signature: v1,(not shown) v1,(not shown)\n');
  expect(page).toContain(shown);
  expect(page).not.toContain(ofParts.slice(0, 8));
  expect(page).not.toContain(previousOfParts.slice(0, 8));
});
