/** `read`, called once for each object, which is never changed in place. What was read is kept as long as the object. */
export function onceFor<Key extends object, Value extends object>(
  read: (key: Key) => Value,
): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const value = read(key);
    known.set(key, value);
    return value;
  };
}
