import type { Channel } from '../rules/channels/channel.ts';
import type { UpstreamAdmin } from './connecting-calls.ts';
import { Fault, fault } from '../kernel/faults.ts';
import type { ChannelType } from '../rules/vocabulary.ts';
import type { DialogSettings } from './kind.ts';
import { isOperatorFault } from '../rules/messages/operator-fault.ts';
import { isTokenRefused as tokenIsRefused } from './credentials.ts';
import type { GraphError } from './graph-error.ts';
import { upstreamKindOf } from './kinds.ts';
import { requireSuccess } from './graph.ts';
import type { ChannelCalls, Graph, GraphSettings } from './graph.ts';
import { subscriptionPath } from './subscription.ts';
import { inspectToken, readEnd, renewedToken } from './tokens.ts';

interface AdminWorld extends Pick<ChannelCalls, 'openToken' | 'log'> {
  newGraph: () => Graph;
  settings: GraphSettings & DialogSettings;
}

/** Implements `UpstreamAdmin`. Each flow ends within 25 s. */
export function makeAdmin({ newGraph, openToken, settings, log }: AdminWorld): UpstreamAdmin {
  return {
    dialogUrl: (request) => makeDialogUrl(settings, request),
    readAssets: (request) =>
      upstreamKindOf(request.channelType).connect.assets({ graph: newGraph(), settings, log }, request),
    isTokenRefused,
    tokenEnd: async (of) => readEnd(await inspectToken(newGraph(), settings, openToken(of))),
    renewToken: (of) => renewedToken(newGraph(), settings, openToken(of)),
    isConfigured: (channelType) => upstreamKindOf(channelType).connect.isConfigured(settings),
    async subscribe(channel) {
      await subscribeChannel(newGraph(), channel, openToken(channel));
    },
    async register(channel, mayCall) {
      const calls = { graph: newGraph(), token: openToken(channel), pinSecret: settings.pinSecret };
      return upstreamKindOf(channel.channelType).connect.register(calls, channel, mayCall);
    },
    async unsubscribe(channel) {
      // The channel is removed here in any case, and its token may have been dead for long. [upstream §9.17]
      if (channel.token === null) return;
      const why = await unsubscribeChannel(newGraph(), channel, openToken(channel));
      if (why !== null) log.info({ channel: channel.id, why }, 'upstream.unsubscribe-refused');
    },
  };

  async function isTokenRefused(channel: Channel): Promise<boolean> {
    if (channel.token === null) return true;
    try {
      const token = openToken(channel);
      return (await inspectToken(newGraph(), settings, token))['is_valid'] === false;
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      return false; // a missing answer refuses nothing
    }
  }
}

/** URL of the dialog in which a person picks and grants assets. [upstream §2.1 step 1, §2.4 redirect variant (b)] */
function makeDialogUrl(
  settings: DialogSettings,
  request: { channelType: ChannelType; redirectUri: string; state: string },
): string {
  const url = new URL(settings.dialogUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${settings.version}/dialog/oauth`;
  url.searchParams.set('client_id', settings.appId);
  url.searchParams.set('redirect_uri', request.redirectUri);
  url.searchParams.set('state', request.state);
  url.searchParams.set('response_type', 'code');
  const own = upstreamKindOf(request.channelType).connect.dialogParams(settings);
  for (const [name, value] of own) url.searchParams.set(name, value);
  return url.href;
}

/** Subscribes to the webhooks of the business account or page. [upstream §2.2, §2.4] */
async function subscribeChannel(graph: Graph, channel: Channel, token: string): Promise<void> {
  const form = upstreamKindOf(channel.channelType).connect;
  const path = subscriptionPath(channel);
  const attempt = await graph.attempt({ method: 'POST', path, query: form.subscriptionQuery, token });
  if (attempt.ok) return requireSuccess(attempt.answer, 'the webhook subscription');
  const advice = adviceOn(attempt.error);
  if (advice === null) throw attempt.fault;
  throw fault('upstream_refused', { why: `${advice} (${String(attempt.fault.details['why'])})` });
}

/** What a person can do about a refusal that no repetition ends; null: it may pass. [upstream §3.5] */
function adviceOn(error: GraphError): string | null {
  const { code } = error;
  if (code === null || isOperatorFault(error)) return null;
  if (tokenIsRefused(code)) return 'it no longer accepts the access token; connect the channel again';
  if (code === 3 || code === 10 || (code >= 200 && code <= 299))
    return 'a permission for its events is missing; connect the channel again as somebody with full control of it, and allow every permission in the dialog';
  if (code === 100 || code === 803)
    return 'it does not let the service subscribe to the events; connect the channel again as somebody with full control of it';
  return null;
}

/** Why no repetition ends the subscription; null: it has ended. Throws Fault `upstream_failed` if it may end later. */
async function unsubscribeChannel(graph: Graph, channel: Channel, token: string): Promise<string | null> {
  const attempt = await graph.attempt({ method: 'DELETE', path: subscriptionPath(channel), token });
  if (attempt.ok) return null;
  if (adviceOn(attempt.error) === null) throw attempt.fault;
  return attempt.fault.message;
}
