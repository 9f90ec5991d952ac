/** Tells `clawdcode session …` from a prompt that begins with that word. Loads nothing: every start passes here. */
import { nearest } from '../../config/nearest.ts';

/** What `clawdcode session` can do, in the order of its help. */
export const sessionVerbs = [
  'list',
  'show',
  'search',
  'rename',
  'fork',
  'export',
  'archive',
  'unarchive',
  'delete',
  'verify',
  'repair',
] as const;

export type Route =
  | { readonly type: 'session'; readonly argv: readonly string[] }
  /** A word that is nearly one of the verbs: asking a model about it would be a costly misunderstanding. */
  | { readonly type: 'unclear'; readonly message: string }
  | { readonly type: 'other' };

/**
 * `session` has to be the first argument, with nothing, a flag or one of the verbs after it. Everything else is
 * a prompt, and `--` in front makes one of anything.
 */
export function routeOf(argv: readonly string[]): Route {
  const [first, second, ...rest] = argv;
  if (first !== 'session') return { type: 'other' };
  const words: readonly string[] = [...sessionVerbs, 'help'];
  if (second === undefined || second.startsWith('-') || words.includes(second))
    return { type: 'session', argv: argv.slice(1) };
  const meant = nearest(second, words);
  if (meant === undefined) return { type: 'other' };
  const prompt = ['session', second, ...rest].join(' ');
  return {
    type: 'unclear',
    message: `there is no "session ${second}". Did you mean "clawdcode session ${meant}"? As a prompt: clawdcode -- ${JSON.stringify(prompt)}`,
  };
}
