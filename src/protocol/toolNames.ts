/** The names of the built-in tools: the model, permission rules, logs and the screen know them by these. */

/** What a permission rule for a tool may name in parentheses: files, a command, a domain of the web, or nothing. */
export type RuleSpecifier = 'path' | 'command' | 'domain' | 'none';

/** The built-in tools in the order in which they are offered, each with what its rules may name. */
export const builtinToolSpecifiers = {
  Read: 'path',
  Write: 'path',
  Edit: 'path',
  Glob: 'path',
  Grep: 'path',
  Bash: 'command',
  BashOutput: 'none',
  KillBash: 'none',
  Recall: 'none',
  WebFetch: 'domain',
  TodoWrite: 'none',
  ExitPlanMode: 'none',
} as const satisfies Readonly<Record<string, RuleSpecifier>>;

/** The tool that loads a skill; offered only if there is one. */
export const skillToolName = 'Skill';

export type BuiltinToolName = keyof typeof builtinToolSpecifiers;

/** For code that treats calls of one built-in tool in a way of its own. */
export const toolNames = {
  read: 'Read',
  write: 'Write',
  edit: 'Edit',
  glob: 'Glob',
  grep: 'Grep',
  bash: 'Bash',
  bashOutput: 'BashOutput',
  killBash: 'KillBash',
  recall: 'Recall',
  webFetch: 'WebFetch',
  todoWrite: 'TodoWrite',
  exitPlanMode: 'ExitPlanMode',
} as const satisfies Readonly<Record<string, BuiltinToolName>>;
