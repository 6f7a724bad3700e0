/** The table of every list. Columns leave it by their priority; on a phone each row is two lines. */
import { Fragment, isValidElement } from 'preact';
import type { ComponentChildren, VNode } from 'preact';

/**
 * `read-by`: what one finds the row by, first on a phone. `state`: beside it there. `second`: on the second line there; with one such column
 * the others are not shown on a phone, else each is shown with its head. `named`: with its head on that line too. `p2` to `p5`: leaves a
 * narrow table, p5 first. `one-line`: long text is cut. `end`: aligned to the right. `pick-row`: a checkbox.
 */
export type Trait =
  | 'read-by'
  | 'state'
  | 'second'
  | 'named'
  | 'p2'
  | 'p3'
  | 'p4'
  | 'p5'
  | 'one-line'
  | 'end'
  | 'pick-row';

interface RowsProps {
  heads: readonly string[];
  rows: readonly (readonly ComponentChildren[])[];
  /** Identify the rows when the page refreshes itself: the id of a row is `row-` and its key. */
  keys?: readonly string[];
  /** By column; default: one reads by the first. */
  traits?: readonly (readonly Trait[])[];
  /** Sticks below the table. */
  bulk?: ComponentChildren;
}

const byDefault: readonly (readonly Trait[])[] = [['read-by']];
const buttons: readonly Trait[] = ['end'];

export function Rows({ heads, rows, keys = [], traits, bulk }: RowsProps): VNode {
  const given = traits ?? byDefault;
  // A column without a head has the buttons of its row.
  const shapes = heads.map((head, i) => given[i] ?? (head === '' ? buttons : []));
  const hasSecond = shapes.some((each) => each.includes('second'));
  const name = `rows${traits === undefined ? '' : ' shaped'}${hasSecond ? ' two-lines' : ''}`;
  return (
    <div class="list">
      <table class={name} role="table">
        <thead>
          <tr role="row">
            {heads.map((head, i) => (
              <th scope="col" role="columnheader" class={classOf(shapes[i])}>
                <Head text={head} isUnseen={shapes[i]?.includes('pick-row') === true} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, n) => (
            <tr role="row" id={keys[n] === undefined ? undefined : `row-${keys[n]}`}>
              {cells.map((cell, i) => (
                <td
                  role="cell"
                  data-head={!hasSecond || shapes[i]?.includes('named') === true ? heads[i] : undefined}
                  class={classOf(shapes[i], isOneWord(cell))}
                >
                  {asOne(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {bulk === undefined || bulk === null ? null : <div class="bulk">{bulk}</div>}
    </div>
  );
}

function Head({ text, isUnseen }: { text: string; isUnseen: boolean }): VNode {
  if (text !== '' && !isUnseen) return <>{text}</>;
  return <span class="unseen">{text === '' ? 'Actions' : text}</span>;
}

function classOf(traits: readonly Trait[] = [], isWhole = false): string | undefined {
  const names = isWhole ? [...traits, 'nowrap'] : traits;
  return names.length === 0 ? undefined : names.join(' ');
}

/** A column beside a long name shrinks until its words break. */
function isOneWord(cell: ComponentChildren): boolean {
  return typeof cell === 'string' && /^\S{1,14}$/.test(cell);
}

/** On a phone a cell stands in a row of others: a wrapper keeps the parts of a fragment together. */
function asOne(cell: ComponentChildren): ComponentChildren {
  return isValidElement(cell) && cell.type === Fragment ? <div>{cell}</div> : cell;
}
