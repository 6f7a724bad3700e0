import type { VNode } from 'preact';
import { State } from '../components.tsx';
import type { FaringChannel } from '../../use-cases/index.ts';
import { describeHealth } from './words.ts';

/** Cell of a list: the channel's health in one word, and the reason. */
export function HealthCell({ of }: { of: FaringChannel }): VNode {
  const { tone, word, why } = describeHealth(of);
  return (
    <span class="health">
      <State tone={tone}>{word}</State>
      <span class="hint">{why}</span>
    </span>
  );
}
