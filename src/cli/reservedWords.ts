/**
 * Words that other agents have as subcommands. Typed alone they are almost never meant as a prompt, and sending them to
 * the model costs money. Each comes with what to do instead.
 */
interface Reserved {
  readonly names: readonly string[];
  /** What may follow and is still a subcommand; with any other word it is a prompt. */
  readonly verbs?: readonly string[];
  /** A sentence, or one made from the word that was typed. */
  readonly advice: string | ((name: string) => string);
}

const reserved: readonly Reserved[] = [
  { names: ['version'], advice: 'Run "clawdcode --version".' },
  {
    names: ['login', 'logout', 'auth'],
    verbs: ['login', 'logout', 'status'],
    advice:
      'There is no account to log in to: set OPENAI_API_KEY, or run "clawdcode" and enter a key for your endpoint.',
  },
  {
    names: ['update', 'upgrade', 'install', 'uninstall', 'setup', 'setup-token', 'migrate-installer'],
    advice:
      'ClawdCode does not update itself: update it the way you installed it (in a clone: git pull && npm install).',
  },
  {
    names: ['config', 'settings'],
    verbs: ['get', 'set', 'list', 'ls', 'add', 'remove', 'edit'],
    advice:
      'Settings are files: ~/.clawdcode/config.json for you, .clawdcode.json for a project; see docs/settings.md and "clawdcode doctor".',
  },
  {
    names: ['mcp'],
    verbs: [
      'list',
      'add',
      'add-json',
      'add-from-claude-desktop',
      'get',
      'remove',
      'serve',
      'login',
      'logout',
    ],
    advice: 'MCP servers are not supported yet.',
  },
  {
    names: ['plugin', 'plugins', 'extensions', 'agents', 'skills', 'hooks'],
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
    advice: 'Plugins, skills, hooks and custom agents are not supported yet.',
  },
  { names: ['resume', 'continue'], advice: 'Run "clawdcode --resume" or "clawdcode --continue".' },
  { names: ['exec', 'run'], advice: 'Run "clawdcode -p" with a prompt.' },
  { names: ['models', 'model'], verbs: ['list'], advice: 'Use --model, or /model in a conversation.' },
  { names: ['stats', 'usage', 'cost'], advice: 'Use /cost in a conversation.' },
  {
    names: ['init', 'compact', 'context', 'memory'],
    advice: (name) => `It is a slash command: start "clawdcode" and type /${name}.`,
  },
];

/** What to do instead of a prompt of these words; undefined where they are one. */
export function adviceFor(argv: readonly string[]): string | undefined {
  const [name = '', verb, ...more] = argv;
  const found = reserved.find(({ names }) => names.includes(name));
  if (found === undefined) return undefined;
  const isAlone = verb === undefined || verb.startsWith('-');
  const hasVerb =
    verb !== undefined && (found.verbs ?? []).includes(verb) && (more.length <= 3 || more.includes('--'));
  if (!isAlone && !hasVerb) return undefined;
  const advice = typeof found.advice === 'string' ? found.advice : found.advice(name);
  const words = argv.filter((word) => !word.startsWith('-')).join(' ');
  return `"${words}" is not a subcommand. ${advice} As a prompt: clawdcode -- ${JSON.stringify(words)}`;
}
