/** On every page of the portal: what is better with scripts. */

/** Buttons that copy are hidden where scripts don't run; beside a time in UTC stands, on hover, the one of who looks. */
export function dress(part: ParentNode): void {
  for (const button of part.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', () => copy(button));
  }
  for (const time of part.querySelectorAll('time')) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.getTime())) time.title = `${at.toLocaleString()} (${time.dateTime})`;
  }
}

function copy(button: HTMLButtonElement): void {
  const said = (word: string): void => {
    button.textContent = word;
  };
  navigator.clipboard.writeText(button.dataset['copy'] ?? '').then(
    () => said('Copied'),
    () => said('Select and copy it'),
  );
}

dress(document);

/** The navigation of a phone is one line: the place we are at is in sight. */
document.querySelector('nav [aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
