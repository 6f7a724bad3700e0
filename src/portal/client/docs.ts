/** Shows the contract in the viewer, with this origin as the server: to a browser, other addresses of the service are other origins. */
import { tidy } from './viewer-names.ts';
import { resolveSubtree } from './viewer-refs.ts';

interface Authorized {
  apiKey?: { value: string };
}
type Wrapped<T> = (original: (given: T) => unknown) => (given: T) => unknown;

interface Viewer {
  spec: unknown;
  dom_id: string;
  deepLinking: boolean;
  filter: boolean;
  docExpansion: 'list';
  tryItOutEnabled: boolean;
  persistAuthorization: boolean;
  /** null, because the viewer's default calls a service of its makers. */
  validatorUrl: null;
  plugins: (() => unknown)[];
  onComplete: () => void;
}

declare const SwaggerUIBundle: (viewer: Viewer) => {
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

interface SpecSystem {
  specActions: { updateJsonSpec: (spec: unknown) => unknown };
}
/** The viewer parses its input as YAML, which takes ten times as long. */
const parseToJson =
  (_original: unknown, { specActions }: SpecSystem) =>
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
  tags?: { name: string }[];
  webhooks?: unknown;
}

/** The part of the contract for operators or for clients: they are different people, with different secrets. */
function pickPart({ paths, ...contract }: Contract, part: string): Contract {
  const isOperators = part === 'operators';
  const own = Object.entries(paths).filter(([path]) => path.startsWith('/admin/') === isOperators);
  const { webhooks, tags = [], ...rest } = contract;
  const named = JSON.stringify(own);
  const shown = { ...rest, tags: tags.filter(({ name }) => named.includes(JSON.stringify(name))) };
  return { ...shown, paths: Object.fromEntries(own), ...(isOperators ? {} : { webhooks }) };
}

async function show(place: HTMLElement): Promise<void> {
  new MutationObserver(tidy).observe(place, { childList: true, subtree: true });
  const contract: Contract = await (await fetch('/openapi.json')).json();
  const viewer = SwaggerUIBundle({
    spec: { ...pickPart(contract, place.dataset['part'] ?? ''), servers: [{ url: location.origin }] },
    dom_id: '#contract',
    deepLinking: true,
    filter: true,
    docExpansion: 'list',
    tryItOutEnabled: true,
    persistAuthorization: false,
    validatorUrl: null,
    plugins: [keepKey, readQuickly],
    onComplete: () => {
      const key = sessionStorage.getItem(kept);
      if (key !== null) viewer.preauthorizeApiKey('apiKey', key);
    },
  });
}

const place = document.getElementById('contract');
if (place !== null) {
  show(place).catch((error: unknown) => {
    place.textContent = `The contract could not be read: ${String(error)}`;
  });
}
