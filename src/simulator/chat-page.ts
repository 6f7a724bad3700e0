import type { Channel, Person } from './model.ts';

/** One line of a conversation, whoever said it. */
export type Line = { readonly at: number; readonly who: 'person' | 'business'; readonly text: string };

/** What the page shows: whom one plays, towards which channel, and what was said. */
export type ChatView = {
  readonly channel: Channel;
  readonly person: Person;
  readonly channels: readonly Channel[];
  readonly people: readonly Person[];
  readonly lines: readonly Line[];
  readonly blocked: boolean;
};

/** What a person can send from the page. */
export const chatTypes = [
  'text',
  'image',
  'video',
  'voice',
  'audio',
  'document',
  'file',
  'sticker',
  'location',
] as const;

const style = `
  :root { color-scheme: light dark; }
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 1rem auto; padding: 0 1rem; }
  form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; margin: .5rem 0; }
  label { display: grid; }
  input, select, button { font: inherit; padding: .4rem .6rem; }
  input { min-width: 14rem; }
  ol { list-style: none; padding: 0; min-height: 8rem; }
  li { border: 1px solid #8888; border-radius: .8rem; padding: .3rem .8rem; margin: .3rem 0; width: fit-content; max-width: 80%; }
  li.person { margin-left: auto; }
  :focus-visible { outline: 3px solid #f5a623; outline-offset: 2px; }
`;

// Without it the page works too; one then reloads to see what the business answered.
const script = `
  setInterval(async () => {
    const lines = new URL(location.href);
    lines.searchParams.set('part', 'lines');
    const answer = await fetch(lines).catch(() => null);
    if (answer && answer.ok) document.querySelector('ol').innerHTML = await answer.text();
  }, 1000);
`;

/** A chat window in which somebody plays a person who writes to the business. */
export function chatPage(view: ChatView): string {
  const { channel, person, channels, people, blocked } = view;
  const act = (name: string, text: string): string =>
    `<button type="submit" name="do" value="${name}" formnovalidate>${text}</button>`;
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Simulator: chat</title><style>${style}</style></head><body><main>
<h1>Play a person</h1>
<form method="get"><label>Business <select name="channel">${channels.map((one) => option(one.id, nameOf(one), one.id === channel.id)).join('')}</select></label>
<label>Person <select name="person">${people.map((one) => option(one.id, one.name, one.id === person.id)).join('')}</select></label><button type="submit">Open</button></form>
<h2>${escape(person.name)} and ${escape(nameOf(channel))}</h2>
<ol aria-live="polite">${chatLines(view.lines)}</ol>
<form method="post"><label>Message <input name="text" autocomplete="off" autofocus></label>
<label>as <select name="type">${chatTypes.map((type) => option(type, type, false)).join('')}</select></label>
<button type="submit" name="do" value="write">Send</button>${act('read', 'Read all')}${blocked ? act('unblock', 'Unblock') : act('block', 'Block')}</form>
</main><script>${script}</script></body></html>`;
}

/** The lines alone, for the page that asks again. */
export function chatLines(lines: readonly Line[]): string {
  return lines
    .map(({ who, text, at }) => {
      const time = new Date(at).toISOString().slice(11, 19);
      return `<li class="${who}"><small>${who} ${time}</small><br>${escape(text)}</li>`;
    })
    .join('');
}

function nameOf(channel: Channel): string {
  if (channel.type === 'phone') return `${channel.verifiedName} ${channel.display}`;
  return channel.type === 'page' ? `${channel.name} (page)` : `@${channel.username}`;
}

function option(value: string, text: string, isChosen: boolean): string {
  return `<option value="${escape(value)}"${isChosen ? ' selected' : ''}>${escape(text)}</option>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
