/** The callbacks of a source file that Node calls itself, and the promises that nobody awaits: what they throw ends the process. */
import { parseSync } from 'oxc-parser';

type Node = Record<string, unknown> & { type: string; start: number; end: number };

const listening = new Set(
  'on once addListener prependListener prependOnceListener addEventListener after'.split(' '),
);
const scheduling = new Set('setTimeout setInterval setImmediate queueMicrotask nextTick'.split(' '));
/** What neither runs other code of ours nor throws. */
const harmless = new Set('resolve reject destroy terminate abort delete push cancel clearTimeout'.split(' '));

interface TopCallback {
  /** `#enter` on `connection`: the file, the event, and what the callback calls, so that a changed callback is a new one. */
  name: string;
  isHarmless: boolean;
}

export function topCallbacksOf(file: string, text: string): TopCallback[] {
  const found: TopCallback[] = [];
  visit(parseSync(file, text).program, (node) => {
    const own = callbackOf(node, text) ?? unawaited(node, text);
    if (own !== null) found.push({ ...own, name: `${file}: ${own.name}` });
  });
  return found;
}

function callbackOf(node: Node, text: string): TopCallback | null {
  if (node.type !== 'CallExpression') return null;
  const callee = nodeIn(node['callee']);
  const args = Array.isArray(node['arguments']) ? node['arguments'].map(nodeIn) : [];
  const name = calleeName(callee);
  const isListening = callee?.type === 'MemberExpression' && listening.has(name);
  const callback = isListening ? args[1] : scheduling.has(name) ? args[0] : null;
  if (callback === null || callback === undefined) return null;
  const first = args[0];
  const event = name === 'after' || !isListening || first === null ? name : sourceOf(first, text);
  return { name: `${event} → ${callsOf(callback, text)}`, isHarmless: cannotThrow(callback) };
}

/** `void promise` without a handler of its rejection. */
function unawaited(node: Node, text: string): TopCallback | null {
  const call =
    node.type === 'UnaryExpression' && node['operator'] === 'void' ? nodeIn(node['argument']) : null;
  if (call?.type !== 'CallExpression') return null;
  const name = calleeName(nodeIn(call['callee']));
  const handles =
    name === 'catch' || (name === 'then' && Array.isArray(call['arguments']) && call['arguments'][1]);
  return {
    name: `void ${sourceOf(nodeIn(call['callee']), text)}`,
    isHarmless: Boolean(handles) || harmless.has(name),
  };
}

/** The names of what a callback calls, or its own name. */
function callsOf(callback: Node | undefined, text: string): string {
  if (callback === undefined) return '';
  if (!/Function/.test(callback.type)) return sourceOf(callback, text);
  const names: string[] = [];
  visit(callback, (node) => {
    if (node.type === 'CallExpression') names.push(calleeName(nodeIn(node['callee'])));
    if (node.type === 'NewExpression') names.push(`new ${calleeName(nodeIn(node['callee']))}`);
    if (node.type === 'ThrowStatement') names.push('throw');
  });
  return names.join(' ');
}

function cannotThrow(callback: Node): boolean {
  if (!/Function/.test(callback.type)) return harmless.has(calleeName(callback));
  if (isGuarded(nodeIn(callback['body']))) return true;
  let isSafe = true;
  visit(callback, (node) => {
    if (/^(NewExpression|ThrowStatement|AwaitExpression)$/.test(node.type)) isSafe = false;
    if (node.type === 'CallExpression' && !harmless.has(calleeName(nodeIn(node['callee'])))) isSafe = false;
  });
  return isSafe;
}

/** The whole body is one `try` that catches. */
function isGuarded(body: Node | null): boolean {
  const statements = body?.type === 'BlockStatement' && Array.isArray(body['body']) ? body['body'] : [];
  const only = statements.length === 1 ? nodeIn(statements[0]) : null;
  return only?.type === 'TryStatement' && nodeIn(only['handler']) !== null;
}

function calleeName(callee: Node | null): string {
  if (callee === null) return '';
  if (callee.type === 'MemberExpression') return calleeName(nodeIn(callee['property']));
  if (callee.type === 'PrivateIdentifier') return `#${String(callee['name'])}`;
  return callee.type === 'Identifier' ? String(callee['name']) : callee.type;
}

const sourceOf = (node: Node | null | undefined, text: string): string =>
  node === null || node === undefined
    ? ''
    : text.slice(node.start, node.end).replaceAll(/\s+/g, ' ').slice(0, 60);

function nodeIn(value: unknown): Node | null {
  return isNode(value) ? value : null;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** Not a global of a test's context, which costs more to find than a node to visit. */
const { values: valuesOf } = Object;

function visit(value: object, see: (node: Node) => void): void {
  if (isNode(value)) see(value);
  for (const child of valuesOf(value)) if (typeof child === 'object' && child !== null) visit(child, see);
}
