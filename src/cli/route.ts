/**
 * Tells `clawdcode session …`, `permissions …`, `doctor` and `completion` from a prompt that begins with that word. Loads nothing:
 * every start passes here.
 */
import { nearest } from '../config/nearest.ts';
import { adviceFor } from './reservedWords.ts';

/** What `clawdcode session` can do, in the order of its help. */
export const sessionVerbs = [
  'list',
  'show',
  'audit',
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

/** What `clawdcode permissions` can do, in the order of its help. */
export const permissionVerbs = ['test', 'learn'] as const;

/** Shells that can complete the command line. */
export const shells = ['bash', 'zsh', 'fish'] as const;

/** Goes with every subcommand, and is heard where the environment is read. */
const COLORLESS = '--no-color';

type Subcommand = 'session' | 'permissions' | 'doctor' | 'completion';

/** `argv`: what stands behind the subcommand. */
export type Route =
  | { readonly type: Subcommand; readonly argv: readonly string[] }
  /** A word that is nearly one of the verbs: asking a model about it would be a costly misunderstanding. */
  | { readonly type: 'unclear'; readonly message: string }
  /** As `--help`. */
  | { readonly type: 'help' }
  | { readonly type: 'other' };

/**
 * A subcommand has to be the first argument, with nothing, a flag or one of its words after it. Everything else is
 * a prompt, and `--` in front makes one of anything.
 */
export function routeOf(argv: readonly string[]): Route {
  const [first, ...rest] = argv;
  const subcommand = subcommands.find(({ type }) => type === first);
  if (first === 'help' && rest.length === 0) return { type: 'help' };
  const advice = adviceFor(argv);
  if (advice !== undefined) return { type: 'unclear', message: advice };
  if (subcommand === undefined) return nearlySubcommand(argv);
  const { type, words } = subcommand;
  const [second] = rest;
  if (second === undefined || second.startsWith('-') || words.includes(second))
    return { type, argv: rest.filter((word) => word !== COLORLESS) };
  const meant = nearest(second, words);
  // Two single words are more likely a mistyped subcommand than a prompt.
  if (meant === undefined && (rest.length > 1 || words.length === 0 || !/^\S+$/.test(second)))
    return { type: 'other' };
  const prompt = argv.join(' ');
  const hint =
    meant === undefined ? `See "clawdcode ${type} --help".` : `Did you mean "clawdcode ${type} ${meant}"?`;
  return {
    type: 'unclear',
    message: `there is no "${type} ${second}". ${hint} As a prompt: clawdcode -- ${JSON.stringify(prompt)}`,
  };
}

/** A single word that is nearly a subcommand would make a strange prompt. */
function nearlySubcommand(argv: readonly string[]): Route {
  const [word = ''] = argv;
  const isAlone = argv.length === 1 && /^[a-z]{4,}$/i.test(word);
  const meant = isAlone
    ? nearest(
        word,
        subcommands.map(({ type }) => type),
      )
    : undefined;
  if (meant === undefined) return { type: 'other' };
  const message = `there is no "${word}". Did you mean "clawdcode ${meant}"? As a prompt: clawdcode -- ${word}`;
  return { type: 'unclear', message };
}

/** The subcommands, and what may stand right behind each of them. */
const subcommands: readonly {
  readonly type: Subcommand;
  readonly words: readonly string[];
}[] = [
  { type: 'session', words: [...sessionVerbs, 'help'] },
  { type: 'permissions', words: [...permissionVerbs, 'help'] },
  { type: 'doctor', words: [] },
  // `sessions` is what the completion itself asks for.
  { type: 'completion', words: [...shells, 'sessions'] },
];
