/** Commands of `npm run admin`, each a call of the admin API. [operator-interface §3] */

import { judgeUpstream } from './upstream-lines.ts';

/** Name of a flag → placeholder of its value. */
type Flags = Readonly<Record<string, string>>;

export interface AdminCall {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path below `/admin/v1`. */
  path: string;
  body?: Readonly<Record<string, unknown>>;
}

export interface Command {
  does: string;
  /** Placeholder of the command's argument, if it takes one. */
  word?: string;
  needs?: Flags;
  takes?: Flags;
  /** How the answer is written without `--json`, and whether the command has failed because of it. Default: as tables, and never. */
  judge?: (answer: unknown) => { text: string; hasFailed: boolean };
  /** `word`, the argument, is percent-encoded for a path. */
  call: (word: string, flags: Readonly<Record<string, string>>) => AdminCall;
}

const licenceFlags: Flags = { 'expires-at': 'ISO|null', 'auto-renew': 'true|false' };
const pageFlags: Flags = { limit: 'N', cursor: 'NEXT_CURSOR' };

export const commands: Readonly<Record<string, Command>> = {
  accounts: {
    does: 'lists the accounts, newest first, or finds the account of an e-mail address',
    takes: { email: 'E', ...pageFlags },
    call: (_, { email, limit, cursor }) => get('/accounts', { email, limit, cursor }),
  },
  account: {
    does: 'shows an account with its API keys, licences, channels and people',
    word: 'ACCOUNT_ID',
    call: (account) => get(`/accounts/${account}`),
  },
  'suspend-account': {
    does: 'suspends an account: its sends are answered with 402, on every node within 5 s; events are still delivered',
    word: 'ACCOUNT_ID',
    takes: { reason: 'R' },
    call: (account, { reason }) => ({
      method: 'PATCH',
      path: `/accounts/${account}`,
      body: { suspended: true, reason },
    }),
  },
  'resume-account': {
    does: 'resumes a suspended account, which can then send again',
    word: 'ACCOUNT_ID',
    call: (account) => ({ method: 'PATCH', path: `/accounts/${account}`, body: { suspended: false } }),
  },
  'create-account': {
    does: 'creates an account with a trial licence and an API key, which is shown only once',
    needs: { email: 'E' },
    takes: { name: 'N', tier: 'starter|pro' },
    call: (_, { email, name, tier }) => ({ method: 'POST', path: '/accounts', body: { email, name, tier } }),
  },
  'reset-link': {
    does: 'creates a link with which a person of an account sets a new password; works once, within an hour',
    word: 'EMAIL',
    call: (email) => ({
      method: 'POST',
      path: '/people/reset-link',
      body: { email: decodeURIComponent(email) },
    }),
  },
  'invitation-link': {
    does: 'creates a link with which an invited person joins an account; works once, within three days',
    word: 'PERSON_ID',
    call: (person) => ({ method: 'POST', path: `/people/${person}/invitation-link` }),
  },
  'set-role': {
    does: "changes a person's role in the account, for example when an account has lost its owners",
    word: 'PERSON_ID',
    needs: { role: 'owner|developer|viewer' },
    call: (person, { role }) => ({ method: 'PATCH', path: `/people/${person}`, body: { role } }),
  },
  'reset-second-step': {
    does: 'switches the two-step sign-in of a person off, who has lost app and recovery codes',
    word: 'PERSON_ID',
    call: (person) => ({ method: 'DELETE', path: `/people/${person}/second-step` }),
  },
  'create-key': {
    does: 'creates an API key for an account, which is shown only once',
    word: 'ACCOUNT_ID',
    takes: { name: 'N', scopes: 'messages:send,…', 'expires-at': 'ISO|null' },
    call: (account, flags) => ({ method: 'POST', path: `/accounts/${account}/keys`, body: keyTerms(flags) }),
  },
  'revoke-key': {
    does: 'revokes an API key on all nodes',
    word: 'KEY_ID',
    call: (key) => ({ method: 'DELETE', path: `/keys/${key}` }),
  },
  'create-subscription': {
    does: 'grants a licence to an account',
    word: 'ACCOUNT_ID',
    needs: { tier: 'starter|pro', source: 'trial|billing_provider|enterprise' },
    takes: licenceFlags,
    call: (account, flags) => ({
      method: 'POST',
      path: `/accounts/${account}/subscriptions`,
      body: licence(flags),
    }),
  },
  'update-subscription': {
    does: 'changes a licence; what is not given stays as it is',
    word: 'SUBSCRIPTION_ID',
    takes: { status: 'active|expired|canceled', tier: 'starter|pro', ...licenceFlags },
    call: (id, flags) => ({ method: 'PATCH', path: `/subscriptions/${id}`, body: licence(flags) }),
  },
  'bind-channel': {
    does: 'binds a channel to a licence, or unbinds it with null',
    word: 'CHANNEL_ID',
    needs: { subscription: 'ID|null' },
    call: (channel, { subscription }) => ({
      method: 'PATCH',
      path: `/channels/${channel}`,
      body: { subscription_id: orNull(subscription) },
    }),
  },
  'release-claim': {
    does: 'releases the claim of an inactive channel, so that another account can connect its identity',
    word: 'CHANNEL_ID',
    call: (channel) => ({ method: 'DELETE', path: `/channels/${channel}/claim` }),
  },
  channel: {
    does: 'shows the owner node, the epoch and the queue lengths of a channel',
    word: 'CHANNEL_ID',
    call: (channel) => get(`/channels/${channel}`),
  },
  message: {
    does: 'shows the timeline of a message: its upstream calls and webhook deliveries',
    word: 'MESSAGE_ID',
    call: (message) => get(`/messages/${message}`),
  },
  nodes: {
    does: 'lists the live nodes with their channels, state, load and queues',
    call: () => get('/nodes'),
  },
  failing: {
    does: 'lists channels whose webhook_url, or a further endpoint, fails, since when, and with what answer',
    call: () => get('/failing'),
  },
  channels: {
    does: 'lists active channels with a problem at upstream, the longest troubled first; --problem: those with one; refused tokens only with --problem token_refused',
    takes: { problem: 'token_refused|access_removed|…', ...pageFlags },
    call: (_, { problem, limit, cursor }) => get('/channels', { problem, limit, cursor }),
  },
  mails: {
    does: 'lists the mails of the service, newest first; sent_at: when a mail server accepted the mail; given_up: why a mail is not tried again',
    takes: { account: 'ACCOUNT_ID', ...pageFlags },
    call: (_, { account, limit, cursor }) => get('/mails', { account_id: account, limit, cursor }),
  },
  quarantine: {
    does: 'lists the quarantine: items of upstream webhooks that could not be processed, and messages that crashed a node twice',
    takes: pageFlags,
    call: (_, { limit, cursor }) => get('/quarantine', { limit, cursor }),
  },
  'drop-quarantined': {
    does: 'deletes an item from the quarantine',
    word: 'ITEM_ID',
    call: (item) => ({ method: 'DELETE', path: `/quarantine/${item}` }),
  },
  'retry-quarantined': {
    does: 'retries an item of the quarantine: a message with its files, or a webhook item',
    word: 'ITEM_ID',
    call: (item) => ({ method: 'POST', path: `/quarantine/${item}/retry` }),
  },
  audit: {
    does: 'lists the audit log of a year, newest first: who changed what, and from where',
    takes: {
      account: 'ACCOUNT_ID',
      actor: 'operator|person|key|service',
      action: 'ACTION',
      since: 'ISO',
      until: 'ISO',
      ...pageFlags,
    },
    call: (_, { account, ...filter }) => get('/audit', { account_id: account, ...filter }),
  },
  'check-upstream': {
    does: 'compares the app registered upstream, and channels, with what the service needs; exits with 1 if anything is wrong',
    takes: { channel: 'CHANNEL_ID' },
    call: (_, { channel }) => get('/upstream', { channel_id: channel }),
    judge: judgeUpstream,
  },
  drain: {
    does: 'drains a node: it hands its channels over to other nodes and takes none until it is restarted; without --node, the node that answers',
    takes: { node: 'NODE_ID' },
    call: (_, { node }) => ({ ...get('/drain', { node_id: node }), method: 'POST' }),
  },
};

function get(path: string, query: Readonly<Record<string, string | undefined>> = {}): AdminCall {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, value);
  return { method: 'GET', path: params.size === 0 ? path : `${path}?${params.toString()}` };
}

function licence(flags: Readonly<Record<string, string>>): Record<string, unknown> {
  const { status, tier, source } = flags;
  const renews = flags['auto-renew'];
  return {
    status,
    tier,
    source,
    expires_at: orNull(flags['expires-at']),
    // Any other word is passed on for the service to reject.
    auto_renew: renews === 'true' ? true : renews === 'false' ? false : renews,
  };
}

function keyTerms({ name, scopes, 'expires-at': end }: Readonly<Record<string, string>>): AdminCall['body'] {
  return { name, scopes: scopes?.split(','), expires_at: orNull(end) };
}

function orNull(given: string | undefined): string | null | undefined {
  return given === 'null' ? null : given;
}
