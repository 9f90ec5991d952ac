/**
 * Distinguishes subcommands (`clawdcode session …`, `clawdcode doctor`) from prompts that start with the same word. Loads
 * nothing, because it runs on every start.
 */
import { nearest } from '../config/nearest.ts';

/** The subcommands of `clawdcode session`, in the order of its help. */
export const sessionVerbs = [
  'list',
  'show',
  'audit',
  'request',
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

/** The subcommands of `clawdcode permissions`, in the order of its help. */
const permissionVerbs = ['test', 'learn'] as const;

/** The subcommands of `clawdcode mcp`, in the order of its help. */
const mcpVerbs = [
  'add',
  'add-json',
  'list',
  'get',
  'remove',
  'login',
  'logout',
  'reset-project-choices',
] as const;

/** The subcommands of `clawdcode config`, in the order of its help. */
const configVerbs = ['list', 'get', 'set', 'unset'] as const;

/** The subcommands of `clawdcode auth`, in the order of its help. */
const authVerbs = ['login', 'logout', 'status'] as const;

/** The subcommands of `clawdcode plugin`, in the order of its help. */
const pluginVerbs = ['add', 'list', 'enable', 'disable', 'remove'] as const;

/** Shells with completion of the command line. */
export const shells = ['bash', 'zsh', 'fish'] as const;

/** Allowed with every subcommand; takes effect where the environment is read. */
const COLORLESS = '--no-color';

type Subcommand =
  | 'session'
  | 'permissions'
  | 'mcp'
  | 'plugin'
  | 'config'
  | 'models'
  | 'fleet'
  | 'acp'
  | 'stats'
  | 'auth'
  | 'doctor'
  | 'completion';

/** `argv`: the arguments after the subcommand. */
type Route =
  | { readonly type: Subcommand; readonly argv: readonly string[] }
  /** A word similar to a subcommand: sending it to a model by mistake would cost money. */
  | { readonly type: 'unclear'; readonly message: string }
  /** Same as `--help`. */
  | { readonly type: 'help' }
  | { readonly type: 'other' };

/**
 * Routes the arguments. A subcommand must be the first argument, followed by nothing, a flag or one of its own words.
 * Everything else is a prompt; a leading `--` makes anything a prompt.
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

/**
 * Routes a word that is similar to a subcommand, alone or followed by a word of that subcommand: it would make an
 * unlikely prompt.
 */
function nearlySubcommand(argv: readonly string[]): Route {
  const [word = '', verb, ...more] = argv;
  const types = subcommands.map(({ type }) => type);
  const meant = /^[a-z]{4,}$/i.test(word) ? nearest(word, types) : undefined;
  if (meant === undefined) return { type: 'other' };
  if (verb !== undefined) {
    const { words = [] } = subcommands.find(({ type }) => type === meant) ?? {};
    // `permission test fails` is English, `permision test ls` is not.
    const isEnglish = more.length > 0 && (`${word}s` === meant || word === `${meant}s`);
    if (!words.includes(verb) || isEnglish) return { type: 'other' };
  }
  const typed = verb === undefined ? word : `${word} ${verb}`;
  const right = verb === undefined ? meant : `${meant} ${verb}`;
  const prompt = argv.length === 1 ? word : JSON.stringify(argv.join(' '));
  const message = `there is no "${typed}". Did you mean "clawdcode ${right}"? As a prompt: clawdcode -- ${prompt}`;
  return { type: 'unclear', message };
}

/** The subcommands, and the words that may directly follow each. */
const subcommands: readonly {
  readonly type: Subcommand;
  readonly words: readonly string[];
}[] = [
  { type: 'session', words: [...sessionVerbs, 'help'] },
  { type: 'permissions', words: [...permissionVerbs, 'help'] },
  { type: 'mcp', words: [...mcpVerbs, 'help'] },
  { type: 'plugin', words: [...pluginVerbs, 'help'] },
  { type: 'config', words: [...configVerbs, 'help'] },
  { type: 'models', words: ['list'] },
  { type: 'fleet', words: ['run', 'help'] },
  { type: 'acp', words: [] },
  { type: 'stats', words: [] },
  { type: 'auth', words: [...authVerbs, 'help'] },
  { type: 'doctor', words: [] },
  // `sessions` is used by the completion scripts themselves.
  { type: 'completion', words: [...shells, 'sessions'] },
];

/**
 * Words that are subcommands in other agents. Typed alone they are almost never meant as a prompt, and sending them to
 * a model costs money. Each has advice on what to do instead.
 */
interface Reserved {
  readonly names: readonly string[];
  /** Words that may follow and still make it a subcommand; any other word makes it a prompt. */
  readonly verbs?: readonly string[] | 'any';
  /** A sentence, or a function of the typed word that returns one. */
  readonly advice: string | ((name: string) => string);
}

const reserved: readonly Reserved[] = [
  { names: ['version'], advice: 'Run "clawdcode --version".' },
  {
    names: ['login', 'logout'],
    advice: (name) =>
      `There is no account to log in to; "clawdcode auth ${name}" manages the keys of your endpoints.`,
  },
  {
    names: ['update', 'upgrade', 'install', 'migrate-installer'],
    advice:
      'ClawdCode does not update itself: update it in the same way as you installed it (in a clone: git pull && npm install).',
  },
  { names: ['uninstall'], advice: 'Remove it in the same way as you installed it.' },
  {
    names: ['setup', 'setup-token', 'configure'],
    advice:
      'Run "clawdcode auth login" to store a key, or start "clawdcode", which asks for what is missing.',
  },
  {
    names: ['settings'],
    verbs: ['get', 'set', 'list', 'ls', 'unset'],
    advice: 'Run "clawdcode config list".',
  },
  {
    names: ['plugins', 'extensions', 'agents', 'skills', 'hooks'],
    verbs: [
      'list',
      'install',
      'uninstall',
      'enable',
      'disable',
      'add',
      'remove',
      'create',
      'marketplace',
      'update',
    ],
    advice:
      'For plugins, run "clawdcode plugin"; skills, agents and hooks are files: see docs/skills.md and docs/hooks.md.',
  },
  { names: ['resume', 'continue'], advice: 'Run "clawdcode --resume" or "clawdcode --continue".' },
  { names: ['exec'], verbs: 'any', advice: 'Run "clawdcode -p" with a prompt.' },
  { names: ['run'], advice: 'Run "clawdcode -p" with a prompt.' },
  { names: ['fork', 'export'], advice: 'Run "clawdcode session --help".' },
  {
    names: ['sandbox'],
    advice:
      'Choose a mode with "clawdcode --sandbox MODE"; "clawdcode doctor" says whether the sandbox works.',
  },
  {
    names: ['mcp-server', 'app-server', 'serve', 'server'],
    advice: 'Editors start "clawdcode acp"; scripts use "clawdcode -p --output-format stream-json".',
  },
  { names: ['model'], verbs: ['list'], advice: 'Run "clawdcode models", or use --model or /model.' },
  { names: ['usage', 'cost'], advice: 'Run "clawdcode stats", or use /cost in a conversation.' },
  {
    names: ['init', 'compact', 'context', 'memory'],
    advice: (name) => `It is a slash command: start "clawdcode" and type /${name}.`,
  },
];

/** Returns advice if the arguments look like another agent's subcommand; undefined if they are a prompt. */
function adviceFor(argv: readonly string[]): string | undefined {
  const [name = '', verb, ...more] = argv;
  const found = reserved.find(({ names }) => names.includes(name));
  if (found === undefined) return undefined;
  const isAlone = verb === undefined || verb.startsWith('-');
  const { verbs = [] } = found;
  const hasVerb =
    verbs === 'any' ||
    (verb !== undefined && verbs.includes(verb) && (more.length <= 3 || more.includes('--')));
  if (!isAlone && !hasVerb) return undefined;
  const advice = typeof found.advice === 'string' ? found.advice : found.advice(name);
  const words = argv.filter((word) => !word.startsWith('-')).join(' ');
  return `"${words}" is not a subcommand. ${advice} As a prompt: clawdcode -- ${JSON.stringify(words)}`;
}
