/** On every page of the portal: buttons that copy. They are hidden where scripts don't run. */
for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', () => {
    const said = (word: string): void => {
      button.textContent = word;
    };
    navigator.clipboard.writeText(button.dataset['copy'] ?? '').then(
      () => said('Copied'),
      () => said('Select and copy it'),
    );
  });
}

/** Beside the time in UTC, on hover, the one of who looks. */
for (const time of document.querySelectorAll('time')) {
  const at = new Date(time.dateTime);
  if (!Number.isNaN(at.getTime())) time.title = `${at.toLocaleString()} (${time.dateTime})`;
}

/** The navigation of a phone is one line: the place we are at is in sight. */
document.querySelector('nav [aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
