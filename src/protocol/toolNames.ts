/** The names of the built-in tools, used by the model, permission rules, logs and the screen. */

/** What a permission rule for a tool may name in parentheses: files, a command, a web domain, or nothing. */
export type RuleSpecifier = 'path' | 'command' | 'domain' | 'none';

/** The built-in tools in the order in which requests offer them, each with what its rules may name. */
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
  AskUserQuestion: 'none',
} as const satisfies Readonly<Record<string, RuleSpecifier>>;

/** The tool that loads a skill; offered only if there is a skill. */
export const skillToolName = 'Skill';

/** The tool for an answer that fits a schema; offered only with `--json-schema`. */
export const structuredOutputToolName = 'StructuredOutput';

/** The tool that starts a subagent, and its name in other programs. */
export const agentToolName = 'Agent';
export const agentToolAlias = 'Task';

type BuiltinToolName = keyof typeof builtinToolSpecifiers;

/** For code that handles calls of a specific built-in tool. */
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
  askUserQuestion: 'AskUserQuestion',
} as const satisfies Readonly<Record<string, BuiltinToolName>>;
