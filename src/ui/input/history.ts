/**
 * Where prompts are remembered between runs. Neither call rejects: a history that cannot be read or written
 * costs only itself.
 */
export type HistoryPort = {
  /** Oldest first. */
  load(): Promise<string[]>;
  /** Those of all projects, oldest first, the newest many of them. */
  loadAll?(): Promise<string[]>;
  add(text: string): Promise<void>;
};

/**
 * A walk through earlier prompts. `Draft` is whatever the editor keeps its text in; each place visited keeps what
 * was made of it, so that nothing typed is lost by pressing ↑.
 */
export type HistoryWalk<Draft> = {
  readonly entries: readonly string[];
  /** Index into `entries`; their number means the draft itself. */
  readonly position: number;
  readonly edited: ReadonlyMap<number, Draft>;
};

/** What a step shows: something the user has edited here, or an entry as it was sent. */
export type HistoryStep<Draft> = {
  readonly walk: HistoryWalk<Draft>;
  readonly show: { readonly draft: Draft } | { readonly entry: string };
};

/** Begins at the draft, before the newest entry. */
export function startWalk<Draft>(entries: readonly string[]): HistoryWalk<Draft> {
  return { entries, position: entries.length, edited: new Map() };
}

/** Adds an entry just sent and goes back to the (new, empty) draft. A repetition of the newest is kept once. */
export function remember<Draft>(walk: HistoryWalk<Draft>, text: string): HistoryWalk<Draft> {
  return startWalk(walk.entries.at(-1) === text ? walk.entries : [...walk.entries, text]);
}

/** Puts entries loaded from disk before those of this run, the walk staying where it is. */
export function prepend<Draft>(walk: HistoryWalk<Draft>, older: readonly string[]): HistoryWalk<Draft> {
  const edited = new Map([...walk.edited].map(([position, draft]) => [position + older.length, draft]));
  return { entries: [...older, ...walk.entries], position: walk.position + older.length, edited };
}

/** One entry older (-1) or newer (1), leaving `current` behind; undefined at either end. */
export function walkBy<Draft>(
  walk: HistoryWalk<Draft>,
  by: -1 | 1,
  current: Draft,
): HistoryStep<Draft> | undefined {
  const position = walk.position + by;
  const draft = walk.edited.get(position);
  const entry = walk.entries[position];
  if (draft === undefined && entry === undefined) return undefined;
  const edited = new Map(walk.edited).set(walk.position, current);
  const next = { entries: walk.entries, position, edited };
  return { walk: next, show: draft !== undefined ? { draft } : { entry: entry ?? '' } };
}
