/** Tests tagged `long` run in `npm run test:all`, not in `npm test`: `test(name, long, …)`. */
export const long = { tags: 'long' } as const;

/** The rows of a table; the first one runs in `npm test`, the others are tagged `long`. */
export function firstIsQuick<Row>(
  rows: readonly Row[],
): readonly { readonly row: Row; readonly options: Partial<typeof long> }[] {
  return rows.map((row, index) => ({ row, options: index === 0 ? {} : long }));
}
