/** Layout faults that axe does not see: parts that touch, and buttons that are cut off. */
import type { Page } from 'playwright-core';

/** Less than this between two parts one above the other, in px, and they touch. */
const leastGap = 2;

/** Each fault in words, with the beginning of what is shown there. */
export function findCrowded(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const said = (each) => each.tagName.toLowerCase() + ' ' + each.textContent.trim().slice(0, 30);
    const box = (each) => each.getBoundingClientRect();
    const isShown = (each) => each.checkVisibility({ visibilityProperty: true }) && box(each).height > 1;
    const shown = (names) => [...document.querySelectorAll(names)].filter(isShown);
    const all = (document.querySelector('dialog[open]') === null ? 'main ' : 'dialog[open] ');
    const parts = shown(all + ':is(.card, .list, button, .button, fieldset, .note, pre, .empty)');
    const texts = shown(all + ':is(p, h2, h3, summary)').filter((each) => each.textContent !== '');
    const isAcross = (a, b) => Math.min(box(a).right, box(b).right) - Math.max(box(a).left, box(b).left) > 4;
    const gap = (a, b) => Math.max(box(b).top - box(a).bottom, box(a).top - box(b).bottom);
    const isApart = (a, b) => a === b || a.contains(b) || b.contains(a) || !isAcross(a, b);
    const touching = (a) => parts.filter((b) => !isApart(a, b) && Math.abs(gap(a, b)) < ${leastGap});
    const isCut = (each) => {
      for (let at = each.parentElement; at !== null && at.tagName !== 'BODY'; at = at.parentElement)
        if (getComputedStyle(at).overflowX !== 'visible' && box(each).right > box(at).right + 1) return true;
      return false;
    };
    return [
      ...[...parts, ...texts].flatMap((a) => touching(a).map((b) => said(a) + ' touches ' + said(b))),
      ...shown(all + '.rows :is(button, .button)').filter(isCut).map((each) => said(each) + ' is cut off'),
    ];
  })()`);
}
