/** What the person is mailed about, on the page of their own account. */
import type { VNode } from 'preact';
import { sendRedirect } from '../../../http/answers.ts';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { ownAccountPath } from '../../../pages/paths.ts';
import { mailTopics } from '../../../rules/mails/topics.ts';
import type { MailTopic } from '../../../rules/mails/topics.ts';
import { leadBack, signedInPage } from '../../route.ts';
import type { SignedInContext } from '../../route.ts';
import { chooseMails } from '../mail-choice.ts';

const path = `${ownAccountPath}/mails`;

const meanings: Readonly<Record<MailTopic, string>> = {
  failures: 'Failures: webhooks, channels, messages and API keys that stop working, or soon will',
  licences: 'Licences: trials and licences that end',
};

interface MailChoiceProps {
  context: SignedInContext;
  chosen: readonly MailTopic[];
}

export function MailChoice({ context, chosen }: MailChoiceProps): VNode {
  return (
    <section aria-labelledby="mails">
      <h2 id="mails">E-mails to you</h2>
      <Form action={path} csrf={context.csrf} may="viewer">
        <fieldset>
          <legend>We e-mail you about</legend>
          {mailTopics.map((topic) => (
            <label class="check">
              <input type="checkbox" name="topic" value={topic} checked={chosen.includes(topic)} />
              {meanings[topic]}
            </label>
          ))}
        </fieldset>
        <p class="hint">What concerns your sign-in is always mailed to you.</p>
        <button>Save</button>
      </Form>
    </section>
  );
}

async function choose(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  await chooseMails(context.world, context.visitor, form.all('topic'));
  sendRedirect(context.response, `${ownAccountPath}?mails`);
}

export const mailChoicePages = [
  signedInPage({ post: path, may: 'viewer', name: 'chooseMails', open: choose }),
  leadBack(path, () => ownAccountPath),
];
