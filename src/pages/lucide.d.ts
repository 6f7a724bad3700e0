/** Icons are imported one by one: the package as a whole has 2,000. */
declare module 'lucide/dist/esm/icons/*.mjs' {
  /** Elements on 24 × 24. */
  const icon: readonly (readonly [element: string, attributes: Readonly<Record<string, string>>])[];
  export default icon;
}
