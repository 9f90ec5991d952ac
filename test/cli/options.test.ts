import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CliOptions, parseArguments } from '../../src/cli/options.ts';
import { splitRules } from '../../src/cli/program.ts';

async function run(...argv: string[]): Promise<CliOptions> {
  const parsed = await parseArguments(argv, '1.2.3');
  if (parsed.type !== 'run') throw new Error(`it did not run: ${parsed.stderr}${parsed.stdout}`);
  return parsed.options;
}

const defaults: CliOptions = {
  prompt: undefined,
  print: false,
  continue: false,
  resume: undefined,
  forkSession: false,
  resumeSessionAt: undefined,
  name: undefined,
  sessionId: undefined,
  sessionPersistence: true,
  model: undefined,
  effort: undefined,
  thinking: {},
  fallbackModel: undefined,
  baseUrl: undefined,
  permissionMode: undefined,
  sandbox: undefined,
  maxTurns: undefined,
  maxBudgetUsd: undefined,
  jsonSchema: undefined,
  outputFormat: 'text',
  inputFormat: 'text',
  replayUserMessages: false,
  permissionPromptTool: undefined,
  permissionPrompts: 'host',
  allowBypass: false,
  includePartialMessages: false,
  includeHookEvents: false,
  allowedTools: [],
  disallowedTools: [],
  appendSystemPrompt: undefined,
  systemPrompt: undefined,
  systemPromptFile: undefined,
  appendSystemPromptFile: undefined,
  tools: undefined,
  skills: undefined,
  settings: undefined,
  settingSources: undefined,
  directory: undefined,
  addDirs: [],
  mcpConfig: [],
  strictMcpConfig: false,
  agents: undefined,
  agent: undefined,
  pluginDir: [],
  pluginDirNoMcp: [],
  contextWindow: undefined,
  safeMode: false,
  screenReader: false,
  debug: false,
  debugFile: undefined,
  demo: false,
};

test.each<[string[], Partial<CliOptions>]>([
  [[], {}],
  [['fix', 'the', 'test'], { prompt: 'fix the test' }],
  [['--max-thinking-tokens', '5000'], { thinking: { thinkingBudget: 5000 } }],
  [
    ['--thinking=adaptive', '--thinking-display=omitted'],
    { thinking: { thinkingBudget: 'adaptive', thinkingDisplay: 'omitted' } },
  ],
  [['--thinking', 'enabled', '--max-thinking-tokens', '0'], { thinking: { thinkingBudget: 0 } }],
  [['--thinking', 'disabled', '--max-thinking-tokens', '900'], { thinking: { thinkingBudget: 0 } }],
  [['fix the test'], { prompt: 'fix the test' }],
  [['  '], {}],
  [['-p', 'hello'], { print: true, prompt: 'hello' }],
  [
    ['--input-format', 'stream-json', '--output-format=stream-json', '--replay-user-messages'],
    { print: true, inputFormat: 'stream-json', outputFormat: 'stream-json', replayUserMessages: true },
  ],
  [
    ['-p', '--permission-prompt-tool', 'mcp__guard__approve', '--permission-prompts=none', 'x'],
    { print: true, permissionPromptTool: 'mcp__guard__approve', permissionPrompts: 'none', prompt: 'x' },
  ],
  [
    ['-p', '--resume=abc', '--resume-session-at=u1', '--plugin-dir', 'a', '--plugin-dir=b', 'x'],
    { print: true, resume: 'abc', resumeSessionAt: 'u1', pluginDir: ['a', 'b'], prompt: 'x' },
  ],
  [
    [
      '-p',
      '--debug-file',
      'log',
      '--agent=counter',
      '--await-initialize',
      '--initialize-fields=settings',
      'x',
    ],
    { print: true, debug: true, debugFile: 'log', agent: 'counter', prompt: 'x' },
  ],
  [['--print'], { print: true }],
  [['-p', '--', '-x is a flag'], { print: true, prompt: '-x is a flag' }],
  [['-c'], { continue: true }],
  [['--continue', 'go on'], { continue: true, prompt: 'go on' }],
  [['-r'], { resume: true }],
  [['-r', 'abc'], { resume: 'abc' }],
  [['--resume=abc', 'go on'], { resume: 'abc', prompt: 'go on' }],
  [['--resume', 'abc', 'go', 'on'], { resume: 'abc', prompt: 'go on' }],
  [['--resume', 'Fix the login'], { resume: 'Fix the login' }],
  [['--resume', 'abc', '--fork-session'], { resume: 'abc', forkSession: true }],
  [['-c', '--fork-session', 'go on'], { continue: true, forkSession: true, prompt: 'go on' }],
  [['--resume', '--fork-session'], { resume: true, forkSession: true }],
  [['-n', 'Login work', 'fix it'], { name: 'Login work', prompt: 'fix it' }],
  [['--name=Login'], { name: 'Login' }],
  [['--session-id', 'mine'], { sessionId: 'mine' }],
  [['-m', 'gpt-4.1'], { model: 'gpt-4.1' }],
  [
    ['--model=a/b:c', '--base-url', 'http://localhost:1/v1'],
    { model: 'a/b:c', baseUrl: 'http://localhost:1/v1' },
  ],
  [['--permission-mode', 'plan'], { permissionMode: 'plan' }],
  [['--permission-mode', 'autoEdit'], { permissionMode: 'acceptEdits' }],
  [['--permission-mode', 'yolo'], { permissionMode: 'bypassPermissions' }],
  [['--permission-mode', 'manual'], { permissionMode: 'default' }],
  [['-y'], { permissionMode: 'bypassPermissions' }],
  [['--yolo'], { permissionMode: 'bypassPermissions' }],
  [['--dangerously-skip-permissions'], { permissionMode: 'bypassPermissions' }],
  [['--yolo', '--permission-mode', 'plan'], { permissionMode: 'plan' }],
  [['--max-turns', '3'], { maxTurns: 3 }],
  [['--output-format', 'stream-json', '--verbose'], { outputFormat: 'stream-json' }],
  [['--include-partial-messages'], { includePartialMessages: true }],
  [['--allowed-tools', 'Edit,Bash(npm test)'], { allowedTools: ['Edit', 'Bash(npm test)'] }],
  [['--allowedTools', 'Edit', '--allowed-tools', 'Read'], { allowedTools: ['Edit', 'Read'] }],
  [
    ['--disallowedTools', 'Bash Edit', '--disallowed-tools', 'Read'],
    { disallowedTools: ['Bash', 'Edit', 'Read'] },
  ],
  [['--append-system-prompt', 'Rhyme.'], { appendSystemPrompt: 'Rhyme.' }],
  [['--add-dir', '../a', '--add-dir', '/b'], { addDirs: ['../a', '/b'] }],
  [['--context-window', '8000'], { contextWindow: 8000 }],
  [['--debug', '--demo'], { debug: true, demo: true }],
])('%j is understood', async (argv, expected) => {
  expect(await run(...argv)).toEqual({ ...defaults, ...expected });
});

test.each<[string[], RegExp]>([
  [['--modle', 'x'], /unknown option '--modle'[\s\S]*Did you mean --model\?/],
  [['--wombat'], /unknown option '--wombat'\n$/],
  [['--model'], /argument missing/],
  [['--max-turns', '0'], /'0' is invalid. It must be a whole number above 0\./],
  [['--max-turns', 'many'], /'many' is invalid/],
  [['--max-turns', '2.5'], /'2\.5' is invalid/],
  [['--context-window', '-1'], /invalid|missing/],
  [
    ['--permission-mode', 'careful'],
    /Choose one of: default, acceptEdits, plan, auto, dontAsk, bypassPermissions\./,
  ],
  [
    ['--continue', '--resume', 'abc'],
    /'-c, --continue' cannot be used with option '-r, --resume \[id\|title\]'/,
  ],
  [['--fork-session', 'fix it'], /--fork-session needs --continue or --resume/],
  [['--name'], /argument missing/],
  [['--input-format', 'stream-json'], /needs --output-format stream-json/],
  [
    ['--input-format', 'stream-json', '--output-format', 'stream-json', 'hello'],
    /prompts come from standard input/,
  ],
  [['-p', '--replay-user-messages', 'hello'], /--replay-user-messages needs --input-format stream-json/],
  [['--output-format', 'xml'], /Allowed choices are text, json, stream-json\./],
])('%j is bad input: exit code 42 and a reason', async (argv, reason) => {
  const parsed = await parseArguments(argv, '1.2.3');
  expect(parsed).toEqual({ type: 'exit', code: 42, stdout: '', stderr: expect.stringMatching(reason) });
});

test.each(['-v', '--version'])('%s prints the version', async (flag) => {
  const parsed = await parseArguments([flag], '1.2.3');
  expect(parsed).toEqual({ type: 'exit', code: 0, stdout: '1.2.3\n', stderr: '' });
});

test.each(['-h', '--help'])('%s fits on a screen and ends with the exit codes', async (flag) => {
  const parsed = await parseArguments([flag], '1.2.3');
  if (parsed.type !== 'exit') throw new Error('help ran');
  expect([parsed.code, parsed.stderr]).toEqual([0, '']);
  const lines = parsed.stdout.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(40);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(110);
  expect(parsed.stdout).toContain('More options: docs/commands.md, and docs/headless.md for scripts.');
  expect(lines.slice(-3)[0]).toBe('Exit codes:');
  for (const code of ['0', '1', '41', '42', '52', '53', '130', '143'])
    expect(parsed.stdout).toMatch(new RegExp(`(^|· | {2})${code} `, 'm'));
});

test.each([
  ['', []],
  [' , ', []],
  ['Edit', ['Edit']],
  ['Edit,Bash(npm test)', ['Edit', 'Bash(npm test)']],
  ['Edit Read\tGlob\nGrep', ['Edit', 'Read', 'Glob', 'Grep']],
  ['Bash(git log, --oneline),Read', ['Bash(git log, --oneline)', 'Read']],
  ['Bash(echo $(date) x) Edit', ['Bash(echo $(date) x)', 'Edit']],
  ['Edit) Read', ['Edit)', 'Read']],
])('the rules in %j are split into %j', (text, rules) => {
  expect(splitRules(text)).toEqual(rules);
});

test('rules that were joined can be split again', () => {
  const name = fc.stringMatching(/^[A-Z][a-z]{1,8}$/);
  const spec = fc.stringMatching(/^[a-z*./, :]{0,12}$/);
  const rule = fc.oneof(
    name,
    fc.tuple(name, spec).map(([tool, inner]) => `${tool}(${inner})`),
  );
  fc.assert(
    fc.property(fc.array(rule), fc.constantFrom(',', ' ', ', ', '  '), (rules, separator) => {
      expect(splitRules(rules.join(separator))).toEqual(rules);
    }),
  );
});

test('no arguments give the same result as commander, without loading it', async () => {
  const none = await parseArguments([], '1.2.3');
  expect(none).toEqual(await parseArguments(['--'], '1.2.3'));
});

test.each([
  ['--permission-mode', '\u001B]0;PWN\u0007'],
  ['--effort', 'a\u001B[2J'],
  ['--output-format', '\u009B31m'],
  ['--max-budget-usd', '\u001Bc'],
  ['--no\u001B]0;PWN\u0007', 'x'],
])('control characters in a quoted argument are shown: %j %j', async (...argv) => {
  const parsed = await parseArguments(argv, '1.2.3');
  if (parsed.type !== 'exit') throw new Error('it ran');
  expect(parsed.stderr).toMatch(/‹U\+00(?:1B|9B)›/);
  expect(parsed.stderr).not.toMatch(/[^\P{Cc}\n]/u);
});
