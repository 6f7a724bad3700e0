import { asBag, asList, asNumber, asText, type Bag } from './bag.ts';
import { GraphError } from './graph-error.ts';
import type { Template } from './model.ts';

/** Buttons that every send must fill, and the code of a send that does not [upstream's pages on these templates]. */
const neededButtons: Readonly<Record<string, number>> = {
  MPM: 131008,
  CATALOG: 131008,
  ORDER_DETAILS: 131008,
  FLOW: 131009,
};

/** Checks that a send has the parts that its template cannot do without. Throws GraphError 131008, 131009, 132000 or 132012. */
export function checkWholeParts(template: Template, given: readonly Bag[]): void {
  checkOffer(partOf(template.components, 'LIMITED_TIME_OFFER'), partOf(given, 'LIMITED_TIME_OFFER'));
  checkCarousel(partOf(template.components, 'CAROUSEL'), partOf(given, 'CAROUSEL'));
  checkNeededButtons(template, given);
}

function partOf(parts: readonly Bag[], type: string): Bag | undefined {
  return parts.find((part) => asText(part.type)?.toUpperCase() === type);
}

function missing(what: string): GraphError {
  return new GraphError({ code: 131008, details: `components: ${what} component is missing` });
}

function checkOffer(component: Bag | undefined, given: Bag | undefined): void {
  if (component === undefined || asBag(component.limited_time_offer)?.has_expiration === false) return;
  if (given === undefined) throw missing('limited_time_offer');
  const offer = asBag(asBag(asList(given.parameters)?.[0])?.limited_time_offer);
  if (asNumber(offer?.expiration_time_ms) === undefined)
    throw new GraphError({ code: 132012, details: 'limited_time_offer: expiration_time_ms is missing' });
}

function checkCarousel(component: Bag | undefined, given: Bag | undefined): void {
  if (component === undefined) return;
  if (given === undefined) throw missing('carousel');
  const [expected, cards] = [asList(component.cards) ?? [], asList(given.cards) ?? []];
  // One approved card of a product stands for up to ten [upstream's page on product card carousels].
  const isOfProducts = headerFormat(expected[0]) === 'PRODUCT';
  if (isOfProducts ? cards.length >= 2 && cards.length <= 10 : cards.length === expected.length) return;
  const details = `carousel: number of cards (${cards.length}) does not match the expected number (${expected.length})`;
  throw new GraphError({ code: 132000, details });
}

function checkNeededButtons(template: Template, given: readonly Bag[]): void {
  const buttons = asList(partOf(template.components, 'BUTTONS')?.buttons) ?? [];
  buttons.forEach((item, index) => {
    const type = asText(asBag(item)?.type)?.toUpperCase() ?? '';
    const code = neededButtons[type];
    const isFilled = given.some(
      (part) => asText(part.type)?.toLowerCase() === 'button' && asText(part.index) === String(index),
    );
    if (code === undefined || isFilled) return;
    throw new GraphError({
      code,
      details: `buttons: Button at index ${index} of type ${type} requires a parameter`,
    });
  });
}

function headerFormat(card: unknown): string | undefined {
  const components = (asList(asBag(card)?.components) ?? []).map((item) => asBag(item) ?? {});
  return asText(partOf(components, 'HEADER')?.format)?.toUpperCase();
}

/** Each card that is sent, with the template that its components must fit. Throws GraphError 132012 for a wrong `card_index`. */
export function cardsSent(template: Template, given: readonly Bag[]): { card: Template; given: Bag[] }[] {
  const bags = (list: unknown): Bag[] => (asList(list) ?? []).map((item) => asBag(item) ?? {});
  const expected = bags(partOf(template.components, 'CAROUSEL')?.cards);
  return bags(partOf(given, 'CAROUSEL')?.cards).map((sent, place) => {
    if (asNumber(sent.card_index) !== place)
      throw new GraphError({ code: 132012, details: `carousel: card_index ${place} is missing` });
    const approved = expected[place] ?? expected[0];
    return { card: { ...template, components: bags(approved?.components) }, given: bags(sent.components) };
  });
}
