/**
 * What the program knows about its own tools: their names, and the traits that other folders ask for. A new tool is a
 * row in one of two tables; the compiler names a trait that it lacks.
 */

/** What a permission rule for a tool may name in parentheses: files, a command, a web domain, or nothing. */
export type RuleSpecifier = 'path' | 'command' | 'domain' | 'none';

interface ToolTraits {
  /** Changes nothing: calls may run in parallel, no checkpoint is taken. */
  readonly readOnly: boolean;
  /** What a call does, as editors know it: a tool kind of the Agent Client Protocol. */
  readonly acpKind: 'read' | 'edit' | 'search' | 'execute' | 'fetch' | 'think' | 'switch_mode' | 'other';
  /** Consecutive calls fold into one line on screen. */
  readonly folds: boolean;
  /** Subagents may get it. They start no others, and only their last message is returned: no plans, no questions. */
  readonly inSubagents: boolean;
  /** Shown instead of name and title, if the name is meant for the model and the title adds nothing: `Todos 1 of 3`. */
  readonly label?: string;
}

/** The tools of every session, in the order in which requests offer them, each with what its rules may name. */
const builtinTraits = {
  Read: { rule: 'path', readOnly: true, acpKind: 'read', folds: true, inSubagents: true },
  Write: { rule: 'path', readOnly: false, acpKind: 'edit', folds: false, inSubagents: true },
  Edit: { rule: 'path', readOnly: false, acpKind: 'edit', folds: false, inSubagents: true },
  Glob: { rule: 'path', readOnly: true, acpKind: 'search', folds: true, inSubagents: true },
  Grep: { rule: 'path', readOnly: true, acpKind: 'search', folds: true, inSubagents: true },
  Bash: { rule: 'command', readOnly: false, acpKind: 'execute', folds: false, inSubagents: true },
  BashOutput: { rule: 'none', readOnly: true, acpKind: 'execute', folds: false, inSubagents: true },
  KillBash: { rule: 'none', readOnly: false, acpKind: 'execute', folds: false, inSubagents: true },
  Recall: { rule: 'none', readOnly: true, acpKind: 'search', folds: false, inSubagents: true },
  WebFetch: { rule: 'domain', readOnly: true, acpKind: 'fetch', folds: false, inSubagents: true },
  TodoWrite: {
    rule: 'none',
    readOnly: false,
    acpKind: 'think',
    folds: false,
    inSubagents: true,
    label: 'Todos',
  },
  ExitPlanMode: {
    rule: 'none',
    readOnly: false,
    acpKind: 'switch_mode',
    folds: false,
    inSubagents: false,
    label: 'Plan',
  },
  AskUserQuestion: {
    rule: 'none',
    readOnly: true,
    acpKind: 'other',
    folds: false,
    inSubagents: false,
    label: 'Questions',
  },
} as const satisfies Readonly<Record<string, ToolTraits & { readonly rule: RuleSpecifier }>>;

type BuiltinToolName = keyof typeof builtinTraits;

/** The tool that loads a skill; offered only if there is a skill. */
export const skillToolName = 'Skill';

/** The tool for an answer that fits a schema; offered only with `--json-schema`. */
export const structuredOutputToolName = 'StructuredOutput';

/** The tool that starts a subagent, and its name in other programs. */
export const agentToolName = 'Agent';
export const agentToolAlias = 'Task';

const toolTraits = {
  ...builtinTraits,
  [skillToolName]: { readOnly: false, acpKind: 'other', folds: false, inSubagents: true },
  [structuredOutputToolName]: { readOnly: false, acpKind: 'other', folds: false, inSubagents: true },
  [agentToolName]: { readOnly: false, acpKind: 'think', folds: false, inSubagents: false },
} as const satisfies Readonly<Record<string, ToolTraits>>;

/** The tools whose traits are known here: not those of MCP servers and of programs that use the SDK. */
export type ToolName = keyof typeof toolTraits;

/** The traits of a tool, also by its name in other programs; undefined if it is not one of ours. */
export function traitsOf(name: ToolName): ToolTraits;
export function traitsOf(name: string | undefined): ToolTraits | undefined;
export function traitsOf(name = ''): ToolTraits | undefined {
  const own = name === agentToolAlias ? agentToolName : name;
  return Object.hasOwn(toolTraits, own) ? toolTraits[own as ToolName] : undefined;
}

/** The built-in tools in the order in which requests offer them, each with what its rules may name. */
export const builtinToolSpecifiers = Object.fromEntries(
  Object.entries(builtinTraits).map(([name, { rule }]) => [name, rule]),
) as Readonly<Record<BuiltinToolName, RuleSpecifier>>;

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
} as const satisfies { readonly [Name in BuiltinToolName as Uncapitalize<Name>]: Name };

/** The summary of a search without a match. */
export const NO_MATCHES = 'no matches';
