/** Preview of a template as a person would receive it, updated while it is typed. */
import { byId, make } from './dom.ts';

const form = byId('body').closest('form') ?? undefined;

function preview(): void {
  const fields = new FormData(form);
  const typed = (name: string): string => {
    const value = fields.get(name);
    return typeof value === 'string' ? value : '';
  };
  const examples = typed('examples')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const lines = ['header', 'body', 'footer']
    .map((place) => ({ role: place, text: fill(typed(place), examples) }))
    .filter(({ text }) => text !== '');
  for (let row = 1; fields.has(`button-${row}-type`); row += 1) {
    const type = typed(`button-${row}-type`);
    const text = type === 'COPY_CODE' ? 'Copy code' : typed(`button-${row}-text`);
    if (type !== '') lines.push({ role: 'button', text });
  }
  const card = byId('preview');
  card.hidden = lines.length === 0;
  card.replaceChildren(
    ...lines.map(({ role, text }) => make('p', { class: `preview-${role}`, dir: 'auto' }, text)),
  );
}

/** Replaces the variables with the next examples, as far as there are any. */
function fill(text: string, examples: string[]): string {
  const known = new Map<string, string>();
  return text.replaceAll(/\{\{[^{}\s]+\}\}/g, (variable) => {
    const value = known.get(variable) ?? examples.shift() ?? variable;
    known.set(variable, value);
    return value;
  });
}

form?.addEventListener('input', preview);
preview();
