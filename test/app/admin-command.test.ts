/** [operator-interface §1] `npm run admin`: every command line is a call, help, or a sentence that says what is wrong with it. */
import { describe, expect, test } from '@jest/globals';
import { readCommandLine } from '../../src/app/admin/command-line.ts';
import { commands } from '../../src/app/admin/commands.ts';
import { routeTable } from '../support/routes.ts';

const line = (text: string) =>
  readCommandLine(
    text.split(' ').filter((word) => word !== ''),
    'npm run admin --',
  );
const parseCall = (text: string) => {
  const asked = line(text);
  if (asked.what !== 'call') throw new Error(asked.text);
  return asked.call;
};

describe('a command line is a call of the admin API', () => {
  test.each([
    ['accounts', { method: 'GET', path: '/accounts' }],
    ['accounts --email a+b@c.de --limit 5', { method: 'GET', path: '/accounts?email=a%2Bb%40c.de&limit=5' }],
    ['account ../nodes', { method: 'GET', path: '/accounts/..%2Fnodes' }],
    ['create-account --email a@b.c', { method: 'POST', path: '/accounts', body: { email: 'a@b.c' } }],
    [
      'create-subscription id --tier pro --source enterprise --expires-at null --auto-renew false',
      {
        method: 'POST',
        path: '/accounts/id/subscriptions',
        body: { tier: 'pro', source: 'enterprise', expires_at: null, auto_renew: false },
      },
    ],
    [
      'update-subscription id --auto-renew maybe',
      { method: 'PATCH', path: '/subscriptions/id', body: { auto_renew: 'maybe' } },
    ],
    [
      'bind-channel id --subscription null',
      { method: 'PATCH', path: '/channels/id', body: { subscription_id: null } },
    ],
    ['mails --account id', { method: 'GET', path: '/mails?account_id=id' }],
  ])('%s', (text, call) => {
    expect(parseCall(text)).toEqual(call);
  });

  test('--url and --token choose the service and the credentials', () => {
    expect(line('nodes --url http://a:1 --token t')).toMatchObject({
      place: { url: 'http://a:1', token: 't' },
    });
  });

  test("every operators' route has a command", () => {
    const asked = Object.values(commands).map(({ call }) => call('', { tier: '', email: '', source: '' }));
    const paths = asked.map(({ method, path }) => `${method} ${path.replaceAll(/\?.*/g, '')}`);
    const routes = routeTable
      .filter(({ audience }) => audience === 'admin')
      .map(
        ({ method, path }) =>
          `${method.toUpperCase()} ${path.replace('/admin/v1', '').replaceAll(/\{\w+\}/g, '')}`,
      );
    expect(new Set(paths)).toEqual(new Set(routes));
  });
});

describe('help', () => {
  test.each(['', 'help', '--help', '-h', 'help --url http://a:1'])('%j lists every command', (text) => {
    const asked = line(text);
    expect(asked.what).toBe('help');
    for (const name of Object.keys(commands))
      expect(asked).toMatchObject({ text: expect.stringContaining(`  ${name} `) });
  });

  test.each(Object.keys(commands))('of %s lists its arguments', (name) => {
    const about = line(`help ${name}`);
    expect(about).toEqual({ what: 'help', text: expect.stringContaining(commands[name]?.does ?? '') });
    expect(line(`${name} --help`)).toEqual(about);
  });

  test('shows required arguments plainly and optional ones in brackets', () => {
    expect(line('help create-account')).toMatchObject({
      text: expect.stringContaining('create-account --email E [--name N] [--tier starter|pro]'),
    });
  });
});

describe('an invalid command line', () => {
  test.each([
    ['acounts', "There is no command 'acounts'."],
    ['create', 'Did you mean create-account or create-key or create-subscription?'],
    ['help nobody', "There is no command 'nobody'."],
    ['constructor', "There is no command 'constructor'."],
    ['account', 'account: ACCOUNT_ID is required'],
    ['account a b', "account: unexpected argument 'b'"],
    ['nodes a', "nodes: unexpected argument 'a'"],
    ['create-account', 'create-account: --email E is required'],
    ['bind-channel a', 'bind-channel: --subscription ID|null is required'],
    ['nodes --email a', "Unknown option '--email'"],
    ['accounts --email', 'accounts: '],
  ])('%s', (text, problem) => {
    expect(line(text)).toEqual({ what: 'misuse', text: expect.stringContaining(problem) });
  });
});
