import type { Request, Response, Router } from 'express';
import type { Bag } from './bag.ts';
import { answerText } from './call.ts';
import { chatKindOf, writtenOf, type OwnFile } from './chat-kinds.ts';
import { chatLines, chatPage, type ChatView } from './chat-page.ts';
import { businessWrites } from './control-business.ts';
import { personReads, personWrites } from './control-people.ts';
import { htmlType } from './html.ts';
import { linesOf } from './lines.ts';
import { kindOf, type Channel, type Person } from './model.ts';
import { parseMultipart } from './multipart.ts';
import type { World } from './world.ts';

const maxLines = 100;
const maxChannels = 200;

/** `/control/chat`: a page on which somebody plays the customer [upstream protocol 9]. */
export function addChatRoutes(router: Router, world: World): void {
  router.get('/chat', (req, res) =>
    withView(world, req, res, (view) => {
      const isPart = req.query.part === 'lines';
      answerText(res, 200, htmlType, isPart ? chatLines(view.lines) : chatPage(view));
    }),
  );
  router.post('/chat', (req, res) =>
    withView(world, req, res, async (view) => {
      await act(world, view, formOf(req));
      // Relative, because the simulator may be reached under another address.
      const query = new URLSearchParams({ channel: view.channel.id, person: view.person.id });
      res.redirect(303, `?${query.toString()}`);
    }),
  );
}

type Form = { readonly text: (name: string) => string | undefined; readonly own: OwnFile | undefined };

/** Reads the form as a browser sends it (multipart), or URL-encoded as other clients do. */
function formOf(req: Request): Form {
  const body: unknown = req.body;
  const raw = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  const parts = parseMultipart(raw, req.get('content-type') ?? '');
  if (parts !== undefined) return { text: (name) => parts.texts[name], own: parts.files.get('own') };
  const fields = new URLSearchParams(raw.toString('utf8'));
  return { text: (name) => fields.get(name) ?? undefined, own: undefined };
}

async function withView(
  world: World,
  req: Request,
  res: Response,
  show: (view: ChatView) => Promise<void> | void,
): Promise<void> {
  const { searchParams: query } = new URL(req.originalUrl, 'http://simulator.invalid');
  const view = viewOf(world, query.get('channel'), query.get('person'));
  if (view) await show(view);
  else answerText(res, 404, 'text/plain', 'no such business or person; leave both out to choose');
}

function viewOf(world: World, channelId: string | null, personId: string | null): ChatView | undefined {
  const channels = channelsOf(world);
  const channel = channelId === null ? channels[0] : channels.find(({ id }) => id === channelId);
  if (!channel) return undefined;
  const people = peopleOf(world, channel);
  // After a change of business the chosen person may be unknown there: then its first person is shown.
  const person = people.find(({ id }) => id === personId) ?? people[0];
  if (!person) return undefined;
  const { blocked } = world.conversation(channel.id, person.id);
  const lines = (linesOf(world, channel).get(person.id) ?? []).slice(-maxLines);
  const hasApp = channel.type !== 'phone' || channel.dualUse;
  return { channel, person, channels, people, lines, blocked, kind: chatKindOf(channel), hasApp };
}

function channelsOf(world: World): Channel[] {
  const isChannel = (node: { readonly type: string }): node is Channel =>
    node.type === 'phone' || node.type === 'page' || node.type === 'photo';
  return [...world.nodes.values()].filter(isChannel).slice(0, maxChannels);
}

function peopleOf(world: World, channel: Channel): Person[] {
  if (kindOf(channel) === 'chatapp') return [...world.phonePeople.values()];
  return [...world.nodes.values()].filter(
    (node): node is Person => node.type === 'person' && node.home === channel.id,
  );
}

async function act(world: World, { channel, person, kind, hasApp }: ChatView, form: Form): Promise<void> {
  const common = { channel: channel.id, from: person.id };
  const text = form.text('text') ?? '';
  const about = form.text('about');
  const write = async (ask: Bag | undefined): Promise<void> => {
    if (ask !== undefined) await personWrites(world, { ...common, ...ask });
  };
  const toChosen = async (ask: Bag): Promise<void> => {
    if (about !== undefined) await write({ ...ask, message_id: about });
  };
  switch (form.text('do')) {
    case 'read':
      await personReads(world, common);
      return;
    case 'block':
    case 'unblock':
      world.conversation(channel.id, person.id).blocked = form.text('do') === 'block';
      return;
    case 'react':
      return toChosen({ type: 'reaction' });
    case 'unreact':
      return toChosen({ type: 'reaction', emoji: null });
    case 'edit':
      return toChosen({ type: 'edit', ...(text === '' ? {} : { text }) });
    case 'unsend':
      return kind.unsend === null ? undefined : toChosen({ type: kind.unsend });
    case 'app':
      if (hasApp) await appWrites(world, { channel, person, kind }, text, form.text('type'));
      return;
    case 'reply':
      return about === undefined ? undefined : write(replyOf(writtenOf(channel, form.text, form.own), about));
    default:
      return write(writtenOf(channel, form.text, form.own));
  }
}

function replyOf(written: Bag | undefined, about: string): Bag | undefined {
  return written === undefined ? undefined : { ...written, reply_to: about };
}

async function appWrites(
  world: World,
  { channel, person, kind }: Pick<ChatView, 'channel' | 'person' | 'kind'>,
  text: string,
  wanted: string | undefined,
): Promise<void> {
  const type = kind.appTypes.find((known) => known === wanted) ?? 'text';
  if (type === 'text' && text === '') return;
  await businessWrites(world, { channel: channel.id, to: person.id, type, ...(text === '' ? {} : { text }) });
}
