/** What a person without a mouse sees of the focus. */
import type { Page } from 'playwright-core';

interface Focused {
  /** Of the element: its label or its text. */
  name: string;
  /** The whole element, or its label, is in the window with a ring around it, and nothing covers it. */
  isSeen: boolean;
}

export function focusedOf(page: Page): Promise<Focused> {
  return page.evaluate(`(() => {
    const at = document.activeElement;
    const name = (at?.labels?.[0]?.innerText ?? at?.innerText ?? '').trim();
    if (at === null || at === document.body) return { name: '', isSeen: true };
    const hasRing = (each) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(each);
      return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
    };
    const isShown = (each) => {
      const [{ left, top, right, bottom }] = each.getClientRects();
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      const isWhole = left > -2 && top > -2 && right < innerWidth + 2 && bottom < innerHeight + 2;
      if (!isWhole && bottom - top < innerHeight) return false;
      const there = document.elementFromPoint(x, Math.min(y, innerHeight - 1));
      return there !== null && (each.contains(there) || there.contains(each) && there !== document.body);
    };
    const shown = [at, ...(at.labels ?? [])].filter((each) => each.getClientRects().length > 0);
    return { name, isSeen: shown.some((each) => hasRing(each) && isShown(each)) };
  })()`);
}
