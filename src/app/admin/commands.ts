/** Commands of `npm run admin`, each a call of the admin API. [operator-interface §3] */

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
  /** `word`, the argument, is percent-encoded for a path. */
  call: (word: string, flags: Readonly<Record<string, string>>) => AdminCall;
}

const licenceFlags: Flags = { 'expires-at': 'ISO|null', 'auto-renew': 'true|false' };
const pageFlags: Flags = { limit: 'N', cursor: 'NEXT_CURSOR' };

export const commands: Readonly<Record<string, Command>> = {
  accounts: {
    does: 'lists accounts, newest first, or finds the one of an address',
    takes: { email: 'E', ...pageFlags },
    call: (_, { email, limit, cursor }) => get('/accounts', { email, limit, cursor }),
  },
  account: {
    does: 'an account with its keys, licences and channels',
    word: 'ACCOUNT_ID',
    call: (account) => get(`/accounts/${account}`),
  },
  'suspend-account': {
    does: 'sends of the account answer 402, on every node within 5 s; its events are delivered as before',
    word: 'ACCOUNT_ID',
    call: (account) => ({ method: 'PATCH', path: `/accounts/${account}`, body: { suspended: true } }),
  },
  'resume-account': {
    does: 'lets a suspended account send again',
    word: 'ACCOUNT_ID',
    call: (account) => ({ method: 'PATCH', path: `/accounts/${account}`, body: { suspended: false } }),
  },
  'create-account': {
    does: 'makes an account with its first key, shown once, and its trial',
    needs: { email: 'E' },
    takes: { name: 'N', tier: 'starter|pro' },
    call: (_, { email, name, tier }) => ({ method: 'POST', path: '/accounts', body: { email, name, tier } }),
  },
  'reset-link': {
    does: 'makes a link that sets a new password for a person of an account, once and within an hour',
    word: 'EMAIL',
    call: (email) => ({
      method: 'POST',
      path: '/people/reset-link',
      body: { email: decodeURIComponent(email) },
    }),
  },
  'invitation-link': {
    does: 'makes a link by which somebody who is invited joins an account, once and within three days',
    word: 'PERSON_ID',
    call: (person) => ({ method: 'POST', path: `/people/${person}/invitation-link` }),
  },
  'create-key': {
    does: 'makes one more key, shown once',
    word: 'ACCOUNT_ID',
    call: (account) => ({ method: 'POST', path: `/accounts/${account}/keys` }),
  },
  'revoke-key': {
    does: 'ends a key, on all nodes',
    word: 'KEY_ID',
    call: (key) => ({ method: 'DELETE', path: `/keys/${key}` }),
  },
  'create-subscription': {
    does: 'grants a licence',
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
    does: 'changes a licence: only what is given',
    word: 'SUBSCRIPTION_ID',
    takes: { status: 'active|expired|canceled', tier: 'starter|pro', ...licenceFlags },
    call: (id, flags) => ({ method: 'PATCH', path: `/subscriptions/${id}`, body: licence(flags) }),
  },
  'bind-channel': {
    does: 'lets a channel use a licence, or none',
    word: 'CHANNEL_ID',
    needs: { subscription: 'ID|null' },
    call: (channel, { subscription }) => ({
      method: 'PATCH',
      path: `/channels/${channel}`,
      body: { subscription_id: orNull(subscription) },
    }),
  },
  'release-claim': {
    does: 'lets another account connect the identity of an inactive channel',
    word: 'CHANNEL_ID',
    call: (channel) => ({ method: 'DELETE', path: `/channels/${channel}/claim` }),
  },
  channel: {
    does: 'who owns a channel, and how much waits there',
    word: 'CHANNEL_ID',
    call: (channel) => get(`/channels/${channel}`),
  },
  message: {
    does: 'what became of a message: its upstream calls and deliveries',
    word: 'MESSAGE_ID',
    call: (message) => get(`/messages/${message}`),
  },
  nodes: {
    does: 'which nodes live, how many channels each owns, how it is, what waits there',
    call: () => get('/nodes'),
  },
  failing: {
    does: 'channels whose endpoint takes nothing: since when, and what it answers',
    call: () => get('/failing'),
  },
  mails: {
    does: 'what was mailed, newest first: sent_at is null until a mail server took it',
    takes: { account: 'ACCOUNT_ID', ...pageFlags },
    call: (_, { account, limit, cursor }) => get('/mails', { account_id: account, limit, cursor }),
  },
  quarantine: {
    does: 'what upstream sent that nobody understood, by shape, and what ended its node twice',
    takes: pageFlags,
    call: (_, { limit, cursor }) => get('/quarantine', { limit, cursor }),
  },
  'drop-quarantined': {
    does: 'drops an item of the quarantine',
    word: 'ITEM_ID',
    call: (item) => ({ method: 'DELETE', path: `/quarantine/${item}` }),
  },
  'retry-quarantined': {
    does: 'fetches the files of a quarantined message anew and tells it anew, or a quarantined webhook',
    word: 'ITEM_ID',
    call: (item) => ({ method: 'POST', path: `/quarantine/${item}/retry` }),
  },
  audit: {
    does: 'who changed what, from where, newest first; kept a year',
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
  drain: {
    does: 'the node that answers, or a chosen one, hands its channels over and takes none until it is started anew',
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

function orNull(given: string | undefined): string | null | undefined {
  return given === 'null' ? null : given;
}
