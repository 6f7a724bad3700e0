/** Creates elements from code: content is always text, never markup. */

/** The path under which the browser sees the service's paths; '' without one. */
export const basePath = document.documentElement.dataset['base'] ?? '';

type Attributes = Record<string, string | ((event: Event) => void)>;

export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: (Node | string | null)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'string') element.setAttribute(key, value);
    else element.addEventListener(key.replace(/^on/, ''), value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function makeButton(words: string, onclick: () => void, traits = 'quiet'): HTMLButtonElement {
  return make('button', { class: traits, type: 'button', onclick }, words);
}

/** The element of the page with this id. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page lacks #${id}`);
  return found;
}
