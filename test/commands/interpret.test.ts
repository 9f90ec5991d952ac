import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allCommands } from '../../src/commands/allCommands.ts';
import { interpret, unknownCommandText } from '../../src/commands/interpret.ts';
import { counterpartOf } from '../../src/commands/otherAgents.ts';

/** The interpretation in a compact form for tables. */
function read(text: string): unknown {
  const meaning = interpret(text, allCommands);
  if (meaning.type === 'command') return [meaning.command.name, meaning.args];
  if (meaning.type === 'unknown') return { unknown: meaning.name, suggestion: meaning.suggestion };
  return meaning.type === 'shell' ? { shell: meaning.command } : 'prompt';
}

test.each<[string, unknown]>([
  ['fix the test', 'prompt'],
  ['', 'prompt'],
  ['/', 'prompt'],
  ['//', 'prompt'],
  ['/usr/bin/x is slow', 'prompt'],
  ['/a/b', 'prompt'],
  ['/etc/hosts', 'prompt'],
  ['/tmp.txt is big', 'prompt'],
  ['/Users', 'prompt'],
  ['/Applications is full', 'prompt'],
  ['/3 of them fail', 'prompt'],
  ['/* what is this comment? */', 'prompt'],
  [' /help', 'prompt'],
  ['say /help', 'prompt'],
  ['/help', ['help', '']],
  ['/HELP', ['help', '']],
  ['/help   ', ['help', '']],
  ['/compact', ['compact', '']],
  ['/compact the parser, please', ['compact', 'the parser, please']],
  ['/compact\nline one\nline two\n', ['compact', 'line one\nline two']],
  ['/compress', ['compact', '']],
  ['/summarize', ['compact', '']],
  ['/continue abc', ['resume', 'abc']],
  ['/sessions', ['resume', '']],
  ['/new', ['clear', '']],
  ['/reset', ['clear', '']],
  ['/usage', ['cost', '']],
  ['/stats', ['cost', '']],
  ['/quit', ['exit', '']],
  ['/hlep', { unknown: 'hlep', suggestion: 'help' }],
  ['/modle gpt', { unknown: 'modle', suggestion: 'model' }],
  ['/plan', ['permissions', 'plan']],
  ['/plan the release', { unknown: 'plan', suggestion: undefined }],
  ['/approvals', ['permissions', '']],
  ['/allowed-tools', ['permissions', '']],
  ['/share html', ['export', 'html']],
  ['/frobnicate', { unknown: 'frobnicate', suggestion: undefined }],
  ['/constructor', { unknown: 'constructor', suggestion: undefined }],
  ['/ns:thing', { unknown: 'ns:thing', suggestion: undefined }],
  ['!ls -la', { shell: 'ls -la' }],
  ['!  git status\n', { shell: 'git status' }],
  ['!cat <<E\nx\nE', { shell: 'cat <<E\nx\nE' }],
  ['!', 'prompt'],
  ['! ', 'prompt'],
  [' !ls', 'prompt'],
])('%j is understood', (text, expected) => {
  expect(read(text)).toEqual(expected);
});

test('text that begins with neither / nor ! is always a prompt, unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      fc.pre(!/^[/!]/.test(text));
      expect(interpret(text, allCommands)).toEqual({ type: 'prompt', text });
    }),
  );
});

test('names and aliases are unique, and each can be reached', () => {
  const names = allCommands.flatMap((command) => [command.name, ...command.aliases]);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(interpret(`/${name}`, allCommands)).toMatchObject({ type: 'command' });
});

test('an unknown command leads to the nearest one, or to /help', () => {
  expect(unknownCommandText({ name: 'hlep', suggestion: 'help' })).toContain('Did you mean /help?');
  expect(unknownCommandText({ name: 'x' })).toContain('/help');
});

test.each([
  ['/directory add ../lib', 'There is no /directory here. Use /add-dir PATH.'],
  ['/login', 'There is no /login here. Store a key in a shell: clawdcode auth login'],
  ['/plan the release', 'There is no /plan here. Use /permissions plan.'],
])('%s of other agents says what to do instead', (text, expected) => {
  const meaning = interpret(text, allCommands);
  expect(meaning.type === 'unknown' && unknownCommandText(meaning)).toBe(expected);
});

test('commands of other agents never hide one of ours', () => {
  for (const { name, aliases } of allCommands)
    for (const one of [name, ...aliases]) expect(counterpartOf(one)).toBeUndefined();
});
