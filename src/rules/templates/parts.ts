/** Parses a template's components from upstream's shapes. Never throws, whatever the input. */
import { asList, asRecord, asText } from '../../kernel/json.ts';
import type { Json } from '../../kernel/json.ts';
import type { TemplateForm } from './template.ts';

/** A placeholder in a text: `1` of `{{1}}`, `first_name` of `{{first_name}}`. */
export interface Variable {
  /** From 1, in the order of the values. */
  position: number;
  /** null in texts of positional templates. */
  name: string | null;
  example: string | null;
}

/** `TEXT`, or the kind of file or location that a send must give. */
export interface HeaderPart {
  format: string;
  variables: readonly Variable[];
}

/** What a button takes in a send. A stored send has the word. */
export const fillings = ['url', 'quick_reply', 'copy_code', 'flow', 'catalog', 'mpm'] as const;

/** A button that takes a value when the template is sent. [upstream §3.2] */
export interface ButtonPart {
  /** From 0, over all buttons of the template. */
  index: number;
  /** Upstream's type, upper case. */
  type: string;
  fills: (typeof fillings)[number];
  /** False if the button also works without a value. */
  isNeeded: boolean;
  /** The value of a button that upstream wants named in every send; absent: a button without a value is left out. */
  defaultValue?: string;
  /** The value is the body's one-time code. */
  isCode: boolean;
  example: string | null;
}

/** What a whole template and each card of a carousel have. */
export interface CardParts {
  header: HeaderPart | null;
  body: readonly Variable[];
  buttons: readonly ButtonPart[];
}

export interface TemplateParts extends CardParts {
  /** Empty: the template is no carousel. */
  cards: readonly CardParts[];
  /** Whether a send must say when the limited-time offer ends. */
  endsOffer: boolean;
}

export function readParts(template: TemplateForm): TemplateParts {
  const offer = findComponent(template, 'LIMITED_TIME_OFFER');
  return {
    ...readCard(template),
    cards: asList(findComponent(template, 'CAROUSEL')?.['cards']).map((card) =>
      readCard({
        ...template,
        components: asList(asRecord(card)?.['components']).map((part) => asRecord(part) ?? {}),
      }),
    ),
    endsOffer: offer !== null && asRecord(offer['limited_time_offer'])?.['has_expiration'] !== false,
  };
}

function readCard(template: TemplateForm): CardParts {
  const header = findComponent(template, 'HEADER');
  const body = findComponent(template, 'BODY');
  const isCode = template.category === 'AUTHENTICATION';
  const buttons = asList(findComponent(template, 'BUTTONS')?.['buttons']);
  return {
    header: header === null ? null : readHeader(template, header),
    // An authentication template has upstream's fixed text, with the code as its variable. [upstream §6.2]
    body: isCode ? codeVariable(body) : readVariables(template, body, 'body_text'),
    buttons: buttons.flatMap((button, index) => readButton(asRecord(button) ?? {}, index, isCode)),
  };
}

export function readType(part: Json): string {
  return asText(part['type'])?.toUpperCase() ?? '';
}

function readFormat(header: Json): string {
  return asText(header['format'])?.toUpperCase() ?? 'TEXT';
}

function findComponent({ components }: TemplateForm, type: string): Json | null {
  return components.find((component) => readType(component) === type) ?? null;
}

function codeVariable(body: Json | null): Variable[] {
  return [{ position: 1, name: null, example: exampleAt(body, 'body_text', 0) }];
}

function readHeader(template: TemplateForm, header: Json): HeaderPart {
  const format = readFormat(header);
  if (format === 'TEXT') return { format, variables: readVariables(template, header, 'header_text') };
  const example = asText(asList(asRecord(header['example'])?.['header_handle'])[0]);
  const names = headerNames.get(format) ?? [];
  return { format, variables: names.map((name, at) => ({ position: at + 1, name, example })) };
}

/** The values of a header that is a file or a place. Of another kind nobody knows the values. */
const headerNames = new Map<string, readonly string[]>([
  ['IMAGE', ['image']],
  ['VIDEO', ['video']],
  ['GIF', ['gif']],
  ['DOCUMENT', ['document']],
  ['LOCATION', ['latitude', 'longitude', 'name', 'address']],
  ['PRODUCT', ['product_id', 'catalog_id']],
]);

type ExampleKey = 'header_text' | 'body_text';

function readVariables({ parameterFormat }: TemplateForm, part: Json | null, key: ExampleKey): Variable[] {
  const names = placeholdersIn(asText(part?.['text']) ?? '');
  if (parameterFormat === 'named') {
    return names.map((name, at) => ({ position: at + 1, name, example: namedExample(part, key, name) }));
  }
  return names.map((_, at) => ({ position: at + 1, name: null, example: exampleAt(part, key, at) }));
}

/** Distinct texts between double braces, in order. */
export function placeholdersIn(text: string): string[] {
  const found = [...text.matchAll(/\{\{[^{}]*\}\}/g)].map(([braced]) => braced.slice(2, -2).trim());
  return [...new Set(found)];
}

/** Header examples are a list, body examples a list of lists. [upstream §6.2] */
function exampleAt(part: Json | null, key: ExampleKey, at: number): string | null {
  const given = asList(asRecord(part?.['example'])?.[key]);
  const texts = Array.isArray(given[0]) ? asList(given[0]) : given;
  return asText(texts[at]);
}

function namedExample(part: Json | null, key: ExampleKey, name: string): string | null {
  const given = asList(asRecord(part?.['example'])?.[`${key}_named_params`]).map(asRecord);
  return asText(given.find((item) => item?.['param_name'] === name)?.['example']);
}

const fillingOf = new Map<string, Pick<ButtonPart, 'fills' | 'isNeeded' | 'defaultValue'>>([
  ['URL', { fills: 'url', isNeeded: true }],
  ['OTP', { fills: 'url', isNeeded: true }],
  ['COPY_CODE', { fills: 'copy_code', isNeeded: true }],
  ['QUICK_REPLY', { fills: 'quick_reply', isNeeded: false }],
  // A send that does not name the button is refused with 131009. `unused` is upstream's own default of the token.
  ['FLOW', { fills: 'flow', isNeeded: false, defaultValue: 'unused' }],
  // The value is the product whose picture is shown: without one, that of the catalogue's first.
  ['CATALOG', { fills: 'catalog', isNeeded: false, defaultValue: '' }],
  ['MPM', { fills: 'mpm', isNeeded: true }],
]);

function readButton(button: Json, index: number, isCode: boolean): ButtonPart[] {
  const type = readType(button);
  const filling = fillingOf.get(type);
  const url = asText(button['url']) ?? '';
  const isFixedUrl = type === 'URL' && placeholdersIn(url).length === 0;
  if (filling === undefined || isFixedUrl) return [];
  const example = asText(button['example']) ?? asText(asList(button['example'])[0]);
  return [
    {
      index,
      type,
      ...filling,
      isCode: isCode && filling.fills === 'url',
      example: example === null ? null : withoutBase(example, url),
    },
  ];
}

/** Upstream's example is the whole URL, a send gives what comes in place of the variable at its end. [upstream §3.2, §6.2] */
function withoutBase(example: string, url: string): string {
  const base = url.slice(0, Math.max(0, url.indexOf('{{')));
  return example.startsWith(base) ? example.slice(base.length) : example;
}
