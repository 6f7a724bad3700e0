/**
 * The copy button copies the ids of the ticked rows, or of all rows if none is ticked. The list may have been replaced since the last tick.
 */
document.addEventListener('change', () => {
  const button = document.getElementById('copy-ids');
  if (!(button instanceof HTMLButtonElement)) return;
  const rows = [...document.querySelectorAll('#log [data-key]')];
  const ticked = rows.filter((row) => row.querySelector('input:checked') !== null);
  const ids = (ticked.length > 0 ? ticked : rows).map((row) => row.getAttribute('data-key') ?? '');
  button.dataset['copy'] = ids.join('\n');
  button.textContent = ticked.length > 0 ? `Copy the ids of ${ticked.length}` : 'Copy the ids';
});
