import { listAccounts, inspectAccount, suspendAccount } from './accounts.ts';
import { adminRoute } from '../route.ts';
import { maxEmail } from '../../rules/email.ts';
import { toIso } from '../../kernel/clock.ts';
import { cursorFields, readText, parseTime } from '../../http/validation/query.ts';
import { noBody } from '../../http/validation/request-body.ts';
import { inQuery, pageParameters } from '../../http/parameters.ts';
import * as schemas from './account-schemas.ts';
import { createKey, revokeKey, createAccount } from '../accounts/index.ts';
import { createSubscription, updateSubscription, subscriptionOut } from '../licences/index.ts';
import { makeInvitationLink, resetSecondStep, setRole, makeResetLink } from '../people/index.ts';

const tag = 'Operators: accounts';

/** [operator-interface §3, Admin API] */
export const accountRoutes = [
  adminRoute({
    get: '/admin/v1/accounts',
    name: 'listAccounts',
    tag,
    summary: 'Lists the accounts, newest first',
    description: 'Without `limit` a page has at most 100 accounts.',
    parameters: [
      inQuery('email', { type: 'string', maxLength: maxEmail }, 'Only the account with this e-mail address'),
      ...pageParameters,
    ],
    body: noBody,
    success: { status: 200, schema: schemas.accountList },
    async answer({ query, page }, { world }) {
      const found = await listAccounts(world, readText(query, 'email', maxEmail), page);
      return { accounts: found.items.map(schemas.accountOut.of), ...cursorFields(found.nextCursor) };
    },
  }),
  adminRoute({
    get: '/admin/v1/accounts/{account_id}',
    name: 'inspectAccount',
    tag,
    summary: 'Returns an account with its API keys, licences, channels and people',
    description:
      'API keys are shown by id and first characters; revoked keys are not listed. At most 1,000 keys and 1,000 channels.',
    body: noBody,
    success: { status: 200, schema: schemas.accountInsight.schema },
    async answer(call, { world, clock, graceMs }) {
      const insight = await inspectAccount(world, call.id('account_id'));
      return schemas.accountInsight.of({ ...insight, moment: { now: clock.now(), graceMs } });
    },
  }),
  adminRoute({
    post: '/admin/v1/accounts',
    name: 'createAccount',
    tag,
    summary: 'Creates an account with an API key and a trial licence',
    description: 'The response shows the key; it is not shown again.',
    errors: [409],
    body: schemas.accountRequest,
    success: { status: 201, schema: schemas.accountCreated },
    async answer({ body, by }, { world }) {
      const request = { email: body.email, name: body.name ?? null, tier: body.tier ?? null };
      const created = await createAccount(world, by, request);
      return {
        account_id: created.account.id,
        api_key_id: created.apiKeyId,
        api_key: created.apiKey,
        subscription_id: created.subscriptionId,
      };
    },
  }),
  adminRoute({
    patch: '/admin/v1/accounts/{account_id}',
    name: 'suspendAccount',
    tag,
    summary: 'Suspends an account, or resumes it',
    description:
      'Sends of a suspended account are answered with 402; every node applies this within 5 seconds. Events are still received and delivered.',
    body: schemas.accountPatch,
    success: { status: 200, schema: schemas.accountOut.schema },
    async answer(call, { world }) {
      const after = await suspendAccount(world, call.by, call.id('account_id'), call.body);
      return schemas.accountOut.of(after);
    },
  }),
  adminRoute({
    post: '/admin/v1/accounts/{account_id}/keys',
    name: 'createKey',
    tag,
    summary: 'Creates an API key for an account',
    description:
      'The response shows the key; it is not shown again, and what it may do. An account has at most 50 keys that are not revoked.',
    errors: [400],
    body: schemas.keyRequest,
    success: { status: 201, schema: schemas.keyCreated.schema },
    async answer(call, { world }) {
      const { name, scopes, expires_at } = call.body;
      const asked = { name: name ?? null, scopes: scopes ?? null, endsAt: parseTime(expires_at) ?? null };
      const created = await createKey(world, call.by, call.id('account_id'), asked);
      return schemas.keyCreated.of(created);
    },
  }),
  adminRoute({
    post: '/admin/v1/people/reset-link',
    name: 'makeResetLink',
    tag,
    summary: 'Creates a link with which a person of an account sets a new password',
    description:
      'For an installation without a mail server: give the link only to that person. It works once, within one hour.',
    errors: [404],
    body: schemas.resetLinkRequest,
    success: { status: 201, schema: schemas.resetLink },
    async answer({ body, by }, { world }) {
      const { link, expiresAt } = await makeResetLink(world, by, body.email);
      return { link, expires_at: toIso(expiresAt) };
    },
  }),
  adminRoute({
    patch: '/admin/v1/people/{person_id}',
    name: 'setRole',
    tag,
    summary: "Changes a person's role in the account",
    description:
      'For an account whose owners are gone: with an owner, its people do this in the portal. The last owner who can sign in keeps the role (409).',
    errors: [404, 409],
    body: schemas.personPatch,
    success: { status: 200, schema: schemas.personOut.schema },
    async answer(call, { world }) {
      return schemas.personOut.of(await setRole(world, call.by, call.id('person_id'), call.body));
    },
  }),
  adminRoute({
    delete: '/admin/v1/people/{person_id}/second-step',
    name: 'resetSecondStep',
    tag,
    summary: 'Switches the two-step sign-in of a person off',
    description:
      'For a person who has lost the app and the recovery codes: verify first who asks. The password is enough again.',
    body: noBody,
    success: { status: 200, schema: schemas.personOut.schema },
    async answer(call, { world }) {
      return schemas.personOut.of(await resetSecondStep(world, call.by, call.id('person_id')));
    },
  }),
  adminRoute({
    post: '/admin/v1/people/{person_id}/invitation-link',
    name: 'makeInvitationLink',
    tag,
    summary: 'Creates a link with which an invited person joins an account',
    description:
      'For an installation without a mail server: give the link only to that person. It works once, within three days.',
    errors: [404],
    body: noBody,
    success: { status: 201, schema: schemas.invitationLink },
    async answer(call, { world }) {
      const { link, expiresAt } = await makeInvitationLink(world, call.by, call.id('person_id'));
      return { link, expires_at: toIso(expiresAt) };
    },
  }),
  adminRoute({
    delete: '/admin/v1/keys/{key_id}',
    name: 'revokeKey',
    tag,
    summary: 'Revokes an API key',
    body: noBody,
    does: (call, { world }) => revokeKey(world, call.by, call.id('key_id')),
  }),
  adminRoute({
    post: '/admin/v1/accounts/{account_id}/subscriptions',
    name: 'createSubscription',
    tag,
    summary: 'Grants a licence to an account',
    body: schemas.subscriptionRequest,
    success: { status: 201, schema: subscriptionOut.schema },
    async answer(call, { world, clock, graceMs }) {
      const { tier, source, expires_at, auto_renew } = call.body;
      const request = {
        tier,
        source,
        expiresAt: parseTime(expires_at) ?? null,
        autoRenew: auto_renew ?? false,
      };
      const created = await createSubscription(world, call.by, call.id('account_id'), request);
      return subscriptionOut.of({ ...created, moment: { now: clock.now(), graceMs } });
    },
  }),
  adminRoute({
    patch: '/admin/v1/subscriptions/{subscription_id}',
    name: 'updateSubscription',
    tag,
    summary: 'Changes a licence',
    body: schemas.subscriptionPatch,
    success: { status: 200, schema: subscriptionOut.schema },
    async answer(call, { world, clock, graceMs }) {
      const { status, tier, expires_at, auto_renew } = call.body;
      const patch = { status, tier, expiresAt: parseTime(expires_at), autoRenew: auto_renew };
      const updated = await updateSubscription(world, call.by, call.id('subscription_id'), patch);
      return subscriptionOut.of({ ...updated, moment: { now: clock.now(), graceMs } });
    },
  }),
];
