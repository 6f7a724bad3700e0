import { fault } from '../../kernel/faults.ts';
import type { FieldError } from '../../kernel/faults.ts';
import { fillButtons } from './fill-buttons.ts';
import { fillTexts } from './fill-texts.ts';
import { maxErrors } from './filled.ts';
import type { FilledTemplate, GivenTexts, GivenVariables, HeaderParameter } from './filled.ts';
import { readParts } from './parts.ts';
import type { HeaderPart, TemplateParts } from './parts.ts';
import type { ParameterFormat, Template } from './template.ts';

type Fillable = Pick<Template, 'name' | 'language' | 'category' | 'components' | 'parameterFormat'>;
type Errors = FieldError[];

/** Cache of parsed parts: the sender caches a template object and fills it many times. */
const knownParts = new WeakMap<Fillable, TemplateParts>();

function partsToFill(template: Fillable): TemplateParts {
  const known = knownParts.get(template);
  if (known !== undefined) return known;
  const parts = readParts(template);
  knownParts.set(template, parts);
  return parts;
}

/**
 * Fills the template. Every variable needs a value, and no other value is allowed; throws 422 `validation` with every
 * missing, surplus and invalid one. [spec: Sending messages; upstream §3.2]
 */
export function fillTemplate(template: Fillable, given: GivenVariables | null): FilledTemplate {
  const errors: Errors = [];
  const parts = partsToFill(template);
  const { category, parameterFormat, name, language } = template;
  const header = fillHeader(parts.header, given?.header, parameterFormat, errors);
  // The code's variable has no name, whatever the template's format.
  const bodyFormat = category === 'AUTHENTICATION' ? 'positional' : parameterFormat;
  const body = fillTexts(parts.body, given?.body, bodyFormat, 'body', errors);
  const code = body[0]?.text ?? null;
  const buttons = fillButtons(parts.buttons, given?.buttons ?? [], code, errors);
  if (errors.length > 0) throw fault('validation', { errors: errors.slice(0, maxErrors) });
  return { name, language, header, body, buttons };
}

function fillHeader(
  header: HeaderPart | null,
  given: GivenTexts | null | undefined,
  format: ParameterFormat,
  errors: Errors,
): HeaderParameter[] {
  if (header === null || header.format === 'TEXT') {
    return fillTexts(header?.variables ?? [], given, format, 'header', errors);
  }
  // An unknown header format has no variables: no values are accepted, and upstream checks what it needs.
  const texts = fillTexts(header.variables, given, chooseForm(given), 'header', errors).map(
    ({ text }) => text,
  );
  if (header.format === 'LOCATION') return placeOf(texts);
  const type = fileTypes.get(header.format);
  const [link] = texts;
  return type === undefined || link === undefined ? [] : [{ type, link }];
}

const fileTypes = new Map<string, 'image' | 'video' | 'document'>([
  ['IMAGE', 'image'],
  ['VIDEO', 'video'],
  ['DOCUMENT', 'document'],
]);

function placeOf([latitude, longitude, name, address]: readonly string[]): HeaderParameter[] {
  if (latitude === undefined || longitude === undefined || name === undefined || address === undefined)
    return [];
  return [{ type: 'location', latitude, longitude, name, address }];
}

/** Values of files and locations have fixed names: they are accepted as a list or by name in every template. */
function chooseForm(given: GivenTexts | null | undefined): ParameterFormat {
  return given == null || Array.isArray(given) ? 'positional' : 'named';
}
