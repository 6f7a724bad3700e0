import type { Request, Response, Router } from 'express';
import { answerText } from './call.ts';
import { chatLines, chatPage, chatTypes, type ChatView, type Line } from './chat-page.ts';
import { personReads, personWrites } from './control-people.ts';
import { kindOf, type Channel, type Person } from './model.ts';
import type { World } from './world.ts';

const maxLines = 100;
const maxChannels = 200;
const html = 'text/html; charset=utf-8';

/** `/control/chat`: a page on which somebody plays the customer [upstream protocol 9]. */
export function addChatRoutes(router: Router, world: World): void {
  router.get('/chat', (req, res) =>
    withView(world, req, res, (view) => {
      const isPart = req.query.part === 'lines';
      answerText(res, 200, html, isPart ? chatLines(view.lines) : chatPage(view));
    }),
  );
  router.post('/chat', (req, res) =>
    withView(world, req, res, async (view) => {
      const body: unknown = req.body;
      await act(world, view, new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : ''));
      // Relative: the simulator may stand behind another address.
      const query = new URLSearchParams({ channel: view.channel.id, person: view.person.id });
      res.redirect(303, `?${query.toString()}`);
    }),
  );
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
  // Who chooses another business sees its own people.
  const person = people.find(({ id }) => id === personId) ?? people[0];
  if (!person) return undefined;
  const { said, blocked } = world.conversation(channel.id, person.id);
  const answered = world.sends
    .list((sent) => sent.channel === channel && sent.recipient === person.id && sent.outcome === 'accepted')
    .map(({ at, text, type }): Line => ({ at, who: 'business', text: text ?? `[${type}]` }));
  const lines = [...said, ...answered].toSorted((one, other) => one.at - other.at).slice(-maxLines);
  return { channel, person, channels, people, lines, blocked };
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

async function act(world: World, { channel, person }: ChatView, form: URLSearchParams): Promise<void> {
  const common = { channel: channel.id, from: person.id };
  switch (form.get('do')) {
    case 'read':
      await personReads(world, common);
      return;
    case 'block':
    case 'unblock':
      world.conversation(channel.id, person.id).blocked = form.get('do') === 'block';
      return;
    default: {
      const type = chatTypes.find((known) => known === form.get('type')) ?? 'text';
      const text = form.get('text') ?? '';
      if (type === 'text' && text === '') return;
      await personWrites(world, { ...common, type, ...(text === '' ? {} : { text }) });
    }
  }
}
