/** Whether deliveries are signed, and the way to a new secret. */
import type { VNode } from 'preact';
import { Form } from '../../../pages/forms/form.tsx';
import { Doing } from '../../../pages/reader-role.tsx';

interface SecretProps {
  isSigned: boolean;
  /** Of the page that makes a secret. */
  path: string;
  csrf: string;
}

export function SigningSecret({ isSigned, path, csrf }: SecretProps): VNode {
  return (
    <section aria-labelledby="secret">
      <h2 id="secret">Secret</h2>
      {isSigned ? (
        <>
          <p>
            Deliveries are signed. <a href="/docs/verify">How to check a signature</a>
          </p>
          <Doing>
            <a class="button quiet" href={path}>
              Make a new secret
            </a>
          </Doing>
        </>
      ) : (
        <Form action={path} csrf={csrf}>
          <p>Deliveries are not signed: there is no secret.</p>
          <button class="quiet">Make a secret</button>
        </Form>
      )}
    </section>
  );
}
