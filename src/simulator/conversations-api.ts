import type { Router } from 'express';
import { asText } from './bag.ts';
import { authenticate, type Call } from './call.ts';
import { pick, Reference } from './fields.ts';
import { badParameter, missingObject } from './graph-error.ts';
import { param, type GraphRoute } from './graph-route.ts';
import { conversationIdOf, pairOf, shownMessage, shownThread, type Thread } from './conversation-shape.ts';
import { linesOf } from './lines.ts';
import type { Page, Photo } from './model.ts';
import { nodeTypes } from './node-types.ts';
import { writePaging } from './paging.ts';
import type { World } from './world.ts';

/** Conversations of a page or its photoapp account, and their messages [upstream protocol 9.1]. */
export function addConversationRoutes(router: Router, graph: GraphRoute, world: World): void {
  router.get(
    '/:id/conversations',
    graph((call, req) => list(world, call, param(req, 'id'))),
  );
  router.get(
    '/:id/messages',
    graph((call, req) => messages(world, call, param(req, 'id'))),
  );
}

function ownPage(world: World, call: Call): Page {
  const token = authenticate(world, call);
  const node = world.nodes.get(token.subject);
  if (token.kind === 'page' && node?.type === 'page') return node;
  throw missingObject(call.path.split('/')[1] ?? '');
}

/** The page or its photoapp account, selected by its own id or by `platform`. */
function findChannel(world: World, call: Call, id: string): Page | Photo {
  const page = ownPage(world, call);
  const platform = (asText(call.bag.platform) ?? 'messenger').toLowerCase();
  if (platform !== 'messenger' && platform !== 'instagram')
    throw badParameter('Param platform must be one of {MESSENGER, INSTAGRAM}');
  const isPhoto = id === page.photo?.id || platform === 'instagram';
  const channel = isPhoto ? page.photo : page;
  if (channel && ['me', page.id, channel.id].includes(id)) return channel;
  throw missingObject(id);
}

/** Newest first, as upstream lists them. */
function threadsOf(world: World, channel: Page | Photo): Thread[] {
  const threads = [...linesOf(world, channel)].map(([personId, lines]) => ({
    channel,
    personId,
    lines: lines.filter((line) => line.id !== null).toReversed(),
  }));
  return threads
    .filter(({ lines }) => lines.length > 0)
    .toSorted((one, other) => (other.lines[0]?.at ?? 0) - (one.lines[0]?.at ?? 0));
}

function list(world: World, call: Call, id: string): Record<string, unknown> {
  const userId = asText(call.bag.user_id);
  const threads = threadsOf(world, findChannel(world, call, id)).filter(
    ({ personId }) => userId === undefined || personId === userId,
  );
  return writePaging(
    world,
    call,
    threads.map((thread) => shown(world, call, thread)),
  );
}

function shown(world: World, call: Call, thread: Thread): Record<string, unknown> {
  const path = `/${conversationIdOf(thread)}/messages`;
  const { access_token, limit } = call.bag;
  const edge = { ...call, path, bag: { ...(access_token === undefined ? {} : { access_token }), limit } };
  const items = thread.lines.map(
    (line) => new Reference(shownMessage(world, thread, line), nodeTypes.message, nodeTypes.message.defaults),
  );
  const node = { ...shownThread(world, thread), messages: writePaging(world, edge, items) };
  return pick(node, asText(call.bag.fields), nodeTypes.thread);
}

function threadOf(world: World, call: Call, id: string): Thread | undefined {
  const pair = pairOf(id);
  if (!pair) return undefined;
  const page = ownPage(world, call);
  const channel = [page, page.photo].find((candidate) => candidate?.id === pair.channelId);
  if (!channel) return undefined;
  return threadsOf(world, channel).find(({ personId }) => personId === pair.personId);
}

function messages(world: World, call: Call, id: string): Record<string, unknown> {
  const thread = threadOf(world, call, id);
  if (!thread) throw missingObject(id);
  const fields = asText(call.bag.fields);
  const items = thread.lines.map((line) =>
    pick(shownMessage(world, thread, line), fields, nodeTypes.message),
  );
  return writePaging(world, call, items);
}

/** `GET /{id}` of a conversation or of one of its messages; undefined when the id is neither. */
export function showConversationNode(world: World, call: Call, id: string): unknown {
  const thread = threadOf(world, call, id);
  if (thread) return shown(world, call, thread);
  if (!/^(?:m_|aWdfZAG1)/.test(id)) return undefined;
  const page = ownPage(world, call);
  for (const channel of [page, ...(page.photo ? [page.photo] : [])])
    for (const found of threadsOf(world, channel)) {
      const line = found.lines.find((candidate) => candidate.id === id);
      if (line) return pick(shownMessage(world, found, line), asText(call.bag.fields), nodeTypes.message);
    }
  throw missingObject(id);
}
