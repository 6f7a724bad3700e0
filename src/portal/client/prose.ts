import { make } from './dom.ts';

/** A sentence of the contract, its `code` between backquotes. */
export function prose(text = ''): HTMLElement {
  const parts = text.split('`').map((part, at) => (at % 2 === 1 ? make('code', {}, part) : part));
  return make('span', {}, ...parts);
}
