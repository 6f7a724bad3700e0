/** Preview of a template as a person would receive it, updated while it is typed. */
import { byId, make } from './dom.ts';

const places = ['header', 'body', 'footer'] as const;

function typed(name: string): string {
  const found = byId(name);
  const isField =
    found instanceof HTMLInputElement ||
    found instanceof HTMLTextAreaElement ||
    found instanceof HTMLSelectElement;
  return isField ? found.value : '';
}

/** Texts of the buttons. */
function rows(): string[] {
  const texts: string[] = [];
  for (let row = 1; document.getElementById(`button-${row}-type`) !== null; row += 1) {
    const type = typed(`button-${row}-type`);
    if (type !== '') texts.push(type === 'COPY_CODE' ? 'Copy code' : typed(`button-${row}-text`));
  }
  return texts;
}

/** Replaces the variables with the examples, as far as there are any. */
function preview(): void {
  const examples = typed('examples')
    .split('\n')
    .filter((line) => line.trim() !== '');
  let used = 0;
  const lines = places.flatMap((place) => {
    const known = new Map<string, string>();
    const text = typed(place).replaceAll(/\{\{[^{}\s]+\}\}/g, (variable) => {
      const value = known.get(variable) ?? examples[used++] ?? variable;
      known.set(variable, value);
      return value;
    });
    return text === '' ? [] : [make('p', { class: `preview-${place}`, dir: 'auto' }, text)];
  });
  const buttons = rows().map((text) => make('p', { class: 'preview-button', dir: 'auto' }, text));
  lines.push(...buttons);
  const card = byId('preview');
  card.hidden = lines.length === 0;
  card.replaceChildren(...lines);
}

byId('body').closest('form')?.addEventListener('input', preview);
preview();
