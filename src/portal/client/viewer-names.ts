/** What the viewer leaves unnamed or out of reach of keys and screen readers. */

/** The label of a list says nothing but what is in the list. */
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

/** Fields are read out by what stands beside them; what scrolls can be reached; no link stands inside a button. */
export function tidy(): void {
  for (const field of document.querySelectorAll('#contract :is(input, select, textarea)')) {
    if (field.hasAttribute('aria-label') || isNamed(field)) continue;
    const beside = field.closest('tr')?.querySelector('.parameter__name')?.textContent ?? '';
    field.setAttribute('aria-label', beside || field.getAttribute('placeholder') || field.id || 'Value');
  }
  for (const block of document.querySelectorAll('#contract :is(pre, .highlight-code)')) {
    if (!block.hasAttribute('tabindex')) block.setAttribute('tabindex', '0');
  }
  // Its calls stand in a main; what stands beside them is named too.
  for (const [part, name] of Object.entries(regions)) {
    const region = document.querySelector(`#contract ${part}`);
    region?.setAttribute('role', 'region');
    region?.setAttribute('aria-label', name);
  }
  for (const heading of document.querySelectorAll('#contract :is(h3.opblock-tag, .models h4)'))
    heading.setAttribute('aria-level', '2');
  for (const link of document.querySelectorAll('#contract button a[href]')) link.removeAttribute('href');
}
