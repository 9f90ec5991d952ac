/** All flags of `clawdcode`, defined once for parsing, `--help` and shell completion. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { type SettingSource, settingSources } from '../config/flags.ts';
import { parsePermissionMode } from '../config/modes.ts';
import { efforts, thinkingDisplays } from '../protocol/models/wires.ts';
import { type PermissionMode, permissionModes } from '../protocol/permissions.ts';
import { sandboxModes } from '../protocol/sandbox.ts';

const epilogue = `
More options: docs/commands.md, and docs/headless.md for scripts. Subcommands (each has --help):
  session       list, search, show and manage the sessions on this machine · stats   what they cost
  permissions   explain decisions, and suggest rules from what you approved · fleet   run many tasks
  mcp           manage MCP servers · plugin   add plugins · config   change settings · models   list models
  doctor        check your setup · auth   store keys · acp   serve an editor · completion   for your shell

Exit codes:
  0 done · 1 the turn failed · 41 no key or server set, or access denied · 42 bad input or unknown session
  52 bad settings · 53 --max-turns or budget reached · 130 interrupted · 141 pipe closed · 143 terminated`;

/** Defines the flags; `version` is printed by `--version`. Throws instead of ending the process. */
export function createProgram(version: string): Command {
  const positive = (text: string): number => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < 1)
      throw new InvalidArgumentError('It must be a whole number above 0.');
    return value;
  };
  const tokens = (text: string): number => {
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < 0)
      throw new InvalidArgumentError('It must be a whole number of tokens.');
    return value;
  };
  const amount = (text: string): number => {
    const value = Number(text);
    if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError('It must be a number above 0.');
    return value;
  };
  const mode = (text: string): PermissionMode => {
    const found = parsePermissionMode(text);
    if (found === undefined) throw new InvalidArgumentError(`Choose one of: ${permissionModes.join(', ')}.`);
    return found;
  };
  const list = (text: string, before: readonly string[] = []): readonly string[] => [
    ...before,
    ...splitRules(text),
  ];
  const toolList = (text: string): readonly string[] | undefined =>
    text.trim() === 'default' ? undefined : splitRules(text);
  const modelList = (text: string): readonly string[] => text.split(',').flatMap((name) => name.trim() || []);
  const sourceList = (text: string): readonly SettingSource[] =>
    splitRules(text).map((name) => {
      const found = settingSources.find((source) => source === name);
      if (found === undefined)
        throw new InvalidArgumentError(`Choose among: ${settingSources.join(', ')}, with commas.`);
      return found;
    });
  const repeated = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];
  const promptTool = (text: string): string => {
    if (text !== 'stdio' && !text.startsWith('mcp__'))
      throw new InvalidArgumentError('It must be stdio, or the tool of an MCP server: mcp__server__tool.');
    return text;
  };
  const initializeFields = (text: string): readonly string[] =>
    splitRules(text).map((name) => {
      if (name === 'settings' || name === 'disallowedTools') return name;
      throw new InvalidArgumentError('Choose among: settings, disallowedTools, with commas.');
    });
  const hidden = (flags: string): Option => new Option(flags).hideHelp();

  return new Command('clawdcode')
    .description(
      'A coding agent in your terminal, in the repository you are in. Omit the prompt to start a conversation.',
    )
    .argument('[prompt...]')
    .option('-p, --print', 'print the answer and exit (also reads standard input)')
    .addOption(
      new Option('-c, --continue', 'continue the most recent session of this project').conflicts('resume'),
    )
    .option('-r, --resume [id|title]', 'resume a session by id or title, or choose one')
    .option('--fork-session', 'with --continue or --resume: continue in a copy')
    .option('-n, --name <title>', 'name of the session')
    .option('-m, --model <name>', 'model to use')
    .addOption(new Option('--effort <level>', 'how much the model reasons').choices(efforts))
    .option('--base-url <url>', 'base URL of the model API')
    .addOption(
      new Option('--permission-mode <mode>', 'what runs without approval')
        .choices(permissionModes)
        .argParser(mode),
    )
    .addOption(
      new Option(
        '-s, --sandbox <mode>',
        'where commands may write, enforced by the operating system',
      ).choices(sandboxModes),
    )
    .option('--max-turns <n>', 'stop after this many steps', positive)
    .addOption(
      new Option('--output-format <format>', 'output of -p')
        .choices(['text', 'json', 'stream-json'])
        .default('text'),
    )
    .option('--allowed-tools <rules>', 'permission rules that allow, e.g. "Edit,Bash(npm test)"', list)
    .option('--disallowed-tools <rules>', 'permission rules that deny', list)
    .option('--append-system-prompt <text>', 'add to the system prompt')
    .option('--add-dir <directory>', 'also work in this directory (repeatable)', repeated)
    .option(
      '--mcp-config <file|json>',
      'also use these MCP servers (repeatable; --strict-mcp-config: only these)',
      repeated,
    )
    .option('--context-window <tokens>', 'context window of the model, in tokens', positive)
    .option('--demo', 'use the built-in demo model (no network)')
    .option('--ax-screen-reader', 'plain output for screen readers')
    .option('--debug', 'write a debug log to the data folder')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addOption(hidden('--session-id <id>'))
    .addOption(hidden('--no-session-persistence'))
    .addOption(hidden('--max-budget-usd <amount>').argParser(amount))
    .addOption(hidden('--json-schema <json|file>'))
    .addOption(hidden('--strict-mcp-config'))
    .addOption(hidden('--fallback-model <models>').argParser(modelList))
    .addOption(hidden('--thinking <how>').choices(['adaptive', 'enabled', 'disabled']))
    .addOption(hidden('--max-thinking-tokens <n>').argParser(tokens))
    .addOption(hidden('--thinking-display <how>').choices(thinkingDisplays))
    .addOption(hidden('--agents <json>'))
    .addOption(hidden('--input-format <format>').choices(['text', 'stream-json']).default('text'))
    .addOption(hidden('--system-prompt <text>'))
    .addOption(hidden('--system-prompt-file <file>'))
    .addOption(hidden('--append-system-prompt-file <file>'))
    .addOption(hidden('--tools <names>').argParser(toolList))
    .addOption(hidden('--settings <file|json>'))
    .addOption(hidden('--setting-sources <sources>').argParser(sourceList))
    .addOption(hidden('-C, --directory <directory>'))
    .addOption(hidden('--replay-user-messages'))
    .addOption(hidden('--permission-prompt-tool <name>').argParser(promptTool))
    .addOption(hidden('--permission-prompts <who>').choices(['host', 'none']))
    .addOption(hidden('--resume-session-at <uuid>'))
    .addOption(hidden('--agent <name>'))
    .addOption(hidden('--plugin-dir <folder>').argParser(repeated))
    .addOption(hidden('--plugin-dir-no-mcp <folder>').argParser(repeated))
    .addOption(hidden('--debug-file <file>'))
    .addOption(hidden('--await-initialize'))
    .addOption(hidden('--initialize-fields <names>').argParser(initializeFields))
    .addOption(hidden('--allow-dangerously-skip-permissions'))
    .addOption(hidden('--include-partial-messages'))
    .addOption(hidden('--include-hook-events'))
    .addOption(hidden('--safe-mode'))
    .addOption(hidden('--bare'))
    .addOption(hidden('--verbose'))
    .addOption(hidden('--no-color'))
    .addOption(hidden('--allowedTools <rules>').argParser(list))
    .addOption(hidden('--disallowedTools <rules>').argParser(list))
    .addOption(hidden('-y, --yolo'))
    .addOption(hidden('--dangerously-skip-permissions'))
    .addHelpText('after', epilogue)
    .exitOverride();
}

/** Splits `Edit,Bash(git log, x) Read` at commas and whitespace outside parentheses. */
export function splitRules(text: string): string[] {
  const rules: string[] = [];
  let depth = 0;
  let rule = '';
  for (const character of text) {
    if (character === '(') depth++;
    if (character === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 && /[,\s]/.test(character)) {
      rules.push(rule);
      rule = '';
    } else rule += character;
  }
  return [...rules, rule].map((one) => one.trim()).filter((one) => one !== '');
}
