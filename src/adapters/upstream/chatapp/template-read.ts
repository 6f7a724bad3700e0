import type { UpstreamTemplate } from '../../../use-cases/ports/templates.ts';
import { idOf, listOf, recordOf, textOf } from '../wire/read.ts';
import type { Json } from '../wire/read.ts';

/** Longer words are none of upstream's. [upstream §6.3] */
const maxName = 512;
const maxWord = 64;
/** A header, a body, a footer, buttons, and what comes next year. */
const maxComponents = 20;
/** Buttons with lists in them nest five deep. What is far deeper overflows whoever writes it. [faults: 68] */
const maxDepth = 16;

/** A template of upstream's list; null when it is none that could be named, shown or sent. [upstream §6.1] */
export function templateOf(item: Json): UpstreamTemplate | null {
  const upstreamId = idOf(item['id']);
  const name = wordOf(item['name'], maxName);
  const language = wordOf(item['language'], maxWord);
  const status = wordOf(item['status'], maxWord);
  const category = wordOf(item['category'], maxWord);
  if (upstreamId === null || name === null || language === null || status === null || category === null)
    return null;
  const components = listOf(item['components'])
    .map(recordOf)
    .filter((component) => component !== null);
  if (components.length > maxComponents || !isShallow(components)) return null;
  return {
    upstreamId,
    name,
    language,
    category,
    status,
    components,
    parameterFormat: textOf(item['parameter_format'])?.toUpperCase() === 'NAMED' ? 'named' : 'positional',
    quality: wordOf(recordOf(item['quality_score'])?.['score'], maxWord),
    rejectedReason: reasonOf(item['rejected_reason']),
  };
}

export function wordOf(value: unknown, max: number = maxWord): string | null {
  const word = textOf(value);
  return word !== null && word.length <= max ? word : null;
}

/** `NONE` is no reason. */
export function reasonOf(value: unknown): string | null {
  const reason = wordOf(value);
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
