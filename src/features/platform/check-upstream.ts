/**
 * Compares the app registered upstream, and channels, with what the service needs: a line each, in the order in which an operator would mend
 * them. Bounded in calls and time, however many channels there are. [operator-interface §1: check-upstream]
 */
import { judgeAppWebhooks } from './app-webhooks-rules.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { dayMs, toIso } from '../../kernel/clock.ts';
import { fault, Fault } from '../../kernel/faults.ts';
import type { World } from '../world.ts';
import type { AppWebhooks, ChannelAtUpstream } from '../../upstream/app-calls.ts';
import { readKnownApp } from './notes.ts';
import type { KnownApp } from './notes.ts';

export interface CheckedLine {
  /** What was looked at: `app`, an object, or a channel. */
  about: string;
  isOk: boolean;
  /** What is right, or what is wrong and what to do; one sentence, without secrets. */
  says: string;
}

export interface CheckedUpstream {
  isOk: boolean;
  lines: readonly CheckedLine[];
  channelsLookedAt: number;
  /** There are further channels, which were not looked at. */
  hasMore: boolean;
}

const mostChannels = 50;
/** No further channel is begun after this time. */
const lookMs = 20_000;
const endsSoonMs = 14 * dayMs;

type CheckWorld = Pick<World, 'stores' | 'clock' | 'upstreamApp' | 'settings'>;

/** `channelId`: that channel alone, with its token's permissions; throws 404 `not_found` without it. null: the first channels of all. */
export async function checkUpstream(
  world: CheckWorld,
  channelId: string | null = null,
): Promise<CheckedUpstream> {
  const only = channelId === null ? null : await world.stores.channels.byId(channelId);
  if (channelId !== null && only?.isActive !== true) throw fault('not_found');
  const known = await readKnownApp(world);
  const app = await checkApp(world);
  const isUsable = app.every(({ isOk }) => isOk);
  const lines = [...app, checkHandshake(known), ...checkDialog(world, known)];
  if (isUsable) lines.push(...(await checkWebhooks(world, known)));
  const channels = isUsable ? await checkChannels(world, only) : { lines: [], lookedAt: 0, hasMore: false };
  lines.push(...channels.lines);
  const { lookedAt: channelsLookedAt, hasMore } = channels;
  return { isOk: lines.every(({ isOk }) => isOk), lines, channelsLookedAt, hasMore };
}

const ok = (about: string, says: string): CheckedLine => ({ about, isOk: true, says });
const wrong = (about: string, says: string): CheckedLine => ({ about, isOk: false, says });

/** A missing answer is a line, not an error. */
async function lineOrFault(about: string, look: () => Promise<CheckedLine[]>): Promise<CheckedLine[]> {
  try {
    return await look();
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return [wrong(about, `${thrown.message}; try again`)];
  }
}

function checkApp({ upstreamApp }: CheckWorld): Promise<CheckedLine[]> {
  return lineOrFault('app', async () => {
    const said = await upstreamApp.credentials();
    if (!said.isAccepted) {
      const toDo =
        'compare UPSTREAM_APP_ID and the first of UPSTREAM_APP_SECRET with the basic settings of the app';
      return [wrong('app', `upstream refuses its id or secret (${said.why}): ${toDo}`)];
    }
    return [ok('app', 'id and secret are accepted'), checkVersion(upstreamApp.dialog.version, said.version)];
  });
}

function checkVersion(asked: string, served: string | null): CheckedLine {
  if (served === null || served === asked) return ok('version', `${asked} is served`);
  return wrong(
    'version',
    `${asked} is asked for and ${served} served: set UPSTREAM_VERSION to a version that has not ended`,
  );
}

function checkHandshake({ handshakeAt, handshakeRefusedAt }: KnownApp): CheckedLine {
  if (handshakeRefusedAt !== null && handshakeRefusedAt > (handshakeAt ?? 0))
    return wrong(
      'verification',
      `refused at ${toIso(handshakeRefusedAt)}: the verify token entered at the platform is not UPSTREAM_VERIFY_TOKEN`,
    );
  return handshakeAt === null
    ? ok('verification', 'upstream has not asked for it since this is recorded')
    : ok('verification', `last answered at ${toIso(handshakeAt)}`);
}

function checkDialog({ upstreamApp, settings }: CheckWorld, { kinds }: KnownApp): CheckedLine[] {
  const { hasSignupConfig, signupVersion, hasPagesConfig } = upstreamApp.dialog;
  const redirect = `${settings.baseUrl}/setup/callback must be listed as a redirect URI of the app`;
  const pages = hasPagesConfig ? 'pages by UPSTREAM_PAGES_CONFIG_ID' : 'pages by a list of permissions';
  const signup = hasSignupConfig
    ? `sign-up by UPSTREAM_SIGNUP_CONFIG_ID, version ${signupVersion ?? 'none'}`
    : 'no sign-up';
  const lines = [ok('dialog', `${pages}; ${signup}; ${redirect}`)];
  if (!settings.isReachable)
    lines.push(
      wrong('dialog', `upstream cannot reach ${settings.baseUrl}: set BASE_URL to a public https address`),
    );
  if (hasSignupConfig && signupVersion === null)
    lines.push(wrong('dialog', 'UPSTREAM_SIGNUP_EXTRAS names no version: the sign-up without one has ended'));
  if (!hasSignupConfig && kinds.size > 0 && [...kinds].some((kind) => needsSignup(kind)))
    lines.push(
      wrong('dialog', 'UPSTREAM_SIGNUP_CONFIG_ID is not set: such channels cannot be connected again'),
    );
  return lines;
}

function needsSignup(kind: Channel['channelType']): boolean {
  return kindOf(kind).canSend.has('template');
}

function checkWebhooks({ upstreamApp, settings }: CheckWorld, known: KnownApp): Promise<CheckedLine[]> {
  return lineOrFault('webhooks', async () => {
    const all = await upstreamApp.webhooks();
    const needed = all.filter(({ channelType }) => known.kinds.has(channelType));
    if (needed.length === 0) return [ok('webhooks', 'no channel was connected yet: nothing is needed')];
    return needed.map((one) => {
      const why = known.webhooks.get(one.channelType)?.why ?? null;
      return checkObject(one, {
        ours: upstreamApp.callbackUrl,
        why,
        isManaged: settings.appWebhooks === 'manage',
      });
    });
  });
}

interface Expected {
  ours: string;
  why: string | null;
  isManaged: boolean;
}

function checkObject(seen: AppWebhooks, { ours, why, isManaged }: Expected): CheckedLine {
  const about = `webhooks ${seen.object}`;
  const missing = seen.missing.required.join(', ');
  const toDo = isManaged
    ? `the service subscribes by itself${why === null ? '' : `, but: ${why}`}`
    : `subscribe them with ${ours}`;
  switch (judgeAppWebhooks(seen, ours)) {
    case 'right':
      return ok(about, `${seen.fields.length} fields${versionsOf(seen)}, to ${ours}`);
    case 'elsewhere':
      return wrong(
        about,
        `they go to ${seen.callbackUrl ?? ''} and not to ${ours}: delete that subscription, or use an app of its own`,
      );
    case 'off':
      return wrong(about, `upstream has switched them off: ${toDo}`);
    case 'lacking':
      return wrong(
        about,
        `${seen.callbackUrl === null ? 'no subscription; needed' : 'missing'}: ${missing}; ${toDo}`,
      );
  }
}

function versionsOf({ versions }: AppWebhooks): string {
  return versions.length === 0 ? '' : ` of ${versions.join(' and ')}`;
}

async function checkChannels(
  world: CheckWorld,
  only: Channel | null,
): Promise<{ lines: CheckedLine[]; lookedAt: number; hasMore: boolean }> {
  const { stores, clock } = world;
  if (only !== null) return { lines: await checkChannel(world, only, true), lookedAt: 1, hasMore: false };
  const found = await stores.channels.activeAfter('', mostChannels + 1);
  const endsAt = clock.monotonic() + lookMs;
  const lines: CheckedLine[] = [];
  let lookedAt = 0;
  for (const channel of found.slice(0, mostChannels)) {
    if (clock.monotonic() >= endsAt) break;
    lines.push(...(await checkChannel(world, channel)));
    lookedAt += 1;
  }
  return { lines, lookedAt, hasMore: found.length > lookedAt };
}

function checkChannel(
  { upstreamApp, clock }: CheckWorld,
  channel: Channel,
  isDetailed = false,
): Promise<CheckedLine[]> {
  const about = `${channel.channelType} ${channel.id}`;
  if (channel.token === null)
    return Promise.resolve([wrong(about, 'it has no access token: connect it again')]);
  return lineOrFault(about, async () => {
    const seen = await upstreamApp.channel(channel);
    const problems = problemsOf(seen, clock.now());
    const lines =
      problems.length === 0
        ? [ok(about, 'token, permissions and subscription are right')]
        : problems.map((says) => wrong(about, says));
    return isDetailed ? [...lines, ok(`token of ${about}`, describeToken(seen))] : lines;
  });
}

/** Names and numbers, no ids. */
function describeToken({ scopes, tokenEndsAt }: ChannelAtUpstream): string {
  const end = tokenEndsAt === null ? 'no end' : `ends at ${toIso(tokenEndsAt)}`;
  if (scopes === null) return `upstream shows no permissions; ${end}`;
  const limited = scopes.granular.map(
    ({ name, targets }) => `${name} (${targets === 0 ? 'no' : targets} targets)`,
  );
  return `scopes ${listed(scopes.plain)}; granular ${listed(limited)}; ${end}`;
}

const maxNames = 40;

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.slice(0, maxNames).join(', ');
}

function problemsOf(seen: ChannelAtUpstream, now: number): string[] {
  const { tokenRefused, tokenEndsAt, missingPermissions, isSubscribed, problems } = seen;
  if (tokenRefused !== null)
    return [`its token is refused (${tokenRefused.slice(0, 200)}): connect it again`];
  const found: string[] = [];
  if (missingPermissions !== null && missingPermissions.length > 0)
    found.push(`its token lacks ${missingPermissions.join(', ')}: connect it again and grant them`);
  if (isSubscribed !== true)
    found.push(
      'its page or account is not subscribed to the app, or lacks fields: its health check subscribes it again, or connect it again',
    );
  if (tokenEndsAt !== null && tokenEndsAt - now < endsSoonMs)
    found.push(`its token ends at ${toIso(tokenEndsAt) ?? ''}: connect it again before`);
  found.push(...problems.map(({ code, detail }) => detail ?? code));
  return found;
}
