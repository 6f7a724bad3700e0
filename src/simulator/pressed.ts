import { asBag, asList, asText, type Bag } from './bag.ts';
import type { Offer, Sent } from './model.ts';

type Choice = Offer['choices'][number];

/** What of a message can be pressed; null: nothing. [upstream docs: interactive messages; quick replies; button template] */
export function offerIn(
  id: string,
  { more, quickReplies }: Pick<Sent, 'more' | 'quickReplies'>,
): Offer | null {
  if (quickReplies.length > 0) return { id, as: 'button', choices: quickReplies };
  const interactive = asBag(more?.interactive);
  const action = asBag(interactive?.action);
  if (interactive?.type === 'button')
    return { id, as: 'button_reply', choices: listed(action?.buttons, 'id', 'reply') };
  if (interactive?.type === 'list') {
    const rows = (asList(action?.sections) ?? []).flatMap((section) => asList(asBag(section)?.rows) ?? []);
    return { id, as: 'list_reply', choices: listed(rows, 'id') };
  }
  if (more?.quick_replies !== undefined)
    return { id, as: 'quick_reply', choices: listed(more.quick_replies, 'payload') };
  const buttons = listed(asBag(more?.template)?.buttons, 'payload');
  return buttons.length === 0 ? null : { id, as: 'postback', choices: buttons };
}

/** `inside`: the member of each item that has the words; without it the item itself. An item without an id cannot be pressed: it is a link. */
function listed(items: unknown, idName: string, inside?: string): Choice[] {
  return (asList(items) ?? []).flatMap((item) => {
    const words = inside === undefined ? asBag(item) : asBag(asBag(item)?.[inside]);
    const [id, title] = [asText(words?.[idName]), asText(words?.title)];
    if (id === undefined || title === undefined) return [];
    return [{ id, title, description: asText(words?.description) }];
  });
}

/**
 * The call with what the person presses of the business's last message to press: the choice with the given `payload` or title (`text`), else
 * the first. What the call gives stays. Without such a message nothing changes.
 */
export function withPress(offer: Offer | null, ask: Bag): Bag {
  const as = ask.type === 'interactive' ? (ask.interactive ?? offer?.as) : ask.type;
  if (offer === null || as !== offer.as) return ask;
  const { choices } = offer;
  const chosen =
    ask.payload === undefined && ask.text === undefined
      ? choices[0]
      : choices.find(
          ({ id, title }) => id === ask.payload || (ask.payload === undefined && title === ask.text),
        );
  if (chosen === undefined) return ask;
  const { id: payload, title: text, description } = chosen;
  if (as === 'button') return { reply_to: offer.id, payload, text, ...ask, type: 'button' };
  const answered = ask.type === 'interactive' ? { interactive: as, reply_to: offer.id } : {};
  return { ...answered, payload, text, description, ...ask };
}
