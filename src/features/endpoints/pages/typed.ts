/**
 * What a person gives in the forms of an endpoint. As in the form of a channel's settings, hidden fields say what the page showed when it
 * was made: only what differs from it is changed, and what somebody else has changed since is not overwritten unseen.
 */
import { kindOf } from '../../../rules/channels/kinds.ts';
import type { ChannelType } from '../../../rules/vocabulary.ts';
import { fault, fieldFault } from '../../../kernel/faults.ts';
import { idFrom } from '../../../kernel/ids.ts';
import { checkedEvents } from '../../../pages/forms/check.tsx';
import type { ReadForm } from '../../../pages/forms/form.tsx';
import type { Problems } from '../../../pages/forms/problems.ts';
import { changedElsewhereWords, wasField } from '../../../pages/forms/was.ts';
import type { Endpoint } from '../entity.ts';
import type { PatchedHeaders } from '../headers.ts';

/** In place of the value of a stored header, which is shown to nobody. No header can have it: it is not ASCII. */
const masked = '••••••••';

const fields = ['url', 'headers', 'events'] as const;
type EndpointField = (typeof fields)[number];

export const fieldWords: Record<EndpointField, string> = {
  url: 'Address of its receiver',
  headers: 'Headers',
  events: 'Events',
};

/** What the form shows of each field, as one text. */
export type ShownFields = Record<EndpointField, string>;

export function shownOf({ url, headers, events }: Endpoint, type: ChannelType): ShownFields {
  const lines = (headers?.names ?? []).map((name) => `${name}: ${masked}`);
  return { url, headers: lines.join('\n'), events: inOrder(events, type) };
}

/** Differs after any change of the values of headers, which the form does not show. */
export function markOfValues({ headers }: Endpoint): string {
  return headers === null ? '' : idFrom('headers', headers.sealed);
}

function inOrder(events: readonly string[], type: ChannelType): string {
  return kindOf(type)
    .availableEvents.filter((event) => events.includes(event))
    .join(' ');
}

function typedOf(form: ReadForm, type: ChannelType): ShownFields {
  return {
    url: form.text('url'),
    headers: linesOf(form.text('headers')).join('\n'),
    events: checkedEvents(form, kindOf(type).availableEvents).join(' '),
  };
}

/** A browser sends the lines of a field with CR. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** What the page showed; undefined: it did not say. */
function wasOf(form: ReadForm, field: EndpointField): string | undefined {
  const [was] = form.all(wasField(field));
  return was === undefined ? undefined : linesOf(was).join('\n');
}

/** What the person changed. */
export function changedFields(form: ReadForm, type: ChannelType): EndpointField[] {
  const typed = typedOf(form, type);
  return fields.filter((field) => wasOf(form, field) !== typed[field]);
}

/** Throws 409 `conflict` if somebody else has changed what the person changed, since the page was made. */
export function refuseChangedElsewhere(form: ReadForm, standing: Endpoint, type: ChannelType): void {
  const [typed, stored] = [typedOf(form, type), shownOf(standing, type)];
  const [values] = form.all(wasField('values'));
  const others = changedFields(form, type).filter((field) => {
    if (field === 'headers' && values !== undefined && values !== markOfValues(standing)) return true;
    const was = wasOf(form, field);
    return was !== undefined && was !== stored[field] && typed[field] !== stored[field];
  });
  if (others.length === 0) return;
  throw fault('conflict', { why: changedElsewhereWords(others.map((field) => fieldWords[field])) });
}

/** These fields, as a request of the API. Throws 422 `validation` at the headers. */
export function givenIn(form: ReadForm, type: ChannelType, given: readonly EndpointField[]): object {
  return {
    ...(given.includes('url') ? { url: form.text('url') } : {}),
    ...(given.includes('headers') ? { headers: headersTyped(form) } : {}),
    ...(given.includes('events') ? { events: checkedEvents(form, kindOf(type).availableEvents) } : {}),
  };
}

function headersTyped(form: ReadForm): Record<string, string> {
  const pairs = linesOf(form.text('headers')).map((line, at) => {
    const colon = line.indexOf(':');
    if (colon < 1) throw fieldFault(['body', 'headers'], `Line ${at + 1} is not written as Name: value`);
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const;
  });
  const headers = Object.fromEntries(pairs);
  if (Object.keys(headers).length < pairs.length)
    throw fieldFault(['body', 'headers'], 'a header is named twice');
  return headers;
}

/** Where the mask still stands, the value stays as it is stored. */
export function withKept(headers: PatchedHeaders): PatchedHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value === masked ? null : value]),
  );
}

/** What is wrong with single headers, with their names at their one field. */
export function atHeaders(problems: Problems): Problems {
  const own = Object.entries(problems.fields).filter(([path]) => path.startsWith('headers.'));
  if (own.length === 0) return problems;
  const words = own.map(([path, problem]) => `${path.slice('headers.'.length)}: ${problem}`);
  return { ...problems, fields: { ...problems.fields, headers: words.join(' ') } };
}
