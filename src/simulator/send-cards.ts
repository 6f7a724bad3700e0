import { asBag, asList, asNumber, asText, type Bag } from './bag.ts';
import { GraphError } from './graph-error.ts';

/** Checks a chatapp place, list of contacts or reaction. Throws GraphError 131008 for what is missing, 131009 for what is invalid. */
export function checkCard(type: string, given: unknown): void {
  if (type === 'location') checkLocation(asBag(given));
  else if (type === 'contacts') checkContacts(asList(given)?.map(asBag));
  else if (type === 'reaction') checkReaction(asBag(given));
}

function checkLocation(location: Bag | undefined): void {
  for (const [name, most] of [
    ['latitude', 90],
    ['longitude', 180],
  ] as const) {
    const degrees = asNumber(location?.[name]);
    if (degrees === undefined) throw missing(`location['${name}']`);
    if (Math.abs(degrees) > most) throw invalid(`location['${name}'] is out of range`);
  }
}

function checkContacts(contacts: readonly (Bag | undefined)[] | undefined): void {
  if (contacts === undefined || contacts.length === 0) throw missing('contacts');
  if (contacts.length > 257) throw invalid('contacts must have at most 257 items');
  for (const contact of contacts) {
    const { formatted_name: shown, ...parts } = asBag(contact?.name) ?? {};
    if (asText(shown) === undefined) throw missing("contacts['name']['formatted_name']");
    if (Object.keys(parts).length === 0) throw missing("contacts['name']['first_name']");
  }
}

function checkReaction(reaction: Bag | undefined): void {
  if (asText(reaction?.message_id) === undefined) throw missing("reaction['message_id']");
  const emoji = asText(reaction?.emoji);
  if (emoji === undefined) throw missing("reaction['emoji']");
  if (
    emoji !== '' &&
    !/\p{Extended_Pictographic}|\p{Regional_Indicator}|[0-9#*]\u{FE0F}?\u{20E3}/u.test(emoji)
  )
    throw invalid("reaction['emoji'] is not an emoji");
}

function missing(what: string): GraphError {
  return new GraphError({ code: 131008, details: `The parameter ${what} is required.` });
}

function invalid(details: string): GraphError {
  return new GraphError({ code: 131009, details });
}
