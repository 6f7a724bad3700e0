/** A template as a person would get it, while it is typed. */
import { byId, make } from './dom.ts';

const places = ['header', 'body', 'footer'] as const;

function typed(name: string): string {
  const found = byId(name);
  return found instanceof HTMLInputElement || found instanceof HTMLTextAreaElement ? found.value : '';
}

/** Its variables with the examples in their places, as far as there are any. */
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
    return text === '' ? [] : [make('p', { class: `preview-${place}` }, text)];
  });
  const card = byId('preview');
  card.hidden = lines.length === 0;
  card.replaceChildren(...lines);
}

for (const name of [...places, 'examples']) byId(name).addEventListener('input', preview);
preview();
