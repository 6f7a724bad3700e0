/** The app's own webhook subscriptions, read and made with its token. [upstream §1.7] */
import type { Channel } from '../rules/channels/channel.ts';
import type { ChannelType } from '../rules/vocabulary.ts';
import { channelTypes } from '../rules/vocabulary.ts';
import { isOperatorFault } from '../rules/messages/operator-fault.ts';
import type { AppWebhooks, DialogSummary, UpstreamApp } from './app-calls.ts';
import { checkCredentials, inspectChannel } from './app-inspect.ts';
import { parseObject } from './graph-error.ts';
import type { DialogSettings } from './kind.ts';
import { requireSuccess } from './graph.ts';
import type { Attempt, Graph, GraphSettings } from './graph.ts';
import { upstreamKindOf } from './kinds.ts';
import { asList, asRecord, asText } from './read.ts';
import type { Json } from './read.ts';
import { appFields } from './webhook-fields.ts';

interface AppWorld {
  newGraph: () => Graph;
  settings: GraphSettings & DialogSettings & { verifyToken: string };
  openToken: (channel: Channel) => string;
  callbackUrl: string;
}

export function makeUpstreamApp({ newGraph, settings, openToken, callbackUrl }: AppWorld): UpstreamApp {
  const path = `/${encodeURIComponent(settings.appId)}/subscriptions`;
  const token = `${settings.appId}|${settings.appSecret}`;
  return {
    appId: settings.appId,
    callbackUrl,
    dialog: summary(settings),
    credentials: () => checkCredentials(newGraph(), settings),
    channel: (channel) =>
      inspectChannel(channel, { graph: newGraph(), app: settings, token: openToken(channel), callbackUrl }),
    async webhooks() {
      const { data } = await newGraph().call({ path, token });
      const found = asList(data).map((item) => asRecord(item) ?? {});
      return channelTypes.map((type) => read(type, found));
    },
    async subscribe(known) {
      const graph = newGraph();
      const ask = (fields: readonly string[]): Promise<Attempt> =>
        graph.attempt({
          method: 'POST',
          path,
          body: {
            object: known.object,
            callback_url: callbackUrl,
            verify_token: settings.verifyToken,
            fields: fields.join(','),
            include_values: 'true',
          },
          token,
          secrets: [settings.verifyToken],
        });
      return subscribe(ask, known);
    },
  };
}

function summary({ version, signupConfigId, signupExtras, pagesConfigId }: DialogSettings): DialogSummary {
  return {
    version,
    hasSignupConfig: signupConfigId !== null,
    signupVersion: asText(parseObject(signupExtras)?.['version']),
    hasPagesConfig: pagesConfigId !== null,
  };
}

function read(channelType: ChannelType, found: readonly Json[]): AppWebhooks {
  const { object } = upstreamKindOf(channelType).webhook;
  const item = found.find((each) => each['object'] === object);
  const listed = asList(item?.['fields']);
  const fields = listed.flatMap((field) => asText(field) ?? asText(asRecord(field)?.['name']) ?? []);
  const versions = listed.flatMap((field) => asText(asRecord(field)?.['version']) ?? []);
  const lacks = (names: readonly string[]): string[] => names.filter((name) => !fields.includes(name));
  const { required, optional } = fieldsOf(object);
  return {
    channelType,
    object,
    callbackUrl: item === undefined ? null : (asText(item['callback_url']) ?? ''),
    isActive: item?.['active'] !== false,
    fields,
    versions: [...new Set(versions)],
    missing: { required: lacks(required), optional: lacks(optional) },
  };
}

function fieldsOf(object: string): { required: readonly string[]; optional: readonly string[] } {
  return appFields[object] ?? { required: [], optional: [] };
}

const unknownName = 100;

/** One unknown name refuses the whole call: it is made again without what upstream does not list, else without what may be left out. */
async function subscribe(
  ask: (fields: readonly string[]) => Promise<Attempt>,
  { object, fields, missing }: AppWebhooks,
): Promise<{ leftOut: string[] }> {
  const all = [...new Set([...fields, ...missing.required, ...missing.optional])];
  let attempt = await ask(all);
  let asked: readonly string[] = all;
  if (!attempt.ok && attempt.error.code === unknownName && !isOperatorFault(attempt.error)) {
    const listed = namesIn(attempt.error.message);
    const { optional } = fieldsOf(object);
    asked = all.filter((name) =>
      listed.size > 0 ? listed.has(name) : fields.includes(name) || !optional.includes(name),
    );
    if (asked.length < all.length && asked.length > 0) attempt = await ask(asked);
  }
  if (!attempt.ok) throw attempt.fault;
  requireSuccess(attempt.answer, 'the webhook subscription of the app');
  return { leftOut: all.filter((name) => !asked.includes(name)) };
}

/** Upstream lists the names that it knows in braces, in capitals. */
function namesIn(message: string): ReadonlySet<string> {
  const [, list = ''] = /\{([\w\s,]{1,20000})\}/.exec(message) ?? [];
  return new Set(
    list
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== ''),
  );
}
