/** Sends a request of the docs page to this very service and shows the answer. The keys stay in their fields. */
import { contentOf, exampleOf } from './contract.ts';
import type { Contract, Operation, Parameter } from './contract.ts';
import { make, messageOf } from './dom.ts';
import { prose } from './prose.ts';

export const keyInputs = {
  apiKey: keyInput('API key', 'mip_live_…'),
  adminToken: keyInput('Admin token', ''),
};

function keyInput(label: string, placeholder: string): HTMLInputElement {
  const input = document.createElement('input');
  return Object.assign(input, { type: 'password', autocomplete: 'off', placeholder, ariaLabel: label });
}

interface Filled {
  parameter: Parameter;
  input: HTMLInputElement;
}

export function tryForm(contract: Contract, method: string, path: string, operation: Operation): HTMLElement {
  const filled = operation.parameters.map((parameter): Filled => {
    const input = document.createElement('input');
    input.autocomplete = 'off';
    return { parameter, input };
  });
  const { schema } = contentOf(operation.requestBody);
  const body = schema === null ? null : document.createElement('textarea');
  if (body !== null && schema !== null) {
    body.spellcheck = false;
    body.value = JSON.stringify(exampleOf(contract, schema), null, 2);
  }
  const output = make('pre', { 'aria-live': 'polite' });
  const send = (): void => void show(output, requestOf(method, path, operation, filled, body));
  return make(
    'div',
    {},
    make('h3', {}, 'Try it'),
    ...filled.map(({ parameter, input }) =>
      make(
        'label',
        {},
        make('code', {}, parameter.name),
        ` (${parameter.in}) `,
        prose(parameter.description),
        input,
      ),
    ),
    body === null ? null : make('label', {}, 'Body', body),
    make('button', { type: 'button', onclick: send }, 'Send'),
    output,
  );
}

function requestOf(
  method: string,
  path: string,
  operation: Operation,
  filled: Filled[],
  body: HTMLTextAreaElement | null,
): Request {
  const query = new URLSearchParams();
  const headers = credentialsFor(operation);
  let target = path;
  for (const { parameter, input } of filled) {
    if (parameter.in === 'path')
      target = target.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
    else if (input.value === '') continue;
    else if (parameter.in === 'query') query.append(parameter.name, input.value);
    else headers[parameter.name] = input.value;
  }
  if (body !== null) headers['Content-Type'] = 'application/json';
  const search = query.size === 0 ? '' : `?${query.toString()}`;
  return new Request(target + search, {
    method: method.toUpperCase(),
    headers,
    body: body === null ? null : body.value,
    redirect: 'manual',
  });
}

function credentialsFor(operation: Operation): Record<string, string> {
  const scheme = Object.keys(operation.security[0] ?? {})[0];
  if (scheme === 'apiKey') return { 'X-API-Key': keyInputs.apiKey.value };
  return scheme === 'adminToken' ? { Authorization: `Bearer ${keyInputs.adminToken.value}` } : {};
}

async function show(output: HTMLElement, request: Request): Promise<void> {
  output.textContent = '…';
  const started = performance.now();
  try {
    const response = await fetch(request);
    const text = await response.text();
    const took = `${Math.round(performance.now() - started)} ms`;
    output.textContent = `${response.status || 'redirect'} · ${took}\n\n${pretty(text)}`;
  } catch (error) {
    output.textContent = `No answer: ${messageOf(error)}`;
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text; // not JSON: shown as it is
  }
}
