import { asBag, asList, asText, type Bag } from './bag.ts';
import type { Offer, Template } from './model.ts';

/** A template or a card of one, with the components of the send that fill it. */
type Filled = { readonly card: Template; readonly given: readonly Bag[] };

/** The quick replies of a template that was sent, and of its cards: a press says the button's text and the send's payload, or the text again. */
export function quickRepliesIn(filled: readonly Filled[]): Offer['choices'] {
  return filled.flatMap(({ card, given }) => {
    const component = card.components.find((part) => asText(part.type)?.toUpperCase() === 'BUTTONS');
    return (asList(component?.buttons) ?? []).flatMap((item, index) => {
      const button = asBag(item);
      const title = asText(button?.text);
      if (asText(button?.type)?.toUpperCase() !== 'QUICK_REPLY' || title === undefined) return [];
      return [{ id: payloadOf(given, index) ?? title, title, description: undefined }];
    });
  });
}

function payloadOf(given: readonly Bag[], index: number): string | undefined {
  const part = given.find(
    (one) => asText(one.type)?.toLowerCase() === 'button' && asText(one.index) === String(index),
  );
  return asText(asBag(asList(part?.parameters)?.[0])?.payload);
}
