/** Enhancements by script on every page of the portal. */
import { make } from './dom.ts';
import { postOnce } from './once.ts';

/** Shows the copy buttons, which are hidden without scripts, and adds the local time as the tooltip of each UTC time. */
export function enhance(part: ParentNode): void {
  for (const button of part.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', () => void copy(button));
  }
  for (const time of part.querySelectorAll('time')) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.getTime())) time.title = `${at.toLocaleString()} (${time.dateTime})`;
  }
}

/** Long enough to be seen and read out. */
const saidMs = 4_000;
const before = new WeakMap<HTMLButtonElement, string>();

async function copy(button: HTMLButtonElement): Promise<void> {
  const words = (await isCopied(button)) ? 'Copied' : 'Select and copy it';
  const label = before.get(button) ?? button.textContent;
  before.set(button, label);
  button.textContent = words;
  heard.textContent = words;
  setTimeout(() => {
    button.textContent = label;
    heard.textContent = '';
  }, saidMs);
}

/** Announces the result to screen readers, because the button keeps its accessible name. */
const heard = make('p', { class: 'unseen', role: 'status' });

/** Browsers offer the clipboard only to pages over HTTPS and on localhost. */
async function isCopied(button: HTMLButtonElement): Promise<boolean> {
  const text = button.dataset['copy'] ?? '';
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (clipboard === undefined) return isCopiedAsOfOld(button, text);
  return clipboard.writeText(text).then(
    () => true,
    () => isCopiedAsOfOld(button, text),
  );
}

/** Copies from a temporary field. */
function isCopiedAsOfOld(button: HTMLButtonElement, text: string): boolean {
  const field = document.createElement('textarea');
  field.className = 'unseen';
  field.value = text;
  button.after(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  button.focus();
  return isDone;
}

/**
 * Each page of the history is a GET: without this, going back to the answer of a form, or loading it again, makes the browser ask whether to
 * post the form again. A GET of a form's URL redirects to the form's page. The address also forgets what brought the news of the page, which
 * are old when it is loaded again.
 */
function forgetForm(): void {
  const brought = [...document.querySelectorAll<HTMLElement>('[data-said]')].map(
    (news) => news.dataset['said'],
  );
  const address = new URL(location.href);
  for (const name of brought.join(' ').split(' ')) address.searchParams.delete(name);
  history.replaceState(history.state, '', address);
}

document.body.append(heard);
enhance(document);
forgetForm();
postOnce();

/** In a low window the navigation scrolls: the current entry must be visible. */
document.querySelector('nav [aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
