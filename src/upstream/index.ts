import type { Upstream } from '../rules/outside.ts';
import type { Channel } from '../rules/channels/channel.ts';
import type { Sealer } from '../kernel/sealed.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { UpstreamAdmin } from './connecting-calls.ts';
import type { HealthUpstream } from './health-calls.ts';
import type { ProfileUpstream } from './profile-calls.ts';
import type { SignalUpstream } from './signal-calls.ts';
import type { TemplateUpstream } from './template-calls.ts';
import type { UploadUpstream } from './upload-calls.ts';
import type { UpstreamApp } from './app-calls.ts';
import { makeUpstreamApp } from './app.ts';
import { makeAdmin } from './admin.ts';
import { makeTemplateCalls } from './chatapp/templates.ts';
import { makeChannelCredentials, readToken } from './credentials.ts';
import type { AccessRefused, RegistrationRefused, TokenRefused } from './credentials.ts';
import { makeGraph } from './graph.ts';
import type { AppRefused, ChannelCalls, Graph } from './graph.ts';
import { makeFileLocator } from './locate-file.ts';
import { makeParser } from './parse.ts';
import type { UpstreamParser } from './parse.ts';
import { withConcurrencyLimit } from './concurrency-limit.ts';
import { upstreamWebhooksPath } from '../rules/upstream-path.ts';
import { makeHealth } from './health.ts';
import { makeProfiles } from './profiles.ts';
import { makeSend } from './send.ts';
import { makeSignals } from './signals.ts';
import { makeUploads } from './uploads.ts';
import { makeTransport } from './transport.ts';
import type { Exchanged, Transport } from './transport.ts';
import type { DialogSettings } from './kind.ts';
import type { FileLocator } from '../rules/messages/file-location.ts';

export type { AppRefused } from './graph.ts';

interface UpstreamOptions extends DialogSettings {
  /** Base URL of the API; may have a path. */
  url: string;
  /** The newest secret of the app: with it every call is proved. */
  appSecret: string;
  /** Our public URL: in the User-Agent, and before the path of the callback. */
  baseUrl: string;
  /** What upstream shows when it verifies the callback. */
  verifyToken: string;
  sealer: Sealer;
  /** Called after every exchange. */
  exchanged?: Exchanged;
  /** Called when upstream refuses a channel's token, in a send or any other call except a health check. */
  tokenRefused?: TokenRefused;
  accessRefused?: AccessRefused;
  registrationRefused?: RegistrationRefused;
  /** Called when upstream refuses the app itself, in any call. */
  appRefused?: AppRefused;
  log: Log;
  clock: Clock;
}

interface UpstreamFlows {
  admin: UpstreamAdmin;
  profiles: ProfileUpstream;
  health: HealthUpstream;
  templates: TemplateUpstream;
  signals: SignalUpstream;
  uploads: UploadUpstream;
}

/** The flows of this object use a new request id each. */
export interface UpstreamPlatform extends UpstreamFlows {
  send: Upstream;
  app: UpstreamApp;
  parser: UpstreamParser;
  files: FileLocator;
  /** The same flows, all with this request id. */
  under(requestId: string): UpstreamFlows;
  /** Loads what a call needs, so that the first call does not wait for it. */
  prepare(): Promise<void>;
  /** Ends the connections; each pending call still gets an answer. */
  close(): Promise<void>;
}

/** Every call to the upstream platform, over one connection pool. [upstream §9] */
export function makeUpstream(options: UpstreamOptions): UpstreamPlatform {
  const { url, version, appId, appSecret, sealer, tokenRefused, appRefused, log, clock } = options;
  const { accessRefused, registrationRefused } = options;
  const transport = makeTransport(url, clock, options.exchanged);
  const credentials = makeChannelCredentials(appSecret, sealer);
  const userAgent = `Trunkline/1 (+${new URL(options.baseUrl).origin})`;
  const app = { appSecret, userAgent, version, ...(appRefused === undefined ? {} : { appRefused }) };
  const settings = { ...options, userAgent };
  const callbackUrl = `${options.baseUrl.replace(/\/+$/, '')}${upstreamWebhooksPath}`;
  const openToken = (channel: Channel): string => readToken(credentials, channel, log);
  const ofClients = withConcurrencyLimit(transport, clock);
  const callsOver = (over: Transport, requestId?: string): ChannelCalls => ({
    openGraph: (channel, ownId = requestId) =>
      makeGraph(over, settings, clock, ownId, (code) => tokenRefused?.({ channel, code, isSend: false })),
    openToken,
    log,
  });
  const flows = (requestId?: string): UpstreamFlows => {
    const newGraph = (over: Transport) => (): Graph => makeGraph(over, settings, clock, requestId);
    return {
      admin: makeAdmin({ newGraph: newGraph(ofClients), openToken, settings, log }),
      health: makeHealth({ newGraph: newGraph(transport), openToken, appId, callbackUrl }),
      // Callers limit the number of profile calls.
      profiles: makeProfiles(callsOver(transport, requestId)),
      templates: makeTemplateCalls(callsOver(ofClients, requestId)),
      signals: makeSignals(callsOver(ofClients, requestId)),
      // Callers limit the number of uploads.
      uploads: makeUploads(callsOver(transport, requestId)),
    };
  };
  return {
    send: makeSend({ transport, credentials, ...app, tokenRefused, accessRefused, registrationRefused, log }),
    app: makeUpstreamApp({
      newGraph: () => makeGraph(transport, settings, clock),
      settings,
      openToken,
      callbackUrl,
    }),
    parser: makeParser(clock),
    files: makeFileLocator(callsOver(transport)),
    ...flows(),
    under: flows,
    prepare: () => transport.prepare(),
    close: () => transport.close(),
  };
}
