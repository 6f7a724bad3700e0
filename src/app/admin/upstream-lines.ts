/** Writes the answer of `check-upstream` for a person: a line each, the wrong ones marked. */
import { asList, asRecord, asText } from '../../kernel/json.ts';
import { onOneLine } from './tables.ts';

export function judgeUpstream(answer: unknown): { text: string; hasFailed: boolean } {
  const { ok, checks, channels_looked_at: lookedAt, has_more: hasMore } = asRecord(answer) ?? {};
  const lines = asList(checks).map((check) => {
    const { about, ok: isOk, says } = asRecord(check) ?? {};
    const mark = isOk === true ? 'ok   ' : 'WRONG';
    return onOneLine(`${mark}  ${asText(about) ?? ''}: ${asText(says) ?? ''}`);
  });
  const more = hasMore === true ? '; there are more' : '';
  const text = [...lines, `${Number(lookedAt ?? 0)} channels looked at${more}`].join('\n');
  return { text, hasFailed: ok !== true };
}
