import type { VNode } from 'preact';
import { hasDroppedAttempts } from '../../../rules/webhooks/delivery.ts';
import { maxValueLength, printableBytes, printableText } from '../../../rules/webhooks/transcript.ts';
import type { Answer, Header, Transcript } from '../../../rules/webhooks/transcript.ts';
import type { ExaminedAttempt, ExaminedDelivery } from '../types.ts';
import { Badge } from '../../../pages/components.tsx';
import { When } from '../../../pages/time.tsx';
import { useMay } from '../../../pages/reader-role.tsx';
import { failureWords, olderAttemptsWords } from './words.ts';

/** Each attempt, newest first, because people look for that one. */
export function Attempts({ examined, now }: { examined: ExaminedDelivery; now: number }): VNode {
  const { attempts, channel, delivery } = examined;
  if (attempts.length === 0) return <p>No attempt has ended yet.</p>;
  const lacksOlder = hasDroppedAttempts(delivery.attemptLog);
  const newestFirst = attempts.map((attempt, n) => ({ attempt, n: n + 1 })).toReversed();
  return (
    <>
      <ol class="plain" reversed>
        {newestFirst.map(({ attempt, n }) => (
          <li class="card">
            <One attempt={attempt} n={lacksOlder ? null : n} now={now} />
            {attempt.transcript === null ? (
              <p class="dim">{unkeptWords(attempt, channel.keepAnswers)}</p>
            ) : (
              <Exchange
                transcript={attempt.transcript}
                status={attempt.status}
                isOpen={n === attempts.length}
                id={`attempt-${n}`}
              />
            )}
          </li>
        ))}
      </ol>
      {lacksOlder ? <p>{olderAttemptsWords}</p> : null}
    </>
  );
}

/** `n` null: its number is unknown. */
function One({ attempt, n, now }: { attempt: ExaminedAttempt; n: number | null; now: number }): VNode {
  const { at, status, durationMs, failure } = attempt;
  return (
    <>
      <h3>
        Attempt{n === null ? '' : ` ${n}`}{' '}
        <Badge tone={failure === null ? 'good' : 'bad'}>{status ?? 'no answer'}</Badge>
      </h3>
      <p>
        {failure === null ? 'Taken.' : failureWords(failure, status)}{' '}
        <span class="dim number">
          <When at={at} now={now} />, {durationMs} ms
        </span>
      </p>
    </>
  );
}

function unkeptWords({ failure }: ExaminedAttempt, keepAnswers: boolean): string {
  if (failure !== null)
    return 'The request and the answer were not kept: too many attempts failed in that minute, a node stopped, or the attempt is older than this log.';
  return keepAnswers
    ? 'The request and the answer were not kept: too many attempts succeeded in that minute, or the channel did not keep 2xx answers yet.'
    : 'The request and the answer of a successful attempt are kept only if the channel’s page says so.';
}

interface ExchangeProps {
  transcript: Transcript;
  status: number | null;
  isOpen: boolean;
  id: string;
}

/** Shown as text, because none of it is our content. */
function Exchange({ transcript, status, isOpen, id }: ExchangeProps): VNode {
  const { address, request, answer } = transcript;
  const hide = useMay('developer') ? (text: string) => text : withoutSignatures(request);
  return (
    <details open={isOpen} id={id} class="more-fields">
      <summary>What was sent and answered</summary>
      <h4>Request</h4>
      <pre class="wire" tabindex={0}>
        {hide(`POST ${printableText(address)}\n${linesOf(request)}`)}
      </pre>
      {request.length === 0 ? <p>Nothing was sent.</p> : null}
      <h4>Answer</h4>
      {answer === null ? <p>None came.</p> : <Came answer={answer} status={status} hide={hide} />}
    </details>
  );
}

/** `isCut`: the text was cut at its end. */
type Hide = (text: string, isCut?: boolean) => string;

const notShown = '(not shown)';
/** So many characters confirm a text; fewer occur by chance, except at the end of a cut text. */
const tellingDigits = 8;

/**
 * Hides the signatures of the request, also in an answer that repeats them, in either case of letters: to whoever once knew the secret, a
 * signature confirms what a short text says. So does its beginning, where the answer was cut. [faults: 176]
 */
function withoutSignatures(request: readonly Header[]): Hide {
  const beginnings = request.flatMap(beginningsIn);
  const patterns = beginnings.map(repetitionsOf);
  return (text, isCut = false) => {
    const left = patterns.reduce((rest, each) => rest.replaceAll(each, notShown), text);
    return isCut ? beginnings.reduce(withoutEnd, left) : left;
  };
}

/** Of `sha256=…`, or of each of `v1,… v1,…`. */
function beginningsIn([name, value]: Header): string[] {
  if (!/^(x-)?webhook-signature/i.test(name)) return [];
  return value.split(' ').map((each) => each.slice(each.search(/[=,]/) + 1).slice(0, tellingDigits));
}

/** Also as JSON or a URL writes the two signs of base64. */
function repetitionsOf(beginning: string): RegExp {
  const [slash, plus] = [String.raw`(?:\\?/|%2f)`, String.raw`(?:\+|%2b)`];
  const begin = beginning.replaceAll(/[+/]/g, (sign) => (sign === '/' ? slash : plus));
  return new RegExp(`${begin}(?:[0-9a-z=]|%3d|${slash}|${plus})*`, 'gi');
}

/** `text` without the first characters of a signature at its end, however few. */
function withoutEnd(text: string, beginning: string): string {
  for (let digits = beginning.length - 1; digits > 0; digits -= 1)
    if (text.slice(-digits).toLowerCase() === beginning.slice(0, digits).toLowerCase())
      return `${text.slice(0, -digits)}${notShown}`;
  return text;
}

interface CameProps {
  answer: Answer;
  status: number | null;
  hide: Hide;
}

function Came({ answer, status, hide }: CameProps): VNode {
  const { headers, body, isCut } = answer;
  return (
    <>
      <pre class="wire" tabindex={0}>
        {hide(`${status ?? ''}\n${linesOf(headers, hide)}\n${printableBytes(body, isCut)}`, isCut)}
      </pre>
      {isCut ? <p class="dim">The answer was longer; only its beginning is kept.</p> : null}
    </>
  );
}

function linesOf(headers: readonly Header[], hide: Hide = (text) => text): string {
  const line = ([name, value]: Header): string =>
    `${oneLine(name)}: ${hide(oneLine(value), value.length === maxValueLength)}\n`;
  return headers.map(line).join('');
}

/** A header that contains a line break must not look like two. */
function oneLine(text: string): string {
  return printableText(text).replaceAll('\n', '\\x0a');
}
