import fc from 'fast-check';
import { expect, test } from 'vitest';
import { routeOf, sessionVerbs } from '../../src/cli/route.ts';

test.each([
  [['session'], []],
  [['session', 'list'], ['list']],
  [['session', '--help'], ['--help']],
  [
    ['session', '--all', '--json'],
    ['--all', '--json'],
  ],
  [
    ['session', 'help', 'show'],
    ['help', 'show'],
  ],
  [
    ['session', 'search', 'a', 'word'],
    ['search', 'a', 'word'],
  ],
])('%j is the subcommand', (argv, rest) => {
  expect(routeOf(argv)).toEqual({ type: 'session', argv: rest });
});

test.each([
  [[]],
  [['refactor']],
  [['sessions', 'expire']],
  [['session list']],
  [['session handling is broken']],
  [['session', 'handling', 'is', 'broken']],
  [['session', 'tokens expire too early']],
  [['--', 'session', 'list']],
  [['-p', 'session', 'list']],
  [['--debug', 'session', 'list']],
  [['the', 'session', 'list']],
])('%j is not a subcommand', (argv) => {
  expect(routeOf(argv)).toEqual({ type: 'other' });
});

test.each([
  [['permissions', 'test', 'ls'], { type: 'permissions', argv: ['test', 'ls'] }],
  [['permissions', 'learn', '--save'], { type: 'permissions', argv: ['learn', '--save'] }],
  [['mcp', 'add', 'x', '--', 'npx', '-y', 'y'], { type: 'mcp', argv: ['add', 'x', '--', 'npx', '-y', 'y'] }],
  [['mcp'], { type: 'mcp', argv: [] }],
  [['permissions', 'of', 'the', 'file'], { type: 'other' }],
  [['config', 'set', 'model', 'x'], { type: 'config', argv: ['set', 'model', 'x'] }],
  [['plugin', 'add', './x', '-y'], { type: 'plugin', argv: ['add', './x', '-y'] }],
  [['plugin', 'for', 'the', 'editor'], { type: 'other' }],
  [['models'], { type: 'models', argv: [] }],
  [['models', '--json'], { type: 'models', argv: ['--json'] }],
  [['models', 'of', 'the', 'world'], { type: 'other' }],
  [['config', '--help'], { type: 'config', argv: ['--help'] }],
  [['config', 'of', 'the', 'server'], { type: 'other' }],
  [['fleet', 'run', '--out', 'o', 'a'], { type: 'fleet', argv: ['run', '--out', 'o', 'a'] }],
  [['fleet', 'of', 'ships'], { type: 'other' }],
  [['acp'], { type: 'acp', argv: [] }],
  [['acp', '--model', 'x'], { type: 'acp', argv: ['--model', 'x'] }],
  [['acp', 'is', 'a', 'protocol'], { type: 'other' }],
  [['doctor'], { type: 'doctor', argv: [] }],
  [['doctor', '--json'], { type: 'doctor', argv: ['--json'] }],
  [['doctor', 'the', 'parser'], { type: 'other' }],
  [['completion', 'bash'], { type: 'completion', argv: ['bash'] }],
  [['completion'], { type: 'completion', argv: [] }],
  [['completion', 'sessions'], { type: 'completion', argv: ['sessions'] }],
  [['completion', 'of', 'the', 'parser'], { type: 'other' }],
  [['-p', 'doctor'], { type: 'other' }],
  [['--', 'doctor'], { type: 'other' }],
])('%j is %j', (argv, expected) => {
  expect(routeOf(argv)).toEqual(expected);
});

test.each([
  ['sessions', 'session'],
  ['docter', 'doctor'],
  ['completions', 'completion'],
])('%s alone is not a prompt: %s is suggested', (word, meant) => {
  expect(routeOf([word])).toEqual({
    type: 'unclear',
    message: `there is no "${word}". Did you mean "clawdcode ${meant}"? As a prompt: clawdcode -- ${word}`,
  });
  expect(routeOf(['--', word])).toEqual({ type: 'other' });
});

test('a misspelled shell name leads to a suggestion', () => {
  expect(routeOf(['completion', 'bsh'])).toEqual({
    type: 'unclear',
    message:
      'there is no "completion bsh". Did you mean "clawdcode completion bash"? As a prompt: clawdcode -- "completion bsh"',
  });
});

test('a typo does not start a conversation, and the message says how to start one', () => {
  expect(routeOf(['session', 'lsit', '--all'])).toEqual({
    type: 'unclear',
    message:
      'there is no "session lsit". Did you mean "clawdcode session list"? As a prompt: clawdcode -- "session lsit --all"',
  });
});

test('every session verb is a subcommand after "session", and none is without it', () => {
  fc.assert(
    fc.property(fc.constantFrom(...sessionVerbs), fc.array(fc.string()), (verb, rest) => {
      expect(routeOf(['session', verb, ...rest])).toEqual({ type: 'session', argv: [verb, ...rest] });
      expect(routeOf([verb, ...rest]).type).not.toBe('session');
    }),
  );
});

test('help is --help', () => {
  expect(routeOf(['help'])).toEqual({ type: 'help' });
  expect(routeOf(['help', 'me'])).toEqual({ type: 'other' });
});

test.each([
  [['login'], 'clawdcode auth login'],
  [['auth', 'stauts'], 'clawdcode auth status'],
  [['update'], 'as you installed it'],
  [['setup-token'], 'clawdcode auth login'],
  [['uninstall'], 'Remove it'],
  [['fork'], 'clawdcode session --help'],
  [['sandbox', '--help'], 'clawdcode doctor'],
  [['mcp-server'], 'clawdcode acp'],
  [['mcp', 'serve'], '"clawdcode mcp --help"'],
  [['plugins', 'install', 'x'], 'clawdcode plugin'],
  [['plugin', 'install'], 'clawdcode plugin --help'],
  [['settings', 'get', 'model'], 'clawdcode config list'],
  [['resume'], '--resume'],
  [['init'], 'type /init'],
  [['session', 'stats'], '"clawdcode session --help"'],
  [['sesion', 'list'], '"clawdcode session list"'],
  [['sesion', 'show', 'abc'], '"clawdcode session show"'],
  [['permission', 'test'], '"clawdcode permissions test"'],
  [['exec', 'hi'], 'clawdcode -p'],
  [['exec', 'fix', 'the', 'tests'], 'clawdcode -p'],
])('%j is not a prompt: the message says what to do instead', (argv, advice) => {
  const route = routeOf(argv);
  expect(route).toMatchObject({ type: 'unclear', message: expect.stringContaining(advice) });
  expect(route).toMatchObject({ message: expect.stringContaining('As a prompt: clawdcode -- "') });
});

test.each([
  [['update', 'the', 'readme']],
  [['update the readme']],
  [['config', 'files', 'are', 'not', 'read']],
  [['mcp', 'support', 'please']],
  [['login', 'is', 'broken']],
  [['install', 'eslint']],
  [['run', 'the', 'tests']],
  [['test', 'the', 'parser']],
  [['section', 'list', 'is', 'empty']],
  [['permission', 'test', 'fails']],
  [['plugins', 'list', 'is', 'wrong', 'in', 'the', 'footer']],
  [['sesion list']],
  [['export', 'the', 'table', 'as', 'csv']],
  [['--', 'login']],
  [['-p', 'login']],
])('%j is a prompt', (argv) => {
  expect(routeOf(argv)).toEqual({ type: 'other' });
});
