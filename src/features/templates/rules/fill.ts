import { onceFor } from '../../../kernel/once-for.ts';
import { fillTexts } from '../../../rules/templates/fill-texts.ts';
import type {
  FilledCard,
  FilledTemplate,
  GivenCard,
  GivenVariables,
} from '../../../rules/templates/filled.ts';
import { readParts } from '../../../rules/templates/parts.ts';
import type { CardParts, TemplateParts } from '../../../rules/templates/parts.ts';
import { fillButtons } from './fill-buttons.ts';
import { fillHeader } from './fill-header.ts';
import { unfillablePart } from './sendable.ts';
import { Problems } from '../../../rules/templates/problems.ts';
import type { Loc } from '../../../rules/templates/problems.ts';
import { notATimestamp, parseTimestamp } from '../../../http/validation/timestamp.ts';
import type { Template } from '../../../rules/templates/template.ts';

type Fillable = Pick<Template, 'name' | 'language' | 'category' | 'components' | 'parameterFormat'>;

/** The sender caches a template object and fills it many times. */
const partsToFill = onceFor<Fillable, TemplateParts>(readParts);

/**
 * Fills the template. Every variable needs a value, and no other value is allowed; throws 422 `validation` with every
 * missing, surplus and invalid one. [spec: Sending messages; upstream §3.2]
 */
export function fillTemplate(template: Fillable, given: GivenVariables | null): FilledTemplate {
  const problems = new Problems();
  const unfillable = unfillablePart(template);
  if (unfillable !== null) problems.add(['body', 'template_name'], unfillable);
  problems.refuse();
  const parts = partsToFill(template);
  const { name, language } = template;
  const at = ['body', 'variables'];
  const { header, body, buttons } = fillCard(template, parts, given, at, problems);
  const cards = fillCards(template, parts.cards, given?.cards ?? [], [...at, 'cards'], problems);
  const offerEndsAt = fillOfferEnd(parts, given?.offer_expires_at, [...at, 'offer_expires_at'], problems);
  problems.refuse();
  const filled: FilledTemplate = { name, language, header, body, buttons };
  if (cards.length > 0) filled.cards = cards;
  if (offerEndsAt !== null) filled.offerEndsAt = offerEndsAt;
  return filled;
}

function fillCard(
  { category, parameterFormat }: Fillable,
  parts: CardParts,
  given: GivenCard | null,
  at: Loc,
  problems: Problems,
): FilledCard {
  const header = fillHeader(parts.header, given?.header, parameterFormat, [...at, 'header'], problems);
  // The code's variable has no name, whatever the template's format.
  const bodyFormat = category === 'AUTHENTICATION' ? 'positional' : parameterFormat;
  const body = fillTexts(parts.body, given?.body, bodyFormat, [...at, 'body'], problems);
  const code = body[0]?.text ?? null;
  const buttons = fillButtons(parts.buttons, given?.buttons ?? [], code, [...at, 'buttons'], problems);
  return { header, body, buttons };
}

/** Upstream sends as many cards as the template has; of products it sends up to ten, each like the template's first. [upstream §3.2] */
function fillCards(
  template: Fillable,
  cards: readonly CardParts[],
  given: readonly GivenCard[],
  at: Loc,
  problems: Problems,
): FilledCard[] {
  const isOfProducts = cards[0]?.header?.format === 'PRODUCT';
  const [least, most] = isOfProducts ? [minProductCards, maxProductCards] : [cards.length, cards.length];
  if (given.length < least || given.length > most) {
    const wanted = least === most ? `${most}` : `${least} to ${most}`;
    problems.add(at, `the template takes ${wanted} cards, not ${given.length}`);
    return [];
  }
  return given.flatMap((card, place) => {
    const parts = cards[isOfProducts ? 0 : place];
    return parts === undefined || problems.isFull
      ? []
      : [fillCard(template, parts, card, [...at, place], problems)];
  });
}

const minProductCards = 2;
const maxProductCards = 10;

/** ms; null if the template has no offer that ends. Whether the time is past is upstream's matter. */
function fillOfferEnd(
  { endsOffer }: TemplateParts,
  given: string | null | undefined,
  at: Loc,
  problems: Problems,
): number | null {
  if (given == null) {
    if (endsOffer) problems.missing(at, 'the time at which the offer ends');
    return null;
  }
  const endsAt = parseTimestamp(given);
  if (!endsOffer) problems.add(at, 'the template has no offer that ends');
  else if (endsAt === null) problems.add(at, notATimestamp);
  return endsAt;
}
