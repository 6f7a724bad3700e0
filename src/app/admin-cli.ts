/** `npm run admin -- …`: a thin client of the admin API. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readEnvironment } from '../../config/env-file.ts';
import { asError } from '../kernel/faults.ts';

interface Command {
  usage: string;
  /** Method, path and body from the words and flags of the line. */
  call(words: string[], flags: Record<string, string>): { method: string; path: string; body?: unknown };
}

const commands: Record<string, Command> = {
  'create-account': {
    usage: '--email E [--name N] [--tier starter|pro]',
    call: (_, { email, name, tier }) => ({ method: 'POST', path: '/accounts', body: { email, name, tier } }),
  },
  'create-key': {
    usage: 'ACCOUNT_ID',
    call: ([account]) => ({ method: 'POST', path: `/accounts/${idOf(account)}/keys` }),
  },
  'revoke-key': { usage: 'KEY_ID', call: ([key]) => ({ method: 'DELETE', path: `/keys/${idOf(key)}` }) },
  'create-subscription': {
    usage: 'ACCOUNT_ID --tier T --source S [--expires-at ISO] [--auto-renew true|false]',
    call: ([account], flags) => ({
      method: 'POST',
      path: `/accounts/${idOf(account)}/subscriptions`,
      body: licence(flags),
    }),
  },
  'update-subscription': {
    usage: 'SUBSCRIPTION_ID [--status S] [--tier T] [--expires-at ISO|null] [--auto-renew true|false]',
    call: ([subscription], flags) => ({
      method: 'PATCH',
      path: `/subscriptions/${idOf(subscription)}`,
      body: licence(flags),
    }),
  },
  'bind-channel': {
    usage: 'CHANNEL_ID --subscription ID|null',
    call: ([channel], { subscription }) => ({
      method: 'PATCH',
      path: `/channels/${idOf(channel)}`,
      body: { subscription_id: subscription === 'null' ? null : subscription },
    }),
  },
  'release-claim': {
    usage: 'CHANNEL_ID',
    call: ([channel]) => ({ method: 'DELETE', path: `/channels/${idOf(channel)}/claim` }),
  },
  channel: {
    usage: 'CHANNEL_ID',
    call: ([channel]) => ({ method: 'GET', path: `/channels/${idOf(channel)}` }),
  },
  message: {
    usage: 'MESSAGE_ID',
    call: ([message]) => ({ method: 'GET', path: `/messages/${idOf(message)}` }),
  },
  nodes: { usage: '', call: () => ({ method: 'GET', path: '/nodes' }) },
  failing: { usage: '', call: () => ({ method: 'GET', path: '/failing' }) },
  mails: {
    usage: '[--account ID]',
    call: (_, { account }) => ({
      method: 'GET',
      path: account === undefined ? '/mails' : `/mails?account_id=${idOf(account)}`,
    }),
  },
  quarantine: { usage: '', call: () => ({ method: 'GET', path: '/quarantine' }) },
  drain: { usage: '', call: () => ({ method: 'POST', path: '/drain' }) },
};

const flagNames = [
  'email',
  'name',
  'tier',
  'source',
  'status',
  'expires-at',
  'auto-renew',
  'subscription',
  'account',
  'url',
  'token',
];

async function main(): Promise<number> {
  const options = Object.fromEntries(flagNames.map((name) => [name, { type: 'string' as const }]));
  const { values, positionals } = parseArgs({
    options: { ...options, help: { type: 'boolean' as const } },
    allowPositionals: true,
  });
  const [name = '', ...words] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (values.help === true) {
    process.stdout.write(`${usage()}\n`);
    return 0;
  }
  if (command === undefined) {
    process.stderr.write(`${usage()}\n`);
    return 2;
  }
  const flags = Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
  const { method, path, body } = command.call(words, flags);
  const { url, token } = whereTo(flags);
  const response = await fetch(`${url}/admin/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  (response.ok ? process.stdout : process.stderr).write(
    `${response.ok ? text : `${response.status} ${text}`}\n`,
  );
  return response.ok ? 0 : 1;
}

function licence(flags: Record<string, string>): Record<string, unknown> {
  const { status, tier, source } = flags;
  const expiresAt = flags['expires-at'];
  const autoRenew = flags['auto-renew'];
  return {
    status,
    tier,
    source,
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt === 'null' ? null : expiresAt }),
    ...(autoRenew === undefined ? {} : { auto_renew: autoRenew === 'true' }),
  };
}

function idOf(word: string | undefined): string {
  if (word === undefined) throw new Error('an id is missing; run without words to see the usage');
  return encodeURIComponent(word);
}

/** Where the service is and who we are: flags, else what this machine's service itself is configured with. */
function whereTo(flags: Record<string, string>): { url: string; token: string } {
  const { env } = readEnvironment();
  const token =
    flags['token'] ?? (env['ADMIN_TOKEN']?.trim() || generatedToken(env['DATA_DIR']?.trim() || './data'));
  return { url: flags['url'] ?? listenerOf(env), token };
}

function listenerOf(env: Record<string, string | undefined>): string {
  const host = env['ADMIN_HOST']?.trim() || 'localhost';
  const port = env['ADMIN_PORT']?.trim() || env['PORT']?.trim() || '3000';
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The one that the service made at its first start in this folder. */
function generatedToken(dataDir: string): string {
  try {
    return readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
  } catch {
    throw new Error(`no admin token: set ADMIN_TOKEN, give --token, or set DATA_DIR (${dataDir} holds none)`);
  }
}

function usage(): string {
  const lines = Object.entries(commands).map(([name, command]) => `  ${name} ${command.usage}`);
  return ['npm run admin -- COMMAND [--url http://localhost:3000] [--token T]', ...lines].join('\n');
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`${asError(error).message}\n`);
  return 1;
});
