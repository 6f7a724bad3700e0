/** The pages and forms of the portal and the operators' console, asked by who is signed in to both. */
import { hashSecret } from '../../../src/kernel/ids.ts';
import { enterPath } from '../../../src/pages/paths.ts';
import { call } from '../../support/api.ts';
import { routeTable } from '../../support/routes.ts';
import { adminToken } from '../../support/service.ts';
import type { Target } from '../target.ts';
import { checkStatus, openAttacked, tidied } from './attacked.ts';

type Cookies = Map<string, string>;

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
  const cookies: Cookies = new Map();
  await signIn(url, cookies);
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
      const csrf = csrfOf(cookies, target.startsWith('/operators') ? 'operator' : 'session');
      const body = rest
        .join('\n')
        .replaceAll('<csrf>', csrf)
        .replaceAll('<channel>', channels[0]?.id ?? '');
      const { status, text, headers } = await call(method, url + target, {
        headers: { cookie: headerOf(cookies), 'content-type': 'application/x-www-form-urlencoded' },
        ...(method === 'GET' ? {} : { raw: Buffer.from(body, 'latin1') }),
      });
      checkStatus(status, text);
      defects.check();
      const to = headers.get('location') ?? '';
      if (to.startsWith('/portal/sign-in?next=') || to.startsWith(`${enterPath}?next=`))
        await signIn(url, cookies);
      return `${method} ${status} ${to.replace(/\?.*/, '').slice(0, 30)}`;
    },
    tidy: () => tidied(attacked),
    close: () => attacked.close(),
  };
}

const headerOf = (cookies: Cookies): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

const csrfOf = (cookies: Cookies, kind: 'session' | 'operator'): string => {
  const visit = kind === 'operator' ? 'operator_visit' : 'visit';
  return hashSecret(`csrf:${cookies.get(`trunkline_${kind}`) ?? cookies.get(`trunkline_${visit}`) ?? ''}`);
};

let people = 0;

/** Signs a new person up, and the operator in. */
async function signIn(url: string, cookies: Cookies): Promise<void> {
  people += 1;
  cookies.clear();
  await visit(url, '/portal/sign-up', cookies);
  const password = 'correct horse battery staple';
  await visit(url, '/portal/sign-up', cookies, {
    csrf: csrfOf(cookies, 'session'),
    email: `fuzz-${people}@example.com`,
    password,
  });
  await visit(url, enterPath, cookies);
  await visit(url, enterPath, cookies, { csrf: csrfOf(cookies, 'operator'), token: adminToken });
  for (const name of ['trunkline_session', 'trunkline_operator'])
    if (!cookies.has(name)) throw new Error(`not signed in: ${[...cookies.keys()].join()}`);
}

async function visit(
  url: string,
  path: string,
  cookies: Cookies,
  form?: Record<string, string>,
): Promise<void> {
  const answer = await fetch(url + path, {
    method: form === undefined ? 'GET' : 'POST',
    redirect: 'manual',
    headers: { cookie: headerOf(cookies) },
    ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
  });
  await answer.arrayBuffer();
  for (const each of answer.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
    if (value === '') cookies.delete(name);
    else cookies.set(name, value);
  }
}
