/** Makes plain data unchangeable, all the way down; what is frozen already is taken as done. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}

/** The value itself if it is frozen already; else a frozen copy, so that it cannot be changed afterwards. */
export function frozenCopy<T>(value: T): T {
  return Object.isFrozen(value) ? value : deepFreeze(structuredClone(value));
}
