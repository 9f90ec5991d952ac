/** The command line: flags in, plain options out. commander is loaded only when there is something to parse. */
import { parsePermissionMode } from '../config/modes.ts';
import { type PermissionMode, permissionModes } from '../protocol/permissions.ts';

export interface CliOptions {
  readonly prompt: string | undefined;
  readonly print: boolean;
  readonly continue: boolean;
  /** An id, the beginning of one or a title; or true for the picker. */
  readonly resume: string | true | undefined;
  /** With `continue` or `resume`: go on in a copy. */
  readonly forkSession: boolean;
  /** A title of the user's own for the session. */
  readonly name: string | undefined;
  readonly sessionId: string | undefined;
  readonly model: string | undefined;
  readonly baseUrl: string | undefined;
  readonly permissionMode: PermissionMode | undefined;
  readonly maxTurns: number | undefined;
  readonly outputFormat: 'text' | 'json' | 'stream-json';
  readonly includePartialMessages: boolean;
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly appendSystemPrompt: string | undefined;
  readonly addDirs: readonly string[];
  readonly contextWindow: number | undefined;
  readonly debug: boolean;
  readonly demo: boolean;
}

/** What the command line asks for: a run, or words and an exit code. */
export type Parsed =
  | { readonly type: 'run'; readonly options: CliOptions }
  | { readonly type: 'exit'; readonly code: number; readonly stdout: string; readonly stderr: string };

const exitCodes = `
Exit codes:
  0 done · 1 the turn failed · 41 no key, no server or access refused · 42 bad input or unknown session
  52 bad settings · 53 --max-turns reached · 130 interrupted · 143 terminated`;

/** Parses the arguments after the program's name; `version` is what `--version` prints. */
export async function parseArguments(argv: readonly string[], version: string): Promise<Parsed> {
  const { Command, CommanderError, InvalidArgumentError, Option } = await import('commander');
  let stdout = '';
  let stderr = '';
  const positive = (text: string): number => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < 1)
      throw new InvalidArgumentError('It must be a whole number above 0.');
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
  const hidden = (flags: string): InstanceType<typeof Option> => new Option(flags).hideHelp();

  const program = new Command('clawdcode')
    .description(
      'A coding agent in your terminal, in the repository you are in. Its sessions: clawdcode session --help',
    )
    .argument('[prompt...]', 'what to do; without one, a conversation opens')
    .option('-p, --print', 'print the answer and exit (reads standard input too)')
    .addOption(
      new Option('-c, --continue', 'go on with the newest session of this project').conflicts('resume'),
    )
    .option('-r, --resume [id|title]', 'go on with a session; without its name, pick one')
    .option('--fork-session', 'with --continue or --resume: go on in a copy')
    .option('-n, --name <title>', 'what to call the session')
    .option('-m, --model <name>', 'model to talk to')
    .option('--base-url <url>', 'OpenAI-compatible endpoint')
    .addOption(new Option('--permission-mode <mode>', `${permissionModes.join(' | ')}`).argParser(mode))
    .option('--max-turns <n>', 'stop after this many steps', positive)
    .addOption(
      new Option('--output-format <format>', 'with -p')
        .choices(['text', 'json', 'stream-json'])
        .default('text'),
    )
    .option('--allowed-tools <rules>', 'rules to allow, e.g. "Edit,Bash(npm test)"', list)
    .option('--disallowed-tools <rules>', 'rules to deny', list)
    .option('--append-system-prompt <text>', 'add to the system prompt')
    .option(
      '--add-dir <directory>',
      'work in this directory too (repeatable)',
      (text: string, before: readonly string[] = []) => [...before, text],
    )
    .option('--context-window <tokens>', 'window of a model that nobody knows', positive)
    .option('--demo', 'use the built-in demo model (no network)')
    .option('--debug', 'write a debug log to the data folder')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addOption(hidden('--session-id <id>'))
    .addOption(hidden('--include-partial-messages'))
    .addOption(hidden('--verbose'))
    .addOption(hidden('--allowedTools <rules>').argParser(list))
    .addOption(hidden('--disallowedTools <rules>').argParser(list))
    .addOption(hidden('-y, --yolo'))
    .addOption(hidden('--dangerously-skip-permissions'))
    .addHelpText('after', exitCodes)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        stdout += text;
      },
      writeErr: (text) => {
        stderr += text;
      },
      getOutHelpWidth: () => 110,
    });

  try {
    program.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { type: 'exit', code: error.exitCode === 0 ? 0 : 42, stdout, stderr };
  }
  const given = program.opts();
  if (given.forkSession === true && given.continue !== true && given.resume === undefined) {
    const advice = 'error: --fork-session needs --continue or --resume: which session to copy\n';
    return { type: 'exit', code: 42, stdout: '', stderr: advice };
  }
  const prompt = program.args.join(' ').trim();
  return {
    type: 'run',
    options: {
      prompt: prompt === '' ? undefined : prompt,
      print: given.print === true,
      continue: given.continue === true,
      resume: given.resume,
      forkSession: given.forkSession === true,
      name: given.name,
      sessionId: given.sessionId,
      model: given.model,
      baseUrl: given.baseUrl,
      permissionMode:
        given.permissionMode ??
        (given.yolo || given.dangerouslySkipPermissions ? 'bypassPermissions' : undefined),
      maxTurns: given.maxTurns,
      outputFormat: given.outputFormat,
      includePartialMessages: given.includePartialMessages === true,
      allowedTools: [...(given.allowedTools ?? [])],
      disallowedTools: [...(given.disallowedTools ?? [])],
      appendSystemPrompt: given.appendSystemPrompt,
      addDirs: given.addDir ?? [],
      contextWindow: given.contextWindow,
      debug: given.debug === true,
      demo: given.demo === true,
    },
  };
}

/** Splits `Edit,Bash(git log, x) Read` at commas and white space outside parentheses. */
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
