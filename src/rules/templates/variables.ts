/** What a client must give to send a template. */
import { readParts } from './parts.ts';
import type { CardParts, Variable } from './parts.ts';
import type { ParameterFormat, TemplateForm } from './template.ts';

/** A button that needs a value in every send. */
export interface ButtonVariable extends Variable {
  index: number;
  type: string;
}

/** The values of one card; a list is null if there are none. */
export interface CardVariables {
  header: readonly Variable[] | null;
  body: readonly Variable[] | null;
  buttons: readonly ButtonVariable[] | null;
}

/** Values that a send of the template must give, with upstream's examples. [spec: TemplateVariablesSummary] */
export interface VariablesSummary extends CardVariables {
  /** Of the template and its cards; the end of an offer is one. */
  totalCount: number;
  parameterFormat: ParameterFormat;
  /** null: the template is no carousel. */
  cards: readonly CardVariables[] | null;
  needsOfferEnd: boolean;
}

/** Does not count buttons that repeat the body's code, and optional values. */
export function variablesSummary(template: TemplateForm): VariablesSummary {
  const parts = readParts(template);
  const own = cardVariables(parts);
  const cards = parts.cards.map(cardVariables);
  return {
    ...own,
    totalCount: [own, ...cards].reduce((sum, card) => sum + countIn(card), parts.endsOffer ? 1 : 0),
    parameterFormat: template.parameterFormat,
    cards: orNull(cards),
    needsOfferEnd: parts.endsOffer,
  };
}

function cardVariables({ header, body, buttons }: CardParts): CardVariables {
  const needed = buttons
    .filter(({ isNeeded, isCode }) => isNeeded && !isCode)
    .map(({ index, type, example }) => ({ index, type, position: 1, name: null, example }));
  return { header: orNull(header?.variables ?? []), body: orNull(body), buttons: orNull(needed) };
}

function countIn({ header, body, buttons }: CardVariables): number {
  return (header?.length ?? 0) + (body?.length ?? 0) + (buttons?.length ?? 0);
}

function orNull<T>(list: readonly T[]): readonly T[] | null {
  return list.length === 0 ? null : list;
}
