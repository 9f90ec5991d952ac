/** Tests tagged `long` run in `npm run test:all`, not in `npm test`: `test(name, long, …)`. */
export const long = { tags: 'long' } as const;

interface Tagged<Row> {
  readonly row: Row;
  readonly options: Partial<typeof long>;
}

/** The rows of a table; the first one runs in `npm test`, the others are tagged `long`. */
export function firstIsQuick<Row>(rows: readonly Row[]): readonly Tagged<Row>[] {
  return firstAreQuick(1, rows);
}

/** The same with every other row in `npm test`, for a table whose neighbors are alike. */
export function everyOtherIsQuick<Row>(rows: readonly Row[]): readonly Tagged<Row>[] {
  return rows.map((row, index) => ({ row, options: index % 2 === 0 ? {} : long }));
}

/** The same with this many rows in `npm test`: one of each class, so the order of a table matters. */
export function firstAreQuick<Row>(many: number, rows: readonly Row[]): readonly Tagged<Row>[] {
  return rows.map((row, index) => ({ row, options: index < many ? {} : long }));
}
