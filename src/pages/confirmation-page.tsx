import type { ComponentChildren } from 'preact';
import type { Role } from '../rules/person.ts';
import { Form } from './forms/form.tsx';
import type { SignedInContext } from './session/context.ts';
import { answerShell } from './shell.tsx';

interface Confirmation {
  title: string;
  /** The entry of the navigation. */
  at: string;
  question: string;
  status?: number;
  /** What the action changes, and what stays. */
  children: ComponentChildren;
  /** Where the form is posted. */
  action: string;
  yes: string;
  no: { path: string; word: string };
  /** The role, as in the form's route. */
  may?: Role;
}

/** Asks before an action that can't be undone. */
export function answerConfirmation(context: SignedInContext, asked: Confirmation): void {
  const { title, at, question, children, action, yes, no, may, status = 200 } = asked;
  answerShell(context, {
    title,
    heading: question,
    at,
    status,
    children: (
      <>
        {children}
        <Form action={action} csrf={context.csrf} class="buttons" may={may}>
          <button class="danger">{yes}</button>
          <a class="button quiet" href={no.path}>
            {no.word}
          </a>
        </Form>
      </>
    ),
  });
}
