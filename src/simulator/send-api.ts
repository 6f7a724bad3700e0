import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkSendable } from './access.ts';
import { followUp, followUpEarly, type Fate } from './after-send.ts';
import { answerJson, answerRefusal, authenticate, readCall, type Call } from './call.ts';
import { actOut } from './send-faults.ts';
import type { Fault } from './faults.ts';
import { GraphError, missingObject } from './graph-error.ts';
import { lateFailure } from './late-failures.ts';
import type { Sent } from './model.ts';
import { checkPhoneToken, draftChatapp } from './send-chatapp.ts';
import type { Draft } from './send-draft.ts';
import { pageRefusals } from './kept-attachments.ts';
import { checkConversation, checkPageToken, draftPage } from './send-page.ts';
import { checkRates } from './send-rates.ts';
import { pageSignal, phoneSignal } from './signals.ts';
import type { World } from './world.ts';

/** Whether the request is a send call. Cheap, because it runs for every request. */
export function isSendPath(method: string | undefined, url: string | undefined): boolean {
  return (
    method === 'POST' && url !== undefined && /^(?:\/v\d+\.\d+)?\/(?:\d+|me)\/messages(?:\?|$)/.test(url)
  );
}

/** Handles a send call from the bare HTTP server: Express must not be on the path that a benchmark measures. */
export function takeSend(world: World, req: IncomingMessage, res: ServerResponse): void {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    try {
      const [only] = chunks;
      takeCall(world, readCall(req, only && chunks.length === 1 ? only : Buffer.concat(chunks)), res);
    } catch (error) {
      answerRefusal(world, res, error);
    }
  });
  // A client that disconnects while sending its body has sent nothing.
  req.on('error', () => res.destroy());
}

function takeCall(world: World, call: Call, res: ServerResponse): void {
  const fault = world.faults.forCall('POST', call.path);
  if (!fault) send(world, call, res);
  else if (fault.act !== 'ok')
    actOut(world, fault, res, call, null).catch((error: unknown) => answerRefusal(world, res, error));
  else {
    pause(world, fault.delay_ms)
      .then(() => send(world, call, res))
      .catch((error: unknown) => answerRefusal(world, res, error));
  }
}

function send(world: World, call: Call, res: ServerResponse): void {
  const read = readSend(world, call);
  if (read.is === 'answered') {
    answerJson(res, 200, read.answer);
    return;
  }
  const { draft } = read;
  const fault = world.faults.forSend({ ...draft, channel: draft.channel.id });
  if (!fault && !draft.link) {
    const failure = checkLimits(world, draft);
    followUp(world, accept(world, draft), { echo: draft.echo, failure });
    answerJson(res, 200, draft.answer);
    return;
  }
  slowSend(world, call, res, draft, fault).catch((error: unknown) => answerRefusal(world, res, error));
}

type Read =
  | { readonly is: 'draft'; readonly draft: Draft }
  | { readonly is: 'answered'; readonly answer: Record<string, unknown> };

/** The send as a draft, or the immediate answer to a call that only looks like a send. Checks in upstream's order: token, node, members. */
function readSend(world: World, call: Call): Read {
  const token = authenticate(world, call);
  const id = call.path.slice(1, call.path.indexOf('/', 1));
  const node = world.nodes.get(id === 'me' ? token.subject : id);
  if (node?.type === 'phone') {
    if (token.assets.has(node.waba.id)) checkSendable(node, world.now(), world.settings.unregistered_sends);
    checkPhoneToken(node, token, 'post');
    const answer = phoneSignal(world, node, call.bag);
    return answer ? { is: 'answered', answer } : { is: 'draft', draft: draftChatapp(world, node, call.bag) };
  }
  const page = node?.type === 'photo' ? node.page : node;
  if (page?.type !== 'page') throw missingObject(id, 'post');
  checkPageToken(page, token, 'post');
  const answer = pageSignal(world, page, token, call.bag);
  return answer
    ? { is: 'answered', answer }
    : { is: 'draft', draft: draftPage(world, page, token, call.bag, call.files.size > 0) };
}

/** Checks windows, blocks and rates; records a refusal in the ledger of sends. Returns why the send will fail later, or null. */
function checkLimits(world: World, draft: Draft): Failure {
  try {
    checkConversation(world, draft);
    checkRates(world, draft);
    return lateFailure(world, draft);
  } catch (error) {
    if (error instanceof GraphError) refuse(world, draft, error.refusal.code);
    throw error;
  }
}

// A send with a fault, or with a link that upstream fetches: only these are asynchronous.
async function slowSend(
  world: World,
  call: Call,
  res: ServerResponse,
  draft: Draft,
  fault: Fault | undefined,
): Promise<void> {
  if (fault && !fault.accept) {
    refuse(world, draft, fault.code ?? null);
    await actOut(world, fault, res, call, null);
    return;
  }
  if (fault && fault.delay_ms > 0) await pause(world, fault.delay_ms);
  if (fault?.held) await world.faults.released();
  const late = checkLimits(world, draft);
  const problem = await linkProblem(world, draft);
  const sent = accept(world, draft);
  const failure = fault?.act === 'fail_later' ? failureOf(fault) : (problem ?? late);
  const fate = { echo: draft.echo, failure };
  if (fault?.early) await followUpEarly(world, sent, fate);
  else if (!fault?.silent) followUp(world, sent, fate);
  if (fault) await actOut(world, { ...fault, delay_ms: 0 }, res, call, answerOf(draft, fault));
  else answerJson(res, 200, draft.answer);
}

/** The correct answer, with the state of a template send if the fault sets one [upstream protocol 3.1]. */
function answerOf(draft: Draft, fault: Fault): Record<string, unknown> {
  const { message_status: state } = fault;
  return state === undefined
    ? draft.answer
    : { ...draft.answer, messages: [{ id: draft.id, message_status: state }] };
}

async function pause(world: World, ms: number): Promise<void> {
  await new Promise<void>((resolve) => world.later(ms, resolve));
}

type Failure = Fate['failure'];

function failureOf(fault: Fault): Failure {
  return {
    code: fault.code ?? 131000,
    title: fault.title,
    details: fault.details,
    afterMs: fault.after_ms,
  };
}

/** The failure because of the link: pages refuse at once, chatapp accepts and fails later [upstream protocol 9.6]. */
async function linkProblem(world: World, draft: Draft): Promise<Failure> {
  const problem = (await draft.link?.check()) ?? null;
  if (!problem) return null;
  if (draft.kind === 'chatapp' && !world.settings.sync_media_failure)
    return { code: 131053, details: problem.details, afterMs: world.settings.media_failure_delay_ms };
  const refusal =
    draft.kind === 'chatapp' ? { code: 131052, details: problem.details } : pageRefusals[problem.reason];
  refuse(world, draft, refusal.code);
  throw new GraphError(refusal);
}

function accept(world: World, draft: Draft): Sent {
  const sent = entry(world, draft, 'accepted', null);
  world.record(sent);
  return sent;
}

function refuse(world: World, draft: Draft, code: number | null): void {
  world.record(entry(world, draft, 'refused', code));
}

function entry(world: World, draft: Draft, outcome: Sent['outcome'], code: number | null): Sent {
  const { kind, channel, recipient, type, text, tag, more, quickReplies } = draft;
  const id = outcome === 'accepted' ? draft.id : null;
  return {
    n: 0,
    at: world.now(),
    kind,
    channel,
    recipient,
    type,
    text,
    tag,
    more,
    quickReplies,
    id,
    outcome,
    code,
    status: 'accepted',
  };
}
