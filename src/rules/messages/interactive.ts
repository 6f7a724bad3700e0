/** A text with something to press: what it holds, and what each kind of channel takes. [upstream §3.1, §3.3] */
import { asRecord, asText, recordsIn } from '../../kernel/json.ts';
import type { Json } from '../../kernel/json.ts';
import { fault, valueFault } from '../../kernel/faults.ts';
import type { ChannelType } from '../vocabulary.ts';
import { countCharacters } from './text.ts';

export const interactiveTypes = ['buttons', 'quick_replies', 'list', 'url', 'location_request'] as const;
type InteractiveType = (typeof interactiveTypes)[number];

interface Choice {
  /** Comes back when the choice is pressed. */
  id: string;
  title: string;
}

type Row = Choice & { description: string | null };

export interface Section {
  title: string | null;
  rows: Row[];
}

export type Action =
  | { type: 'buttons' | 'quick_replies'; buttons: Choice[] }
  | { type: 'list'; button: string; sections: Section[] }
  | { type: 'url'; title: string; url: string }
  | { type: 'location_request' };

export interface InteractiveContent {
  type: 'interactive';
  text: string;
  /** A line above and below the text; null: none. */
  header: string | null;
  footer: string | null;
  action: Action;
}

/** Most characters of each field, and most choices; an absent header or footer means that there is none. */
interface InteractiveLimits {
  text: number;
  header?: number;
  footer?: number;
  choices?: number;
  id?: number;
  title?: number;
  /** Whether two choices cannot have one title. */
  hasOwnTitles?: boolean;
}

/** By type; a type that is absent cannot be sent. */
export type InteractiveRules = Readonly<Partial<Record<InteractiveType, InteractiveLimits>>>;

/** The largest that any kind takes: for the schema. */
export const mostOf = {
  text: 4096,
  line: 60,
  id: 1000,
  title: 24,
  description: 72,
  choices: 13,
  sections: 10,
};

/**
 * The content if this kind takes it. Throws 400 `unsupported_content` for a type, header or footer that the kind has not, 400
 * `content_too_long` with `{field, limit, length}`, 422 for an id that occurs twice, and for a title where upstream refuses that.
 */
export function checkInteractive(
  content: InteractiveContent,
  { type: channelType, interactive }: { type: ChannelType; interactive: InteractiveRules },
): InteractiveContent {
  const { text, header, footer, action } = content;
  const limits = interactive[action.type];
  if (limits === undefined) throw unsupported(action.type, channelType);
  const tooLong = (field: string, limit: number | undefined, value: string | null): void => {
    if (value === null) return;
    if (limit === undefined) throw unsupported(field, channelType);
    const length = countCharacters(value);
    if (length > limit) throw fault('content_too_long', { field, limit, length, channel_type: channelType });
  };
  tooLong('text', limits.text, text);
  tooLong('header', limits.header, header);
  tooLong('footer', limits.footer, footer);
  if (action.type === 'url') tooLong('url_button.title', limits.title, action.title);
  const choices = choicesOf(action);
  for (const { id, title } of choices) {
    tooLong('id', limits.id, id);
    tooLong('title', limits.title, title);
  }
  checkCount(action, choices.length, limits.choices ?? 0, channelType);
  requireOwn(
    choices.map(({ id }) => id),
    'id',
  );
  if (limits.hasOwnTitles === true)
    requireOwn(
      choices.map(({ title }) => title),
      'title',
    );
  return content;
}

function choicesOf(action: Action): readonly Choice[] {
  if ('buttons' in action) return action.buttons;
  return action.type === 'list' ? action.sections.flatMap(({ rows }) => rows) : [];
}

function checkCount(action: Action, length: number, limit: number, channelType: ChannelType): void {
  if (length <= limit) return;
  const field = action.type === 'list' ? 'sections' : 'buttons';
  throw fault('content_too_long', { field, limit, length, channel_type: channelType });
}

function requireOwn(words: readonly string[], what: 'id' | 'title'): void {
  if (new Set(words).size < words.length)
    throw valueFault(['body'], `each choice should have ${what === 'id' ? 'an id' : 'a title'} of its own`);
}

function unsupported(what: string, channelType: ChannelType): Error {
  return fault('unsupported_content', { what, channel_type: channelType, reason: `no_${what}` });
}

/** Parses stored content; null if it is invalid. */
export function readInteractive(stored: Json): InteractiveContent | null {
  const text = asText(stored['text']);
  const action = readAction(asRecord(stored['action']) ?? {});
  if (text === null || action === null) return null;
  return {
    type: 'interactive',
    text,
    header: asText(stored['header']),
    footer: asText(stored['footer']),
    action,
  };
}

function readAction(stored: Json): Action | null {
  const text = (name: string): string => asText(stored[name]) ?? '';
  const type = interactiveTypes.find((each) => each === stored['type']);
  switch (type) {
    case 'buttons':
    case 'quick_replies':
      return { type, buttons: recordsIn(stored['buttons']).map(readChoice) };
    case 'list':
      return { type, button: text('button'), sections: recordsIn(stored['sections']).map(readSection) };
    case 'url':
      return { type, title: text('title'), url: text('url') };
    case 'location_request':
      return { type };
    default:
      return null;
  }
}

function readChoice(stored: Json): Choice {
  return { id: asText(stored['id']) ?? '', title: asText(stored['title']) ?? '' };
}

function readSection(stored: Json): Section {
  const rows = recordsIn(stored['rows']).map((row) => ({
    ...readChoice(row),
    description: asText(row['description']),
  }));
  return { title: asText(stored['title']), rows };
}
