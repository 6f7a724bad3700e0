import type { ChatKind } from './chat-kinds.ts';
import { escape, writePage } from './html.ts';
import type { Line } from './lines.ts';
import type { Channel, Person } from './model.ts';

/** What the page shows: the person played, the channel, and the conversation. */
export type ChatView = {
  readonly channel: Channel;
  readonly person: Person;
  readonly channels: readonly Channel[];
  readonly people: readonly Person[];
  readonly lines: readonly Line[];
  readonly blocked: boolean;
  readonly kind: ChatKind;
  /** Whether the business has an app of its own to write from. */
  readonly hasApp: boolean;
};

const style = `
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 1rem auto; padding: 0 1rem; }
  form, fieldset { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; margin: .5rem 0; }
  fieldset { border: 1px solid #8888; border-radius: .5rem; }
  label { display: grid; }
  input, select, button { font: inherit; padding: .4rem .6rem; }
  input[name=text] { min-width: 16rem; }
  input[type=number] { width: 4rem; }
  ol { list-style: none; padding: 0; min-height: 8rem; max-height: 50vh; overflow-y: auto; }
  li { border: 1px solid #8888; border-radius: .8rem; padding: .3rem .8rem; margin: .3rem 0; width: fit-content; max-width: 80%; overflow-wrap: anywhere; }
  li.person { margin-left: auto; }
  li:has(:checked) { border-color: #f5a623; }
  :focus-visible { outline: 3px solid #f5a623; outline-offset: 2px; }
`;

// The page also works without the script; a reload then shows new answers. The script keeps the chosen message chosen.
const script = `
  let shown = '';
  setInterval(async () => {
    const lines = new URL(location.href);
    lines.searchParams.set('part', 'lines');
    const answer = await fetch(lines).catch(() => null);
    const html = answer && answer.ok ? await answer.text() : shown;
    if (html === shown) return;
    shown = html;
    const list = document.querySelector('ol');
    const about = list.querySelector(':checked')?.value;
    list.innerHTML = html;
    for (const choice of list.querySelectorAll('input')) choice.checked = choice.value === about;
    list.scrollTop = list.scrollHeight;
  }, 1000);
`;

/** A chat window in which somebody plays a person who writes to the business, beside the business's own app. */
export function chatPage(view: ChatView): string {
  const { channel, person, channels, people } = view;
  const body = `<main>
<h1>Play a person</h1>
<form method="get"><label>Business <select name="channel">${channels.map((one) => option(one.id, nameOf(one), one.id === channel.id)).join('')}</select></label>
<label>Person <select name="person">${people.map((one) => option(one.id, one.name, one.id === person.id)).join('')}</select></label><button type="submit">Open</button></form>
<h2>${escape(person.name)} and ${escape(nameOf(channel))}</h2>
<ol aria-live="polite">${chatLines(view.lines)}</ol>
${personForm(view)}
${view.hasApp ? appForm(view) : '<p>This number has no app of its own to write from: it is not dual-use.</p>'}
</main><script>${script}</script>`;
  return writePage('Simulator: chat', style, body);
}

function personForm({ kind, blocked }: ChatView): string {
  const files = kind.attachments.map(
    (type) => `<label>${type} <input type="number" name="${type}" min="0" max="10" value="0"></label>`,
  );
  return `<form id="write" method="post" enctype="multipart/form-data"><label>Message <input name="text" autocomplete="off" autofocus></label>
<label>as <select name="type">${kind.types.map((type) => option(type, type, false)).join('')}</select></label>
${act('write', 'Send')}
${files.length === 0 ? '' : `<fieldset><legend>Attachments of each type</legend>${files.join('')}</fieldset>`}
<label>Your own file <input type="file" name="own"></label>
<fieldset><legend>The chosen message</legend>${act('reply', 'Reply')}${act('react', 'React')}${act('unreact', 'Take reaction back')}${act('edit', 'Edit')}${kind.unsend === null ? '' : act('unsend', 'Unsend')}</fieldset>
${act('read', 'Read all')}${blocked ? act('unblock', 'Unblock') : act('block', 'Block')}</form>`;
}

function appForm({ kind }: ChatView): string {
  const types = kind.appTypes.map((type) => option(type, type, false)).join('');
  return `<form method="post"><label>From the business’s own app <input name="text" autocomplete="off"></label>
<label>as <select name="type">${types}</select></label>${act('app', 'Send from the app')}</form>`;
}

function act(name: string, text: string): string {
  return `<button type="submit" name="do" value="${name}" formnovalidate>${text}</button>`;
}

/** The lines alone, which the page's script fetches repeatedly. */
export function chatLines(lines: readonly Line[]): string {
  return lines
    .map(({ who, text, at, id }) => {
      const time = new Date(at).toISOString().slice(11, 19);
      const choice =
        id === null
          ? ''
          : `<input type="radio" form="write" name="about" value="${escape(id)}" aria-label="Choose: ${escape(text)}"> `;
      return `<li class="${who}"><small>${choice}${who} ${time}</small><br>${escape(text)}</li>`;
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
