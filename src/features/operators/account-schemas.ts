/** Bodies of the admin API about accounts, their keys and licences. [operator-interface §3] */
import { addressIn, maxEmail } from '../../rules/email.ts';
import { roles } from '../../rules/person.ts';
import { scopes } from '../../rules/scopes.ts';
import { sources, tiers } from '../../rules/licences/subscription.ts';
import { toIso } from '../../kernel/clock.ts';
import type { AccountInsight } from './types.ts';
import { nextCursor, subscriptionStatuses } from '../../http/schemas/common.ts';
import type { Moment } from '../../http/schemas/subscription-info.ts';
import { LazyList } from '../../http/long-json.ts';
import { answer, liftCells } from '../../http/validation/response-body.ts';
import type { Cells } from '../../http/validation/response-body.ts';
import {
  flag,
  givenTimestamp,
  listOf,
  oneOfWords,
  openWords,
  orNull,
  ourId,
  requestObject,
  responseObject,
  string,
  text,
  timestamp,
  withExample,
} from '../../http/validation/json-schema.ts';
import type { JsonSchema } from '../../http/validation/json-schema.ts';
import { optionalBody, requestBody } from '../../http/validation/request-body.ts';
import { maxAccountName, maxKeyName, maxReason } from '../accounts/index.ts';
import type { Account, ApiKey, CreatedKey } from '../accounts/index.ts';
import { channelOut } from '../channels/index.ts';
import { subscriptionOut } from '../licences/index.ts';
import type { Member } from '../people/index.ts';

const email: JsonSchema<string> = { type: 'string', format: 'email', maxLength: maxEmail, 'x-rule': 'email' };

export const accountRequest = requestBody(
  withExample(
    requestObject(
      'AccountRequest',
      { email },
      {
        name: orNull(text({ maxLength: maxAccountName })),
        tier: {
          ...orNull(oneOfWords(tiers)),
          description: 'Tier of the trial licence; omitted or null: the default, `TRIAL_TIER`',
        },
      },
    ),
    { email: 'owner@example.com', name: 'Harbour Bakery', tier: 'pro' },
  ),
);

export const accountPatch = requestBody(
  requestObject(
    'AccountPatch',
    {
      suspended: { ...flag, description: 'true suspends the account, false resumes it' },
    },
    {
      reason: {
        ...orNull(text({ maxLength: maxReason })),
        description: "Why it is suspended: shown to the account's people in the portal",
      },
    },
  ),
);

export const resetLinkRequest = requestBody(
  withExample(requestObject('ResetLinkRequest', { email }), { email: 'owner@example.com' }),
);

export const resetLink = responseObject('ResetLink', {
  link: { ...string, description: 'Whoever opens the link can set a new password and is signed in' },
  expires_at: timestamp,
});

export const invitationLink = responseObject('InvitationLink', {
  link: {
    ...string,
    description: 'Whoever opens the link can choose a password and is then a person of the account',
  },
  expires_at: timestamp,
});

export const accountCreated = responseObject('AccountCreated', {
  account_id: ourId,
  api_key_id: ourId,
  api_key: string,
  subscription_id: ourId,
});

const accountCells: Cells<Account> = {
  account_id: [ourId, 'id'],
  email: [string, ({ email: address }) => addressIn(address)],
  name: [orNull(string), 'name'],
  suspended_at: [
    { ...orNull(timestamp), description: 'Since when sends are answered with 402; null: not suspended' },
    ({ suspendedAt }) => toIso(suspendedAt),
  ],
  suspension_reason: [
    { ...orNull(string), description: "What the account's people are told; null: nothing" },
    'suspendedWhy',
  ],
  note: [{ ...orNull(string), description: 'Note of the operators, which the account does not see' }, 'note'],
  created_at: [timestamp, ({ createdAt }) => toIso(createdAt)],
};

export const accountOut = answer<Account>('Account', accountCells);

export const accountList = responseObject('AccountList', { accounts: listOf(accountOut.schema) }, nextCursor);

/** What a key says of itself whenever it is shown. */
const termsCells = {
  name: [{ ...orNull(string), description: 'Name given when it was made; null: none' }, 'name'],
  scopes: [
    { ...orNull(listOf(openWords(scopes))), description: 'null: everything, as a key from before scopes' },
    ({ scopes: given }) => given,
  ],
  expires_at: [
    { ...orNull(timestamp), description: 'The key is refused from then on; null: no end' },
    ({ endsAt }) => toIso(endsAt),
  ],
} satisfies Cells<ApiKey>;

const keyShown = answer<ApiKey>('Key', {
  api_key_id: [ourId, 'id'],
  name: termsCells.name,
  hint: [{ ...string, description: 'First characters of the key' }, 'hint'],
  created_at: [timestamp, ({ createdAt }) => toIso(createdAt)],
  last_used_at: [
    { ...orNull(timestamp), description: 'Updated with some minutes of delay; null: never used' },
    ({ lastUsedAt }) => toIso(lastUsedAt),
  ],
  last_used_from: [
    { ...orNull(string), description: 'IP address of the client; null: never used' },
    'lastUsedFrom',
  ],
  scopes: termsCells.scopes,
  expires_at: termsCells.expires_at,
});

export const keyRequest = optionalBody(
  withExample(
    requestObject(
      'KeyRequest',
      {},
      {
        name: orNull(text({ maxLength: maxKeyName })),
        scopes: {
          ...orNull(listOf(oneOfWords(scopes), { minItems: 1, maxItems: scopes.length })),
          description: 'What the key may do; omitted or null: everything',
        },
        expires_at: { ...orNull(givenTimestamp), description: 'The key is refused from then on' },
      },
    ),
    { name: 'shop', scopes: ['messages:send'], expires_at: null },
  ),
);

export const personOut = answer<Member>('Person', {
  person_id: [ourId, 'id'],
  email: [string, 'email'],
  role: [openWords(roles), 'role'],
  joined: [
    { ...flag, description: 'false: invited, or without a password yet; cannot sign in' },
    'hasJoined',
  ],
  two_steps: [
    { ...flag, description: 'Whether signing in takes a code beside the password' },
    'hasSecondStep',
  ],
  created_at: [timestamp, ({ createdAt }) => toIso(createdAt)],
  last_seen_at: [
    { ...orNull(timestamp), description: 'Accurate to an hour; null: never signed in' },
    ({ lastSeenAt }) => toIso(lastSeenAt),
  ],
});

export const personPatch = requestBody(requestObject('PersonPatch', { role: oneOfWords(roles) }));

export const accountInsight = answer<AccountInsight & { moment: Moment }>('AccountInsight', {
  ...liftCells(accountCells, ({ account }: AccountInsight) => account),
  keys: [listOf(keyShown.schema), ({ keys }) => keys.map(keyShown.of)],
  subscriptions: [
    listOf(subscriptionOut.schema),
    ({ subscriptions, moment }) =>
      new LazyList(subscriptions, (each) => subscriptionOut.of({ ...each, moment })),
  ],
  channels: [
    listOf(channelOut.schema),
    ({ channels, moment }) => channels.map((each) => channelOut.of({ ...each, moment })),
  ],
  people: [listOf(personOut.schema), ({ people }) => people.map(personOut.of)],
});

export const keyCreated = answer<CreatedKey>('KeyCreated', {
  api_key_id: [ourId, ({ stored }) => stored.id],
  api_key: [string, 'apiKey'],
  ...liftCells(termsCells, ({ stored }: CreatedKey) => stored),
});

export const subscriptionRequest = requestBody(
  withExample(
    requestObject(
      'SubscriptionRequest',
      { tier: oneOfWords(tiers), source: oneOfWords(sources) },
      { expires_at: orNull(givenTimestamp), auto_renew: flag },
    ),
    { tier: 'pro', source: 'enterprise', expires_at: null },
  ),
);

export const subscriptionPatch = requestBody(
  requestObject(
    'SubscriptionPatch',
    {},
    {
      status: oneOfWords(subscriptionStatuses),
      tier: oneOfWords(tiers),
      expires_at: orNull(givenTimestamp),
      auto_renew: flag,
    },
  ),
);
