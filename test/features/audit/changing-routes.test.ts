/** [operator-interface §3] Each route that changes something leaves its line in the audit log. Generated from the route table. */
import type { AuditEntry } from '../../../src/features/audit/entity.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Route } from '../../../src/http/route.ts';
import { routeTable } from '../../support/routes.ts';
import { byKeys } from './changes/by-keys.ts';
import { byOperators } from './changes/by-operators.ts';
import { byPeople } from './changes/by-people.ts';
import type { Asked, Changes, Row } from './changes/row.ts';
import { Stage } from './changes/stage.ts';

const rows: Record<string, Row> = { ...byKeys, ...byPeople, ...byOperators };
const nameOf = ({ method, path }: Route): string => `${method.toUpperCase()} ${path}`;
const changing = routeTable.filter(({ method }) => method !== 'get');

let on: Stage;
beforeAll(async () => {
  on = await Stage.open();
});
afterAll(() => on.close());

test('each changing route has its action, or the reason why it records nothing', () => {
  expect(Object.keys(rows).toSorted()).toEqual(changing.map(nameOf).toSorted());
});

const recorded = changing.flatMap((route) => {
  const row = rows[nameOf(route)];
  return row === undefined || typeof row === 'string' ? [] : [[nameOf(route), route, row] as const];
});

test.each(recorded)('%s', async (_name, route, { action, prepare }: Changes) => {
  const asked = await prepare(on);
  const known = new Set((await on.entries()).map(({ id }) => id));
  const status = await ask(route, asked);
  const { subject, before, after, accountId = on.tenant.accountId } = asked;
  const entries = (await on.entries()).filter(({ id }) => !known.has(id));
  expect([status < 400, entries]).toEqual([
    true,
    [
      {
        id: expect.any(String),
        accountId,
        ...actorOf(route, asked),
        action,
        subject,
        before,
        after,
        address: '127.0.0.1',
        requestId: expect.any(String),
        createdAt: on.service.clock.now(),
        times: 1,
        lastAt: on.service.clock.now(),
      },
    ],
  ]);
});

function actorOf({ path }: Route, { actorName }: Asked): Pick<AuditEntry, 'actor' | 'actorName'> {
  if (/^\/(admin|operators)\//.test(path)) return { actor: 'operator', actorName: null };
  if (path.startsWith('/api/')) return { actor: 'key', actorName: on.tenant.apiKeyId };
  return { actor: 'person', actorName: actorName === undefined ? on.person.email : actorName };
}

async function ask({ method, path }: Route, { ids = {}, query, body, form = {}, by }: Asked) {
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
  const asking = { method: method.toUpperCase(), body };
  if (path.startsWith('/api/')) {
    const headers = { 'x-api-key': on.tenant.apiKey };
    return (await on.running.ask(target, { ...asking, headers })).status;
  }
  if (path.startsWith('/admin/')) return (await on.running.admin(target, asking)).status;
  const visitor = by ?? (path.startsWith('/operators/') ? on.operator : on.owner);
  // A browser that is not signed in gets the cookie of its visit with the page of the form.
  if (visitor.cookies.size === 0) await visitor.ask(path);
  return (await visitor.post(query === undefined ? target : `${target}?${query}`, form)).status;
}
