import type { ComponentChildren, VNode } from 'preact';
import type { Role } from '../../rules/person.ts';
import { maskToken, unmaskToken } from './mask.ts';
import { useMay } from '../reader-role.tsx';
import type { IncomingMessage } from 'node:http';
import { textProblem } from '../../rules/messages/text.ts';
import { isSameSecret } from '../../kernel/ids.ts';
import { readCounted } from '../../http/middleware/read-body.ts';
import { openFileForm } from '../../http/middleware/file-form.ts';
import type { ArrivingFile } from '../../http/middleware/file-form.ts';
import type { RouteContext } from '../../http/options.ts';
import { fault } from '../../kernel/faults.ts';

/** Name of the field with the CSRF token, which `readForm` checks. */
const csrfField = 'csrf';

interface FormProps {
  action: string;
  /** Token derived from the person's session: a page of another origin can't know it. */
  csrf: string;
  class?: string;
  /** The lowest role that may send the form, as in its route. */
  may?: Role;
  /** It has a field for a file, as its last one: its route reads it with `openForm`. */
  hasFile?: boolean;
  children: ComponentChildren;
}

/** A form that posts to one of our pages. People who may not send it see its fields disabled. */
export function Form({ action, csrf, class: name, may = 'developer', hasFile, children }: FormProps): VNode {
  if (!useMay(may))
    return (
      <fieldset disabled class={`seen ${name ?? ''}`}>
        {children}
      </fieldset>
    );
  return (
    <form
      method="post"
      action={action}
      class={name}
      enctype={hasFile === true ? 'multipart/form-data' : undefined}
    >
      <input type="hidden" name={csrfField} value={maskToken(csrf)} />
      {children}
    </form>
  );
}

/** What a person types into our forms is far less. */
const formLimit = 64 * 1024;
/** Our longest form has 150. A form of 30,000 takes 20 ms to parse, and a millisecond for each field that is looked up. [faults: I9, 215] */
const maxFields = 1_000;

export interface ReadForm {
  /** The value without surrounding white space; '' if the field is missing or repeated. */
  text(name: string): string;
  /** The exact value, for passwords. */
  exact(name: string): string;
  /** All values of a field that may be repeated. */
  all(name: string): string[];
}

/** `csrf`: the token that our page put into the form. Without it, the form's sender is unknown. */
interface PostedForm {
  request: IncomingMessage;
  csrf: string;
  bodyBudget: RouteContext['bodyBudget'];
  /** Called after the body was read, which may take half a minute: throws unless the person may still send it. */
  stillMay?: () => Promise<void>;
}

/**
 * Reads the fields of a posted form. Throws Fault 413 and 415 as JSON routes do, 413 also for too many fields, 503 if the budget for bodies is used up, and `bad_request` for
 * a text that can't be stored and sent, and for a form without the token that our page put into it: a page of another origin can post here
 * with the person's cookie, but does not know the token.
 */
export async function readForm({ request, csrf, bodyBudget, stillMay }: PostedForm): Promise<ReadForm> {
  const [type] = (request.headers['content-type'] ?? '').split(';');
  if (type?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    throw fault('unsupported_body', { why: 'Content-Type must be application/x-www-form-urlencoded' });
  }
  const typed = await readCounted(request, formLimit, bodyBudget, (body) => body.toString('utf8'));
  if (hasTooManyFields(typed)) throw fault('body_too_large');
  return readFields(new URLSearchParams(typed), csrf, stillMay);
}

/** Throws Fault `bad_request`, as `readForm`. */
async function readFields(
  fields: URLSearchParams,
  csrf: string,
  stillMay: PostedForm['stillMay'],
): Promise<ReadForm> {
  const exact = (name: string): string => {
    const [value, ...more] = fields.getAll(name);
    return more.length === 0 ? (value ?? '') : '';
  };
  if (!isToken(exact(csrfField), csrf)) throw fault('bad_request', { why: 'The form is out of date' });
  for (const value of fields.values()) refuseUnsendable(value);
  await stillMay?.();
  return { exact, text: (name) => exact(name).trim(), all: (name) => fields.getAll(name) };
}

/** A form whose last field may be a file, which is still arriving. */
export interface OpenForm extends ReadForm {
  /** null: none was chosen. */
  file: ArrivingFile | null;
  /** To be called when the file is not needed any more. */
  end: () => void;
}

/** As `readForm`, for a form that `hasFile`: the fields are read, the file is not. Throws what `openFileForm` throws too. */
export async function openForm(
  posted: PostedForm & Pick<RouteContext, 'uploadSlots' | 'clock'>,
  accountId: string,
): Promise<OpenForm> {
  const { request, csrf, stillMay } = posted;
  if (!(request.headers['content-type'] ?? '').toLowerCase().startsWith('multipart/'))
    return { ...(await readForm(posted)), file: null, end: () => undefined };
  const { fields, file, end } = await openFileForm(request, accountId, posted);
  try {
    return { ...(await readFields(fields, csrf, stillMay)), file, end };
  } catch (thrown) {
    end();
    throw thrown;
  }
}

/** Also unmasked: a program that knows the token needs no mask. */
const isToken = (sent: string, token: string): boolean =>
  isSameSecret(sent, token) || isSameSecret(unmaskToken(sent), token);

function hasTooManyFields(typed: string): boolean {
  let fields = 1;
  for (let at = typed.indexOf('&'); at >= 0 && fields <= maxFields; at = typed.indexOf('&', at + 1))
    fields += 1;
  return fields > maxFields;
}

/** In bodies of the API the schemas reject such text. [faults: 71] */
function refuseUnsendable(value: string): void {
  const why = textProblem(value);
  if (why !== null) throw fault('bad_request', { why });
}
