import { isLongerThan, textProblem } from '../messages/text.ts';

/** The limit of a link, higher than that of any text upstream; in Unicode code points. [spec: Limits; upstream §6.2] */
const maxValue = 2_048;
const maxUrlValue = 2_000;
/** The sources say 15 and 20. [upstream §6.2] */
const maxCoupon = 20;

/** Why upstream would refuse the value of a variable, or null. [upstream §3.2] */
export function valueProblem(value: string): string | null {
  const problem = textProblem(value) ?? lengthProblem(value, maxValue);
  if (problem !== null) return problem;
  if (value.trim() === '') return 'must not be empty';
  if (/[\n\r\t]/.test(value)) return 'must not contain line breaks or tabs';
  return value.includes('     ') ? 'must not contain more than 4 consecutive spaces' : null;
}

/** As `valueProblem`, for a part of a URL or a code to copy. */
export function checkUrlValue(value: string, fills: 'url' | 'copy_code'): string | null {
  const max = fills === 'url' ? maxUrlValue : maxCoupon;
  const problem = textProblem(value) ?? lengthProblem(value, max);
  if (problem !== null) return problem;
  if (value === '') return 'must not be empty';
  return /\s/.test(value) ? 'must not contain spaces' : null;
}

function lengthProblem(value: string, max: number): string | null {
  return isLongerThan(max, value) ? `must have at most ${max} characters` : null;
}
