import type { Upstream, UpstreamCall } from '../rules/outside.ts';
import { kindOf } from '../rules/channels/kinds.ts';
import { findChannelMeaning } from '../rules/messages/error-codes.ts';
import type { Sent } from '../rules/messages/error-codes.ts';
import type { UpstreamOutcome } from '../rules/messages/upstream-outcome.ts';
import type { Log } from '../kernel/log.ts';
import { asError } from '../kernel/faults.ts';
import { isOperatorFault } from '../rules/messages/operator-fault.ts';
import type { AppRefused } from './graph.ts';
import { hideSecrets, isAccessLost, isTokenRefused } from './credentials.ts';
import type {
  AccessRefused,
  ChannelCredentials,
  Credentials,
  RegistrationRefused,
  TokenRefused,
} from './credentials.ts';
import type { Transport } from './transport.ts';
import { upstreamKindOf } from './kinds.ts';
import type { Channel } from '../rules/channels/channel.ts';
import type { GraphError } from './graph-error.ts';
import { judge } from './outcome.ts';
import type { Judged } from './outcome.ts';

/** A normal answer has 300 bytes. [faults 38] */
const maxAnswerBytes = 256 * 1024;

interface SendParts {
  transport: Transport;
  credentials: ChannelCredentials;
  appSecret: string;
  version: string;
  userAgent: string;
  appRefused?: AppRefused;
  tokenRefused: TokenRefused | undefined;
  accessRefused: AccessRefused | undefined;
  registrationRefused: RegistrationRefused | undefined;
  log: Log;
}

/** Makes one send call; implements `Upstream`. A timeout before the first byte is written is `deferred`: nothing was sent. */
export function makeSend(parts: SendParts): Upstream {
  return {
    async send(call) {
      const form = upstreamKindOf(call.channel.channelType).send;
      const sender = form.sender(call.channel);
      const credentials = findCredentials(parts, call);
      if (credentials === 'unreadable') return unreadable;
      if (sender === null || credentials === null) return disconnected;
      const answer = await parts.transport.exchange({
        method: 'POST',
        path: `/${parts.version}/${encodeURIComponent(sender)}/messages?appsecret_proof=${credentials.proof}`,
        headers: {
          authorization: `Bearer ${credentials.token}`,
          'content-type': 'application/json',
          'user-agent': parts.userAgent,
          // Falls back to the message id, which our log holds as well.
          'x-request-id': call.requestId ?? call.messageId,
        },
        body: JSON.stringify(form.body(call)),
        timeoutMs: call.timeoutMs,
        ...(call.mayStart === undefined ? {} : { mayStart: call.mayStart }),
        maxBytes: maxAnswerBytes,
      });
      const hide = (text: string) =>
        hideSecrets(text, [credentials.token, credentials.proof, parts.appSecret]);
      const judged = judge(
        answer,
        (json) => form.accepted(json, call.recipient),
        hide,
        () => whatWasSent(call),
      );
      logNotAccepted(parts.log, call, judged, hide);
      noteRefusal(parts, call, judged);
      return judged.outcome;
    },
  };
}

/** What a refusal means beyond this send: for the app, or for the channel's token, access or number. */
function noteRefusal(
  { accessRefused, appRefused, registrationRefused, tokenRefused }: SendParts,
  { channel }: UpstreamCall,
  { said }: Judged,
): void {
  if (said === null) return;
  if (isOperatorFault(said)) appRefused?.(said);
  else if (isTokenRefused(said.code)) tokenRefused?.({ channel, code: said.code, isSend: true });
  else if (isAccessLost(said) && isOfSender(said, channel)) accessRefused?.({ channel });
  else if (said.code !== null && findChannelMeaning(said.code, said) === 'unregistered')
    registrationRefused?.({ channel, code: said.code });
}

/** 100/33 names the object: a person's id says nothing about the channel. */
function isOfSender({ code, message }: GraphError, channel: Channel): boolean {
  const sender = upstreamKindOf(channel.channelType).send.sender(channel);
  return code !== 100 || (sender !== null && message.includes(sender));
}

function whatWasSent({ channel, content }: UpstreamCall): Sent {
  if (content.type === 'media') return 'file';
  const { textBytes } = kindOf(channel.channelType);
  const isLong = textBytes !== null && content.type === 'text' && Buffer.byteLength(content.text) > textBytes;
  return isLong ? 'long-text' : 'message';
}

/** The client must do the same as after code 190. Upstream was not asked, so there is no error code. [spec: Send error codes] */
const disconnected: UpstreamOutcome = {
  outcome: 'refused',
  error: 'The channel has no usable connection to upstream; reconnect the channel',
  errorCode: null,
};

/** Our fault (a missing encryption key), perhaps on this node only, so the message does not fail. */
const unreadable: UpstreamOutcome = {
  outcome: 'deferred',
  error: 'The access token cannot be read at the moment',
  errorCode: null,
  pause: 'channel',
};

function findCredentials(
  parts: SendParts,
  { channel, requestId }: UpstreamCall,
): Credentials | null | 'unreadable' {
  try {
    return parts.credentials.of(channel);
  } catch (thrown) {
    const ids = { channel: channel.id, request_id: requestId };
    parts.log.error({ ...ids, error: asError(thrown).name }, 'upstream.token-unreadable');
    return 'unreadable';
  }
}

function logNotAccepted(
  log: Log,
  call: UpstreamCall,
  { outcome, said }: Judged,
  hide: (text: string) => string,
): void {
  if (outcome.outcome === 'accepted') return;
  log.debug(
    {
      channel: call.channel.id,
      message: call.messageId,
      request_id: call.requestId ?? null,
      outcome: outcome.outcome,
      code: said?.code ?? null,
      subcode: said?.subcode ?? null,
      fbtrace_id: hide(said?.traceId ?? ''),
      details: hide(said?.details ?? ''),
    },
    'upstream.send-not-accepted',
  );
}
