/** Tests whether a URL would be allowed, before a setup starts with it. [spec: Redirects] */
import type { VNode } from 'preact';
import { matchesPattern } from '../redirect-pattern.ts';
import { ownParamIn, redirectUriProblem } from '../redirect-uri.ts';
import { Field } from '../../../pages/forms/field.tsx';
import { noProblems } from '../../../pages/forms/problems.ts';
import { Badge } from '../../../pages/components.tsx';
import type { Redirect } from '../entity.ts';

interface TesterProps {
  action: string;
  /** The typed URL; null: none yet. */
  tested: string | null;
  keyId: string;
  patterns: readonly Redirect[];
  allowInsecure: boolean;
}

export function Tester({ action, tested, keyId, patterns, allowInsecure }: TesterProps): VNode {
  return (
    <>
      <h2>Would an address match?</h2>
      <form method="get" action={action} class="narrow">
        <input type="hidden" name="key" value={keyId} />
        <Field
          name="url"
          label="Address"
          value={tested ?? ''}
          mono
          placeholder="https://app.example.com/connected?state=42"
          problems={noProblems}
        />
        <button class="quiet">Test it</button>
      </form>
      {tested === null ? null : (
        <p class="note" role="status">
          <Verdict on={verdictOn(tested, patterns, allowInsecure)} />
        </p>
      )}
    </>
  );
}

interface VerdictOn {
  isAllowed: boolean;
  why: string;
}

function Verdict({ on: { isAllowed, why } }: { on: VerdictOn }): VNode {
  return (
    <>
      <Badge tone={isAllowed ? 'good' : 'bad'}>{isAllowed ? 'Yes' : 'No'}</Badge>
      {why}
    </>
  );
}

/** The same verdict as `setup-url` would give. [operator-interface §4] */
function verdictOn(url: string, patterns: readonly Redirect[], allowInsecure: boolean): VerdictOn {
  const problem = redirectUriProblem(url, { allowInsecure });
  if (problem !== null) return { isAllowed: false, why: `: ${problem}.` };
  const param = ownParamIn(url);
  if (param !== null) {
    return { isAllowed: false, why: `: its query has ${param}, which the setup flow adds itself.` };
  }
  const match = patterns.find(({ uriPattern }) => matchesPattern(uriPattern, url));
  return match === undefined
    ? { isAllowed: false, why: ': none of the patterns above matches it.' }
    : { isAllowed: true, why: `, by ${match.uriPattern}` };
}
