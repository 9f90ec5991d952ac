/** Facts about models from the user's settings, by id or by a pattern with `*`. Pure. */
import type { ModelInfo } from '../protocol/models/model.ts';
import type { Effort } from '../protocol/models/wires.ts';

/** Facts about a model that override all others; absent ones are taken from the server or the catalogue. */
export interface ModelSettings {
  /** Tokens. */
  readonly contextWindow?: number | undefined;
  /** Tokens. */
  readonly maxOutputTokens?: number | undefined;
  readonly tokenizer?: ModelInfo['tokenizer'] | undefined;
  /** US dollars per million tokens. */
  readonly price?:
    | {
        readonly input: number;
        readonly cachedInput?: number | undefined;
        readonly cacheWrite?: number | undefined;
        readonly output: number;
      }
    | undefined;
  readonly vision?: boolean | undefined;
  readonly tools?: boolean | undefined;
  readonly returnsReasoning?: boolean | undefined;
  /** How much it reasons by default. */
  readonly effort?: Effort | undefined;
  readonly efforts?: readonly Effort[] | undefined;
  /** Fields added to the body of each request. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}

/** Merges all matching entries: a longer pattern overrides a shorter one, and the exact id overrides every pattern. */
export function modelSettingsOf(models: Readonly<Record<string, ModelSettings>>, id: string): ModelSettings {
  const matching = Object.entries(models)
    .filter(([pattern]) => pattern === id || (pattern.includes('*') && matches(pattern, id)))
    .toSorted(([a], [b]) => Number(a === id) - Number(b === id) || a.length - b.length)
    .map(([, facts]) => facts);
  return Object.assign({}, ...matching.map(withoutGaps)) as ModelSettings;
}

function withoutGaps(facts: ModelSettings): object {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

/** `*` matches any characters, including none and slashes; case-insensitive. Linear in the length of the id. */
function matches(pattern: string, id: string): boolean {
  const pieces = pattern.toLowerCase().split('*');
  const name = id.toLowerCase();
  const head = pieces[0] ?? '';
  const tail = pieces.at(-1) ?? '';
  if (name.length < head.length + tail.length || !name.startsWith(head) || !name.endsWith(tail)) return false;
  let at = head.length;
  const end = name.length - tail.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
