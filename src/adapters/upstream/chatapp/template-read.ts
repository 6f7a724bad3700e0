import type { UpstreamTemplate } from '../../../use-cases/ports/templates.ts';
import { asId, asList, asRecord, asText } from '../wire/read.ts';
import type { Json } from '../wire/read.ts';

/** Upstream's names and words are no longer than this. [upstream §6.3] */
const maxName = 512;
const maxWord = 64;
/** A header, a body, a footer and buttons, with room for future components. */
const maxComponents = 20;
/** Buttons with lists in them nest five deep. Much deeper values would overflow recursive code. [faults: 68] */
const maxDepth = 16;

/** Reads one item of upstream's list of templates; null if it lacks a name or another required field, or is too large. [upstream §6.1] */
export function readTemplate(item: Json): UpstreamTemplate | null {
  const upstreamId = asId(item['id']);
  const name = asWord(item['name'], maxName);
  const language = asWord(item['language'], maxWord);
  const status = asWord(item['status'], maxWord);
  const category = asWord(item['category'], maxWord);
  if (upstreamId === null || name === null || language === null || status === null || category === null)
    return null;
  const components = asList(item['components'])
    .map(asRecord)
    .filter((component) => component !== null);
  if (components.length > maxComponents || !isShallow(components)) return null;
  return {
    upstreamId,
    name,
    language,
    category,
    status,
    components,
    parameterFormat: asText(item['parameter_format'])?.toUpperCase() === 'NAMED' ? 'named' : 'positional',
    quality: asWord(asRecord(item['quality_score'])?.['score'], maxWord),
    rejectedReason: readReason(item['rejected_reason']),
  };
}

export function asWord(value: unknown, max: number = maxWord): string | null {
  const word = asText(value);
  return word !== null && word.length <= max ? word : null;
}

/** `NONE` means no reason. */
export function readReason(value: unknown): string | null {
  const reason = asWord(value);
  return reason === 'NONE' ? null : reason;
}

/** Iterates by level: recursion could overflow before the depth is known. */
function isShallow(root: unknown): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return false;
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return true;
}
