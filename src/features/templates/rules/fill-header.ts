import { isLongerThan } from '../../../rules/messages/text.ts';
import { fillTexts, isList } from '../../../rules/templates/fill-texts.ts';
import type { GivenTexts, HeaderParameter } from '../../../rules/templates/filled.ts';
import type { HeaderPart } from '../../../rules/templates/parts.ts';
import type { Loc, Problems } from '../../../rules/templates/problems.ts';
import type { ParameterFormat } from '../../../rules/templates/template.ts';

/** The text, file, place or product of a header. [upstream §3.2] */
export function fillHeader(
  header: HeaderPart | null,
  given: GivenTexts | null | undefined,
  format: ParameterFormat,
  at: Loc,
  problems: Problems,
): HeaderParameter[] {
  if (header === null || header.format === 'TEXT') {
    return fillTexts(header?.variables ?? [], given, format, at, problems);
  }
  // An unknown header format has no variables: no values are accepted, and upstream checks what it needs.
  const { filename, values } =
    header.format === 'DOCUMENT' ? takeFilename(given) : { filename: null, values: given };
  const texts = fillTexts(header.variables, values, chooseForm(given), at, problems).map(({ text }) => text);
  if (header.format === 'LOCATION') return placeOf(texts);
  if (header.format === 'PRODUCT') return productOf(texts);
  const type = fileTypes.get(header.format);
  const [link] = texts;
  if (type === undefined || link === undefined) return [];
  if (filename === null) return [{ type, link }];
  if (isLongerThan(maxFilename, filename))
    problems.add(at, `the name of the file has at most ${maxFilename} characters`);
  return [{ type: 'document', link, filename }];
}

/** As of a file that is sent without a template. */
const maxFilename = 255;

/** The name of a document is no variable of the template: it may be left out. It is the second of a list, or `filename`. */
function takeFilename(given: GivenTexts | null | undefined): {
  filename: string | null;
  values: GivenTexts | null | undefined;
} {
  if (given == null) return { filename: null, values: given };
  if (isList(given)) {
    const [link, filename = '', ...surplus] = given;
    return { filename: filename || null, values: link === undefined ? given : [link, ...surplus] };
  }
  const { filename = '', ...values } = given;
  return { filename: filename || null, values };
}

const fileTypes = new Map<string, 'image' | 'video' | 'gif' | 'document'>([
  ['IMAGE', 'image'],
  ['VIDEO', 'video'],
  ['GIF', 'gif'],
  ['DOCUMENT', 'document'],
]);

function placeOf([latitude, longitude, name, address]: readonly string[]): HeaderParameter[] {
  if (latitude === undefined || longitude === undefined || name === undefined || address === undefined)
    return [];
  return [{ type: 'location', latitude, longitude, name, address }];
}

function productOf([productId, catalogId]: readonly string[]): HeaderParameter[] {
  return productId === undefined || catalogId === undefined
    ? []
    : [{ type: 'product', productId, catalogId }];
}

/** Values of files, locations and products have fixed names: they are accepted as a list or by name in every template. */
function chooseForm(given: GivenTexts | null | undefined): ParameterFormat {
  return given == null || isList(given) ? 'positional' : 'named';
}
