/** [operator-interface §4, people of an account] Changes of other people by an owner, and forbidden ones. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { dayMs } from '../../../src/kernel/clock.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { Visitor } from '../../../src/rules/person.ts';
import { address, invitationTokenFor, password, signedUp } from '../support/people.ts';
import { refusalOf } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';

const service = serviceForEach();
let owner: Visitor;

beforeEach(async () => {
  owner = await signedUp(service, 'owner@example.com');
});

const invite = (email: string) => service.features.invite(owner, { email, role: 'viewer' });

describe('a person of the account', () => {
  test('has a new role at once', async () => {
    const { id } = await invite('guest@example.com');
    await service.features.changeRole(owner, { personId: id, role: 'owner' });
    expect((await service.features.readPerson(owner, id)).role).toBe('owner');
    expect((await refusalOf(service.features.changeRole(owner, { personId: id, role: 'king' }))).status).toBe(
      422,
    );
  });

  test('is signed in for fourteen days', async () => {
    const signedIn = await service.features.signIn({ email: 'owner@example.com', password, address });
    expect(signedIn?.expiresAt).toBe(service.clock.now() + 14 * dayMs);
    service.clock.pass(14 * dayMs - 1);
    expect(await service.features.visitor(signedIn?.secret ?? '')).not.toBeNull();
    service.clock.pass(1);
    expect(await service.features.visitor(signedIn?.secret ?? '')).toBeNull();
  });

  test('that is removed is signed out', async () => {
    const { id } = await invite('guest@example.com');
    const joined = await service.features.acceptInvitation({
      token: await invitationTokenFor(service, id),
      password,
    });
    await service.features.removePerson(owner, id);
    expect(await service.features.visitor(joined?.secret ?? '')).toBeNull();
    expect(await service.features.listPeople(owner.caller)).toHaveLength(1);
  });

  test('that is the last owner stays one', async () => {
    const { removePerson, changeRole } = service.features;
    for (const call of [
      removePerson(owner, owner.personId),
      changeRole(owner, { personId: owner.personId, role: 'viewer' }),
    ]) {
      const refusal = await refusalOf(call);
      expect([refusal.status, JSON.stringify(refusal.detail)]).toEqual([
        409,
        expect.stringContaining('An account has an owner: make somebody else an owner first'),
      ]);
    }
  });

  test('has a role that an operator gives, also where no owner is left [faults: 209]', async () => {
    const { setRole, changeRole, inspectAccount } = service.features;
    const { id } = await invite('guest@example.com');
    await service.features.acceptInvitation({ token: await invitationTokenFor(service, id), password });
    expect(await setRole(id, { role: 'owner' })).toMatchObject({ id, role: 'owner' });
    await changeRole(owner, { personId: owner.personId, role: 'viewer' });
    const { people } = await inspectAccount(owner.caller.accountId);
    expect(people.map(({ email, role }) => [email, role])).toEqual([
      ['owner@example.com', 'viewer'],
      ['guest@example.com', 'owner'],
    ]);
    expect((await refusalOf(setRole(id, { role: 'developer' }))).status).toBe(409);
    expect((await refusalOf(setRole(id, { role: 'king' }))).status).toBe(422);
    expect(await refusalOf(setRole(newId(), { role: 'owner' }))).toEqual({
      status: 404,
      detail: 'Person not found',
    });
  });

  test('of another account, or unknown, is 404', async () => {
    const other = await signedUp(service, 'other@example.com');
    const { readPerson, removePerson, changeRole, inviteAgain } = service.features;
    for (const id of [other.personId, newId()])
      for (const call of [
        readPerson(owner, id),
        removePerson(owner, id),
        changeRole(owner, { personId: id, role: 'viewer' }),
        inviteAgain(owner, id),
      ])
        expect(await refusalOf(call)).toEqual({ status: 404, detail: 'Person not found' });
  });
});
