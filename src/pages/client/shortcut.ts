/** `/` and Ctrl-K (Cmd-K) lead into the field that searches everywhere, wherever one is but in another field. */
export function focusOnKeys(): void {
  const field = document.querySelector<HTMLInputElement>('[data-shortcut]');
  if (field === null) return;
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.matches('input, select, textarea');
    const isSlash = event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isSlash && !(event.key === 'k' && (event.ctrlKey || event.metaKey))) return;
    event.preventDefault();
    document.querySelector<HTMLDetailsElement>('.menu')?.setAttribute('open', '');
    field.select();
  });
}
