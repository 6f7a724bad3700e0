/**
 * What the page runs, as text: it is served inline under a policy that names its digest. It builds the page from
 * `/openapi.json` with text nodes only, so nothing of the contract or of an answer is ever markup. The keys that are
 * typed in stay in their fields.
 */
export const script = String.raw`
'use strict';
const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
};
let contract;
const follow = (schema) => {
  if (!schema || !schema.$ref) return schema || {};
  return contract.components.schemas[schema.$ref.split('/').pop()];
};
const typeName = (schema) => {
  if (schema.$ref) return schema.$ref.split('/').pop();
  if (schema.anyOf) return schema.anyOf.map(typeName).join(' or ');
  if (schema.enum) return schema.enum.map((word) => JSON.stringify(word)).join(' | ');
  const type = [schema.type || 'any'].flat().join(' or ');
  const base = schema.items ? type + ' of ' + typeName(schema.items) : type;
  return schema.format ? base + ' (' + schema.format + ')' : base;
};
const exampleOf = (schema) => {
  const plain = follow(schema);
  if (plain.enum) return plain.enum[0];
  const type = [plain.type].flat()[0];
  if (type === 'object') {
    const names = Object.keys(plain.properties || {});
    return Object.fromEntries(names.filter((name) => (plain.required || []).includes(name) || names.length < 5)
      .map((name) => [name, exampleOf(plain.properties[name])]));
  }
  if (type === 'array') return [];
  if (type === 'boolean') return false;
  if (type === 'integer') return 0;
  return plain.format === 'uri' ? 'https://example.com/hook' : '';
};
const prose = (text) => make('span', {}, ...text.split('\x60').map((part, at) => at % 2 ? make('code', {}, part) : part));
const row = (...cells) => make('tr', {}, ...cells.map((cell) => make('td', {}, cell)));
const fieldTable = (schema) => {
  const plain = follow(schema);
  const fields = Object.entries(plain.properties || {});
  if (fields.length === 0) return make('p', { class: 'dim' }, typeName(schema));
  const rows = fields.map(([name, field]) => row(
    make('code', {}, name + ((plain.required || []).includes(name) ? '' : '?')), typeName(field), prose(field.description || '')));
  return make('table', {}, ...rows);
};
const content = (part) => Object.entries((part && part.content) || {})[0] || [null, {}];
const responseList = (responses) => Object.entries(responses).map(([status, response]) => {
  const [type, body] = content(response);
  const title = make('summary', {}, make('code', {}, status), ' ', prose(response.description), type ? make('span', { class: 'dim' }, ' · ' + type) : '');
  return make('details', {}, title, body.schema ? fieldTable(body.schema) : '');
});
const keyFields = {
  apiKey: make('input', { autocomplete: 'off', type: 'password', placeholder: 'mip_live_…', 'aria-label': 'API key' }),
  adminToken: make('input', { autocomplete: 'off', type: 'password', 'aria-label': 'Admin token' }),
};
const credentials = (operation) => {
  const scheme = Object.keys((operation.security || [])[0] || {})[0];
  if (scheme === 'apiKey') return { 'X-API-Key': keyFields.apiKey.value };
  return scheme === 'adminToken' ? { Authorization: 'Bearer ' + keyFields.adminToken.value } : {};
};
const requestOf = (method, path, operation, inputs, body) => {
  const query = new URLSearchParams();
  const headers = credentials(operation);
  let target = path;
  for (const { parameter, input } of inputs) {
    if (parameter.in === 'path') target = target.replace('{' + parameter.name + '}', encodeURIComponent(input.value));
    else if (input.value === '') continue;
    else if (parameter.in === 'query') query.append(parameter.name, input.value);
    else headers[parameter.name] = input.value;
  }
  if (body) headers['Content-Type'] = 'application/json';
  const search = query.toString();
  return [target + (search ? '?' + search : ''), { method: method.toUpperCase(), headers, body: body ? body.value : undefined, redirect: 'manual' }];
};
const pretty = (text) => {
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
};
const show = async (output, [target, init]) => {
  output.textContent = '…';
  const started = performance.now();
  try {
    const response = await fetch(target, init);
    const text = await response.text();
    const took = Math.round(performance.now() - started) + ' ms';
    output.textContent = (response.status || 'redirect') + ' · ' + took + '\n\n' + pretty(text);
  } catch (error) {
    output.textContent = 'No answer: ' + error.message;
  }
};
const tryForm = (method, path, operation) => {
  const inputs = operation.parameters.map((parameter) => ({ parameter, input: make('input', { autocomplete: 'off' }) }));
  const [, requestBody] = content(operation.requestBody);
  const body = requestBody.schema ? make('textarea', { spellcheck: 'false' }) : null;
  if (body) body.value = JSON.stringify(exampleOf(requestBody.schema), null, 2);
  const output = make('pre', { 'aria-live': 'polite' });
  const send = () => show(output, requestOf(method, path, operation, inputs, body));
  return make('div', {}, make('h3', {}, 'Try it'),
    ...inputs.map(({ parameter, input }) => make('label', {}, make('code', {}, parameter.name), ' (' + parameter.in + ') ', prose(parameter.description || ''), input)),
    body ? make('label', {}, 'Body', body) : null,
    make('button', { type: 'button', onclick: send }, 'Send'), output);
};
const operationView = (path, method, operation) => {
  const [, body] = content(operation.requestBody);
  const title = make('summary', {}, make('span', { class: 'method' }, method.toUpperCase()), make('code', {}, path),
    make('span', { class: 'dim' }, operation.summary));
  const view = make('details', { class: 'operation', id: operation.operationId }, title);
  view.addEventListener('toggle', () => view.childElementCount > 1 || view.append(make('div', {},
    operation.description ? make('p', {}, prose(operation.description)) : null,
    body.schema ? make('h3', {}, 'Request body') : null, body.schema ? fieldTable(body.schema) : null,
    make('h3', {}, 'Answers'), ...responseList(operation.responses), tryForm(method, path, operation))));
  return view;
};
const openTarget = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target) { target.open = true; target.scrollIntoView(); }
};
const start = async () => {
  contract = await (await fetch('/openapi.json')).json();
  const byTag = new Map();
  for (const [path, methods] of Object.entries(contract.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags[0];
      byTag.set(tag, [...(byTag.get(tag) || []), [path, method, operation]]);
    }
  }
  const nav = document.querySelector('nav');
  const list = document.querySelector('#operations');
  document.querySelector('#keys').append(
    make('label', {}, 'API key (X-API-Key)', keyFields.apiKey), make('label', {}, 'Admin token (operators)', keyFields.adminToken));
  for (const [tag, operations] of byTag) {
    nav.append(make('h2', {}, tag), ...operations.map(([, , { operationId, summary }]) => make('a', { href: '#' + operationId }, summary)));
    list.append(make('h2', {}, tag), ...operations.map((operation) => operationView(...operation)));
  }
  addEventListener('hashchange', openTarget);
  openTarget();
};
start().catch((error) => document.querySelector('#operations').append('The contract could not be loaded: ' + error.message));
`;
