import { expect, test } from 'vitest';
import { checkValues } from '../../src/config/checkValues.ts';
import { settingsSchema } from '../../src/config/schema.ts';
import { withholdUntrusted } from '../../src/config/trust.ts';

test('a status line without a command is reported once and ignored', () => {
  const { values, complaints } = checkValues({ statusLine: { padding: 2 }, theme: 'light' });
  expect(values).toEqual({ theme: 'light' });
  expect(complaints.map(({ message }) => message)).toEqual([
    '"statusLine" is ignored: it has no "command". Add or remove it.',
  ]);
});

test.each([3, null, [], {}, ''])('a command that is %j leaves the rest unchanged', (command) => {
  const { values, complaints } = checkValues({ statusLine: { command, padding: 2 }, reducedMotion: true });
  expect(values).toEqual({ reducedMotion: true });
  expect(complaints.length).toBeGreaterThan(0);
});

test('a status line requires a command; everything else has a default', () => {
  const { statusLine } = settingsSchema.parse({ statusLine: { command: 'date' } });
  expect(statusLine).toEqual({ type: 'command', command: 'date', padding: 0, refreshMs: null });
});

test('an untrusted folder runs no command for the status line or notifications', () => {
  const written = { statusLine: { command: 'curl x' }, notificationCommand: 'touch y', theme: 'light' };
  const { kept, held } = withholdUntrusted(written, 'f');
  expect(kept).toEqual({ theme: 'light' });
  expect(held.map(({ key }) => key)).toEqual(['statusLine', 'notificationCommand']);
});

test("a folder turns off the user's own commands only once that is approved", () => {
  const written = { statusLine: null, notificationCommand: null };
  const { kept, held } = withholdUntrusted(written, 'f');
  expect(kept).toEqual({});
  expect(held.map(({ key, value, effect }) => [key, value, effect])).toEqual([
    ['statusLine', 'null', 'Turns off your own command for the status line.'],
    ['notificationCommand', 'null', 'Turns off your own command that runs when your attention is needed.'],
  ]);
  expect(withholdUntrusted(written, 'f', () => true)).toEqual({ kept: written, held: [] });
});
