/** The variables of a template as form fields, named as in the API's errors. */
import { readParts } from '../../../rules/templates/parts.ts';
import type { ButtonPart, CardParts, HeaderPart, Variable } from '../../../rules/templates/parts.ts';
import type { GivenButton, GivenCard, GivenTexts, GivenVariables } from '../../../rules/templates/filled.ts';
import type { Template } from '../../../rules/templates/template.ts';
import type { ReadForm } from '../../../pages/forms/form.tsx';

export interface VariableField {
  /** `variables.body.0`, `variables.header.image`, `variables.cards.1.header.0`, … */
  name: string;
  label: string;
  example: string | null;
}

interface ButtonFields {
  index: number;
  value: VariableField;
  /** Ids of products; null unless the button shows several. */
  products: VariableField | null;
}

interface CardFields {
  header: readonly VariableField[];
  body: readonly VariableField[];
  buttons: readonly ButtonFields[];
}

interface SendFields extends CardFields {
  cards: readonly CardFields[];
  offerEnd: VariableField | null;
}

/** All fields, in the order of the form. */
export function allFields(template: Template): VariableField[] {
  const fields = sendFields(template);
  const ofCard = ({ header, body, buttons }: CardFields): VariableField[] => [
    ...header,
    ...body,
    ...buttons.flatMap(({ value, products }) => (products === null ? [value] : [value, products])),
  ];
  return [
    ...ofCard(fields),
    ...(fields.offerEnd === null ? [] : [fields.offerEnd]),
    ...fields.cards.flatMap(ofCard),
  ];
}

function sendFields(template: Template): SendFields {
  const parts = readParts(template);
  const offerEnd = { name: 'variables.offer_expires_at', label: 'The offer ends at', example: offerExample };
  return {
    ...cardFields(parts, 'variables', ''),
    cards: parts.cards.map((card, at) => cardFields(card, `variables.cards.${at}`, `Card ${at + 1}: `)),
    offerEnd: parts.endsOffer ? offerEnd : null,
  };
}

const offerExample = '2030-01-31T18:00:00Z';

function cardFields({ header, body, buttons }: CardParts, under: string, of: string): CardFields {
  const placed = (field: VariableField): VariableField => ({
    ...field,
    name: `${under}.${field.name}`,
    label: `${of}${field.label}`,
  });
  return {
    header: (header === null ? [] : headerFields(header)).map(placed),
    body: body.map((variable) => placed(textField('body', variable))),
    // A button that repeats the body's code gets it from there; buttons without a variable need no field.
    buttons: buttons
      .filter(({ isNeeded, isCode }) => isNeeded && !isCode)
      .map((button, at) => {
        const { value, products, index } = buttonFields(button, at);
        return { index, value: placed(value), products: products === null ? null : placed(products) };
      }),
  };
}

function buttonFields({ index, type, fills, example }: ButtonPart, at: number): ButtonFields {
  const shown = `Button ${index + 1} (${type.toLowerCase().replaceAll('_', ' ')})`;
  const name = `buttons.${at}`;
  if (fills !== 'mpm') return { index, value: { name, label: shown, example }, products: null };
  return {
    index,
    value: { name, label: `${shown}: id of the product whose picture is shown`, example },
    products: {
      name: `${name}.sections`,
      label: `${shown}: ids of the products, with commas`,
      example: null,
    },
  };
}

function headerFields({ format, variables }: HeaderPart): VariableField[] {
  if (format === 'TEXT') return variables.map((variable) => textField('header', variable));
  return variables.map(({ name }, at) => ({
    name: `header.${at}`,
    label: `Header: ${
      format === 'LOCATION' || format === 'PRODUCT'
        ? `${name}`.replaceAll('_', ' ')
        : `address of the ${format.toLowerCase()}, which the platform fetches`
    }`,
    example: null,
  }));
}

function textField(part: 'header' | 'body', { position, name, example }: Variable): VariableField {
  return {
    name: `${part}.${name ?? position - 1}`,
    label: `${part === 'body' ? 'Body' : 'Header'}: {{${name ?? position}}}`,
    example,
  };
}

type ReadText = (field: VariableField) => string;

/** The values as `send-template` takes them; null: the template has no variables. */
export function givenIn(form: Pick<ReadForm, 'text' | 'exact'>, template: Template): GivenVariables | null {
  const fields = sendFields(template);
  const value: ReadText = ({ name }) => form.text(name);
  const given = {
    ...givenCard(fields, value, 'variables'),
    ...(fields.cards.length === 0
      ? {}
      : { cards: fields.cards.map((card, at) => givenCard(card, value, `variables.cards.${at}`)) }),
    ...(fields.offerEnd === null ? {} : { offer_expires_at: value(fields.offerEnd) }),
  };
  return Object.keys(given).length === 0 ? null : given;
}

function givenCard({ header, body, buttons }: CardFields, value: ReadText, under: string): GivenCard {
  return {
    ...(header.length === 0 ? {} : { header: texts(header, value, `${under}.header.`) }),
    ...(body.length === 0 ? {} : { body: texts(body, value, `${under}.body.`) }),
    ...(buttons.length === 0 ? {} : { buttons: buttons.map((button) => givenButton(button, value)) }),
  };
}

/** A form has one section of products: its title is not shown then. */
function givenButton({ index, value, products }: ButtonFields, read: ReadText): GivenButton {
  if (products === null) return { index, value: read(value) };
  const ids = read(products)
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  return { index, value: read(value), sections: [{ title: 'Products', product_ids: ids }] };
}

/** An object if the variables have names, else a list. */
function texts(fields: readonly VariableField[], value: ReadText, under: string): GivenTexts {
  const names = fields.map(({ name }) => name.slice(under.length));
  if (names.every((name) => /^\d+$/.test(name))) return fields.map(value);
  return Object.fromEntries(fields.map((field, at) => [names[at] ?? '', value(field)]));
}
