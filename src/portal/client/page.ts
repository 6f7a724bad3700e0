/** On every page of the portal: what is better with scripts. */
import { make } from './dom.ts';

/** Buttons that copy are hidden where scripts don't run; beside a time in UTC stands, on hover, the one of who looks. */
export function dress(part: ParentNode): void {
  for (const button of part.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', () => void copy(button));
  }
  for (const time of part.querySelectorAll('time')) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.getTime())) time.title = `${at.toLocaleString()} (${time.dateTime})`;
  }
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const words = (await isCopied(button)) ? 'Copied' : 'Select and copy it';
  button.textContent = words;
  heard.textContent = words;
}

/** The button keeps its name for who hears the page: what came of it is said here. */
const heard = make('p', { class: 'unseen', role: 'status' });

/** Browsers have a clipboard for pages of https and of localhost alone. */
async function isCopied(button: HTMLButtonElement): Promise<boolean> {
  const text = button.dataset['copy'] ?? '';
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (clipboard === undefined) return isCopiedAsOfOld(button, text);
  return clipboard.writeText(text).then(
    () => true,
    () => isCopiedAsOfOld(button, text),
  );
}

/** Out of a field that is there for a moment. */
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

document.body.append(heard);
dress(document);

/** In a low window the navigation scrolls: the place we are at is in sight. */
document.querySelector('nav [aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
