interface Output {
  readonly entryPoint?: string;
  readonly imports: readonly { readonly path: string; readonly kind: string }[];
}

export function groupPieces(
  outputs: Readonly<Record<string, Output>>,
  routes: readonly (readonly string[])[],
): string[][];

export function joinPieces(
  pieces: ReadonlyMap<string, string>,
  groups: readonly (readonly string[])[],
): Map<string, string>;
