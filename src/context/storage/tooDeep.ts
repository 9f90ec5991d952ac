/** Levels of objects and lists; those of an entry are few, its arguments included. */
const MAX_LEVELS = 500;

/** Whether a value is nested so deeply that copying it, or writing it, would take more of the stack than there is. */
export function isTooDeep(value: unknown, levels = MAX_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isTooDeep(one, levels - 1));
}
