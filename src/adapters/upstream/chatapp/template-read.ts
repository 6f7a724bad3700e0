import type { UpstreamTemplate } from '../../../use-cases/ports/templates.ts';
import { asId, asList, asRecord, asText } from '../wire/read.ts';
import type { Json } from '../wire/read.ts';

/** Longer words are none of upstream's. [upstream §6.3] */
const maxName = 512;
const maxWord = 64;
/** A header, a body, a footer, buttons, and what comes next year. */
const maxComponents = 20;
/** Buttons with lists in them nest five deep. What is far deeper overflows whoever writes it. [faults: 68] */
const maxDepth = 16;

/** A template of upstream's list; null when it is none that could be named, shown or sent. [upstream §6.1] */
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

/** `NONE` is no reason. */
export function readReason(value: unknown): string | null {
  const reason = asWord(value);
  return reason === 'NONE' ? null : reason;
}

/** Without recursion: the depth is what is not known yet. */
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
