/** Buttons that copy (`data-copy`). */
import { make } from './dom.ts';

/** Long enough to be seen and read out. */
const saidMs = 4_000;
const labels = new WeakMap<HTMLButtonElement, string>();
/** Announces the result to screen readers, because the button keeps its accessible name. */
const heard = make('p', { class: 'unseen', role: 'status' });

export function copyOnPress(): void {
  document.body.append(heard);
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('[data-copy]') : null;
    if (button instanceof HTMLButtonElement) void copy(button);
  });
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const words = (await isCopied(button)) ? 'Copied' : 'Select and copy it';
  const label = labels.get(button) ?? button.textContent;
  labels.set(button, label);
  button.textContent = words;
  heard.textContent = words;
  setTimeout(() => {
    button.textContent = label;
    labels.delete(button);
    heard.textContent = '';
  }, saidMs);
}

/** Only pages over HTTPS and on localhost have the clipboard; from a temporary field every page copies. */
async function isCopied(button: HTMLButtonElement): Promise<boolean> {
  const text = button.id === 'copy-ids' ? idsToCopy() : (button.dataset['copy'] ?? '');
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = make('textarea', { class: 'unseen' }, text);
    button.after(field);
    field.select();
    const isDone = document.execCommand('copy');
    field.remove();
    button.focus();
    return isDone;
  }
}

const rowsOf = (selector: string): Element[] => [...document.querySelectorAll(`#log tbody tr${selector}`)];
const selected = (): Element[] => rowsOf(':has(input:checked)');

/** `#copy-ids` copies the ids of the selected rows, or of all if none is. */
function idsToCopy(): string {
  const rows = selected();
  return (rows.length > 0 ? rows : rowsOf('')).map(({ id }) => id.replace('row-', '')).join('\n');
}

/** The list may have been replaced since the last one was selected. */
export function countSelected(): void {
  document.addEventListener('change', () => {
    const button = document.getElementById('copy-ids');
    const count = selected().length;
    if (button !== null) button.textContent = count > 0 ? `Copy the ids of ${count}` : 'Copy the ids';
  });
}
