/** The pages and forms of the portal and the operators' console, asked by who is signed in to both. */
import { enterPath } from '../../../src/pages/paths.ts';
import { call } from '../../support/api.ts';
import { routeTable } from '../../support/routes.ts';
import { adminToken } from '../../support/service.ts';
import { Operator, Visitor } from '../../support/visitor.ts';
import type { Target } from '../target.ts';
import { checkStatus, openAttacked, tidied } from './attacked.ts';

/** Pages that would end the test's own access, or that never end. */
const ending = /sign-out|leave|password|suspend|live\/events/;
const queries: Readonly<Record<string, string>> = {
  q: 'mia',
  from: '2026-01-01T00:00',
  until: '2026-02-01T00:00',
  zone: 'Europe/Berlin',
  state: 'failed',
  type: 'chatapp',
  channel: '<channel>',
  after: 'x',
};

/** An input is a line with method, path and query, and a form. */
export async function openPages(): Promise<Target> {
  const attacked = await openAttacked();
  const { world, defects, account, channels } = attacked;
  const { url } = world.service;
  const [person, operator] = [new Visitor(world), new Operator(world)];
  await signIn(person, operator);
  const query = String(new URLSearchParams(queries));
  const pages = routeTable.filter(
    ({ path, audience }) => audience === 'open' && /^\/(portal|operators)/.test(path) && !ending.test(path),
  );
  const seeds = pages.map(({ method, path }) => {
    const at = path.replaceAll(/\{channel\w*\}/g, '<channel>').replaceAll(/\{\w+\}/g, '<account>');
    return `${method.toUpperCase()} ${at}?${query}\ncsrf=<csrf>&name=a&channel_id=<channel>&email=a%40example.com&${query}`;
  });
  return {
    seeds,
    maxBytes: 20_000,
    async run(given) {
      const [line = '', ...rest] = given.toString('latin1').split('\n');
      const [, method = 'GET', path = '/portal'] = /^(GET|POST) (\S+)/.exec(line) ?? [];
      const target = encodeURI(
        path.replaceAll('<channel>', channels[0]?.id ?? '').replaceAll('<account>', account.accountId),
      )
        .replaceAll('%25', '%')
        .replace(/^[/\\]*/, '/');
      if (ending.test(target)) return 'passed over';
      const { csrf } = target.startsWith('/operators') ? operator : person;
      const body = rest
        .join('\n')
        .replaceAll('<csrf>', csrf)
        .replaceAll('<channel>', channels[0]?.id ?? '');
      const { status, text, headers } = await call(method, url + target, {
        headers: {
          cookie: `${person.cookie}; ${operator.cookie}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        ...(method === 'GET' ? {} : { raw: Buffer.from(body, 'latin1') }),
      });
      checkStatus(status, text);
      defects.check();
      const to = headers.get('location') ?? '';
      if (to.startsWith('/portal/sign-in?next=') || to.startsWith(`${enterPath}?next=`))
        await signIn(person, operator);
      return `${method} ${status} ${to.replace(/\?.*/, '').slice(0, 30)}`;
    },
    tidy: () => tidied(attacked),
    close: () => attacked.close(),
  };
}

let people = 0;

/** Signs a new person up, and the operator in. */
async function signIn(person: Visitor, operator: Operator): Promise<void> {
  people += 1;
  for (const visitor of [person, operator]) visitor.cookies.clear();
  await person.ask('/portal/sign-up');
  const password = 'correct horse battery staple';
  await person.post('/portal/sign-up', { email: `fuzz-${people}@example.com`, password });
  await operator.ask(enterPath);
  await operator.post(enterPath, { token: adminToken });
  if (!person.cookies.has('trunkline_session') || !operator.cookies.has('trunkline_operator'))
    throw new Error(`not signed in: ${person.cookie}; ${operator.cookie}`);
}
