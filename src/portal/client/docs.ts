/** Builds the docs page from `/openapi.json`, with text nodes only: nothing of the contract or of an answer is ever markup. */
import { contentOf, follow, typeName } from './contract.ts';
import type { Contract, Operation, Schema } from './contract.ts';
import { byId, make, messageOf } from './dom.ts';
import { prose } from './prose.ts';
import { keyInputs, tryForm } from './try-it.ts';

type Entry = readonly [path: string, method: string, operation: Operation];

function fieldTable(contract: Contract, schema: Schema): HTMLElement {
  const plain = follow(contract, schema);
  const fields = Object.entries(plain.properties ?? {});
  if (fields.length === 0) return make('p', { class: 'dim' }, typeName(schema));
  const rows = fields.map(([name, field]) => {
    const mark = plain.required?.includes(name) === true ? '' : '?';
    const cells = [make('code', {}, name + mark), typeName(field), prose(field.description)];
    return make('tr', {}, ...cells.map((cell) => make('td', {}, cell)));
  });
  return make('table', {}, ...rows);
}

function answerList(contract: Contract, { responses }: Operation): HTMLElement[] {
  return Object.entries(responses).map(([status, response]) => {
    const { type, schema } = contentOf(response);
    const kind = type === null ? null : make('span', { class: 'dim' }, ` · ${type}`);
    const title = make('summary', {}, make('code', {}, status), ' ', prose(response.description), kind);
    return make('details', {}, title, schema === null ? null : fieldTable(contract, schema));
  });
}

function operationView(contract: Contract, [path, method, operation]: Entry): HTMLElement {
  const { schema } = contentOf(operation.requestBody);
  const title = make(
    'summary',
    {},
    make('span', { class: 'method' }, method.toUpperCase()),
    make('code', {}, path),
    make('span', { class: 'dim' }, operation.summary),
  );
  const view = make('details', { class: 'operation', id: operation.operationId }, title);
  const open = (): void => {
    if (view.childElementCount > 1) return;
    const parts = [
      operation.description === undefined ? null : make('p', {}, prose(operation.description)),
      ...(schema === null ? [] : [make('h3', {}, 'Request body'), fieldTable(contract, schema)]),
      make('h3', {}, 'Answers'),
      ...answerList(contract, operation),
      tryForm(contract, method, path, operation),
    ];
    view.append(make('div', {}, ...parts));
  };
  view.addEventListener('toggle', open);
  return view;
}

function openTarget(): void {
  const target = document.getElementById(location.hash.slice(1));
  if (!(target instanceof HTMLDetailsElement)) return;
  target.open = true;
  target.scrollIntoView();
}

function byTag(contract: Contract): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const [path, methods] of Object.entries(contract.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags[0] ?? '';
      groups.set(tag, [...(groups.get(tag) ?? []), [path, method, operation]]);
    }
  }
  return groups;
}

async function start(): Promise<void> {
  const contract: Contract = await (await fetch('/openapi.json')).json();
  byId('keys').append(
    make('label', {}, 'API key (X-API-Key)', keyInputs.apiKey),
    make('label', {}, 'Admin token (operators)', keyInputs.adminToken),
  );
  for (const [tag, entries] of byTag(contract)) {
    const links = entries.map(([, , { operationId, summary }]) =>
      make('a', { href: `#${operationId}` }, summary),
    );
    document.querySelector('nav')?.append(make('h2', {}, tag), ...links);
    const views = entries.map((entry) => operationView(contract, entry));
    byId('operations').append(make('h2', {}, tag), ...views);
  }
  addEventListener('hashchange', openTarget);
  openTarget();
}

start().catch((error: unknown) =>
  byId('operations').append(`The contract could not be loaded: ${messageOf(error)}`),
);
