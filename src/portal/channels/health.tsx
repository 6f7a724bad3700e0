import type { VNode } from 'preact';
import { State } from '../parts.tsx';
import type { FaringChannel } from '../../use-cases/index.ts';
import { describeHealth } from './words.ts';

/** In a list: how a channel fares in one word, and why. */
export function HealthCell({ of }: { of: FaringChannel }): VNode {
  const { tone, word, why } = describeHealth(of);
  return (
    <span class="health">
      <State tone={tone}>{word}</State>
      <span class="hint">{why}</span>
    </span>
  );
}
