/** For each stage, the stages that may follow: the arrows of the diagram in `actors/README.md`. */
type Diagram<Stage extends string> = Readonly<Record<Stage, readonly Stage[]>>;

/**
 * The only way a stage changes. The result throws on a step that the diagram does not have; that ends the activation, and the next owner
 * starts from the store.
 */
export function makeStages<Stage extends string>(
  what: string,
  diagram: Diagram<Stage>,
): (thing: { stage: Stage }, to: Stage) => void {
  return (thing, to) => {
    if (!diagram[thing.stage].includes(to))
      throw new Error(`a ${what} does not go from ${thing.stage} to ${to}`);
    thing.stage = to;
  };
}
