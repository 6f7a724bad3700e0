import { readParts } from './parts.ts';
import type { Variable } from './parts.ts';
import type { ParameterFormat, TemplateForm } from './template.ts';

/** A button that needs a value in every send. */
export interface ButtonVariable extends Variable {
  index: number;
  type: string;
}

/** Values that a send of the template must give, with upstream's examples. [spec: TemplateVariablesSummary] */
export interface VariablesSummary {
  totalCount: number;
  parameterFormat: ParameterFormat;
  /** null if there are none. */
  header: readonly Variable[] | null;
  body: readonly Variable[] | null;
  buttons: readonly ButtonVariable[] | null;
}

/** Does not count buttons that repeat the body's code, and optional values. */
export function variablesSummary(template: TemplateForm): VariablesSummary {
  const parts = readParts(template);
  const header = parts.header?.variables ?? [];
  const buttons = parts.buttons
    .filter(({ isNeeded, isCode }) => isNeeded && !isCode)
    .map(({ index, type, example }) => ({ index, type, position: 1, name: null, example }));
  return {
    totalCount: header.length + parts.body.length + buttons.length,
    parameterFormat: template.parameterFormat,
    header: orNull(header),
    body: orNull(parts.body),
    buttons: orNull(buttons),
  };
}

function orNull<T>(list: readonly T[]): readonly T[] | null {
  return list.length === 0 ? null : list;
}
