/** Shows the contract in the viewer, with this origin as the server: to a browser, other addresses of the service are other origins. */
import { basePath, make } from './dom.ts';

interface Authorized {
  apiKey?: { value: string };
}
type Wrapped<T> = (original: (given: T) => unknown) => (given: T) => unknown;

declare const SwaggerUIBundle: (options: object) => {
  preauthorizeApiKey: (name: string, key: string) => void;
};

/** `sessionStorage`, because the viewer's own storage outlives the tab and the browser. */
const kept = 'trunkline-docs-key';

const authorize: Wrapped<Authorized> = (original) => (given) => {
  if (given.apiKey !== undefined) sessionStorage.setItem(kept, given.apiKey.value);
  return original(given);
};
const logout: Wrapped<string[]> = (original) => (names) => {
  if (names.includes('apiKey')) sessionStorage.removeItem(kept);
  return original(names);
};
const keepKey = () => ({ statePlugins: { auth: { wrapActions: { authorize, logout } } } });

/** The viewer parses its input as YAML, which takes ten times as long. */
const parseToJson =
  (_original: unknown, { specActions }: { specActions: { updateJsonSpec: (spec: unknown) => unknown } }) =>
  (text: string) =>
    specActions.updateJsonSpec(JSON.parse(text));
const readQuickly = () => ({
  fn: { resolveSubtree },
  statePlugins: { spec: { wrapActions: { parseToJson } } },
});

/** The viewer's own dark theme has this class name. */
const dark = matchMedia('(prefers-color-scheme: dark)');
function applyTheme(): void {
  document.documentElement.classList.toggle('dark-mode', dark.matches);
}
dark.addEventListener('change', applyTheme);
applyTheme();

interface Contract {
  paths: Record<string, unknown>;
  tags: { name: string }[];
  webhooks?: unknown;
}

/** The part of the contract for operators or for clients: they are different people, with different secrets. */
function pickPart({ paths, tags, webhooks, ...rest }: Contract, part: string): Contract {
  const isOperators = part === 'operators';
  const own = Object.entries(paths).filter(([path]) => path.startsWith('/admin/') === isOperators);
  const shown = { ...rest, paths: Object.fromEntries(own), ...(isOperators ? {} : { webhooks }) };
  const named = JSON.stringify(own);
  return { ...shown, tags: tags.filter(({ name }) => named.includes(JSON.stringify(name))) };
}

async function show(place: HTMLElement): Promise<void> {
  new MutationObserver(tidy).observe(place, { childList: true, subtree: true });
  const contract: Contract = await (await fetch(`${basePath}/openapi.json`)).json();
  const viewer = SwaggerUIBundle({
    spec: {
      ...pickPart(contract, place.dataset['part'] ?? ''),
      servers: [{ url: `${location.origin}${basePath}` }],
    },
    dom_id: '#contract',
    deepLinking: true,
    filter: true,
    docExpansion: 'list',
    tryItOutEnabled: true,
    persistAuthorization: false,
    validatorUrl: null, // by default it calls a service of the viewer's makers
    plugins: [keepKey, readQuickly],
    onComplete: () => {
      const key = sessionStorage.getItem(kept);
      if (key !== null) viewer.preauthorizeApiKey('apiKey', key);
    },
  });
}

/** The contents at the left: the groups of calls that the viewer shows. */
function listParts(): void {
  const list = document.querySelector('.contents ul');
  const parts = [...document.querySelectorAll<HTMLElement>('#contract .opblock-tag')];
  if (list === null || list.childElementCount === parts.length) return;
  const linkTo = ({ id, dataset }: HTMLElement) => make('a', { href: `#${id}` }, dataset['tag'] ?? '');
  list.replaceChildren(...parts.map((part) => make('li', {}, linkTo(part))));
}

const place = document.getElementById('contract');
if (place !== null) {
  show(place).catch((error: unknown) => {
    place.textContent = `The contract could not be read: ${String(error)}`;
  });
}

// Names for elements that the viewer leaves unnamed, or unreachable by keyboard and screen readers.

/** The label of a `select` contains only its options, so it is no name. */
function isNamed(field: Element): boolean {
  if (field instanceof HTMLSelectElement) return false;
  const label = field.closest('label') ?? document.querySelector(`label[for="${CSS.escape(field.id)}"]`);
  return (label?.textContent ?? '').trim() !== '';
}

const regions = {
  '.information-container': 'About',
  '.scheme-container': 'Authorization',
  '.filter': 'Filter',
  '.webhooks': 'Webhooks',
  '.models': 'Schemas',
};

/** Gives fields an accessible name, makes scrolling blocks focusable, and removes links within buttons. */
function tidy(): void {
  listParts();
  for (const field of document.querySelectorAll('#contract :is(input, select, textarea)')) {
    if (field.hasAttribute('aria-label') || isNamed(field)) continue;
    const beside = field.closest('tr')?.querySelector('.parameter__name')?.textContent ?? '';
    field.setAttribute('aria-label', beside || field.getAttribute('placeholder') || field.id || 'Value');
  }
  for (const block of document.querySelectorAll('#contract :is(pre, .highlight-code)')) {
    if (!block.hasAttribute('tabindex')) block.setAttribute('tabindex', '0');
  }
  // The viewer's `main` contains only the calls; the regions beside it get names too.
  for (const [part, name] of Object.entries(regions)) {
    const region = document.querySelector(`#contract ${part}`);
    region?.setAttribute('role', 'region');
    region?.setAttribute('aria-label', name);
  }
  for (const heading of document.querySelectorAll('#contract :is(.info .title, h3.opblock-tag, .models h4)'))
    heading.setAttribute('aria-level', '2');
  for (const link of document.querySelectorAll('#contract button a[href]')) link.removeAttribute('href');
}

// Resolves the references of the part of the contract that the viewer shows for an open call.

const at = (root: unknown, path: readonly string[]): unknown =>
  path.reduce((part: unknown, key) => Object(part)[key], root);

function inlined(part: unknown, root: unknown): unknown {
  if (Array.isArray(part)) return part.map((item) => inlined(item, root));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref: to } = Object(part);
  if (typeof to === 'string') return inlined(at(root, to.slice('#/'.length).split('/')), root);
  return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, inlined(item, root)]));
}

/**
 * Replaces the viewer's own resolver, which processes the whole contract for every call that is opened, taking a second. Our contract has
 * only references to its own named schemas, none recursive.
 */
async function resolveSubtree(root: unknown, path: readonly string[]) {
  return { spec: inlined(at(root, path), root) ?? null, errors: [] };
}
