/** Which actions of the keys page the tests of the program try, and the check that they press a key for each. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import { actions } from '../../../src/ui/keys/actions.ts';
import { keys } from '../../ui/screen.ts';
import type { Terminal } from './terminal.ts';

/**
 * Call it at the end of a test that tries these actions: it has asserted on screen what each does. Fails for a name that
 * does not exist, and if none of an action's default keys was pressed in this terminal. `actionsTried` finds the names in
 * the source, so each is a literal.
 */
export function expectTried(terminal: Terminal, ...names: readonly string[]): void {
  const sent = terminal.sent();
  const all = sent.join('');
  for (const name of names) {
    const action = actions.find((one) => one.name === name);
    if (action === undefined) throw new Error(`There is no action ${name}.`);
    // A letter counts only if it was pressed alone: any typed text may contain it.
    const isPressed = action.keys
      .map(bytesOf)
      .some((bytes) => (/^[\x21-\x7e]$/.test(bytes) ? sent.includes(bytes) : all.includes(bytes)));
    expect({ name, isPressed }).toEqual({ name, isPressed: true });
  }
}

/** The names in all calls of `expectTried` in `test/e2e`. */
export function actionsTried(): ReadonlySet<string> {
  const folder = resolve(import.meta.dirname, '..');
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const calls = texts.flatMap((text) => [...text.matchAll(/\bexpectTried\(([^)]*)\)/g)]);
  return new Set(
    calls.flatMap(([, names = '']) => [...names.matchAll(/'([^']+)'/g)].map(([, name = '']) => name)),
  );
}

const special: Readonly<Record<string, string>> = {
  'alt+enter': keys.altEnter,
  'shift+enter': keys.shiftEnter,
  'shift+tab': keys.shiftTab,
  pagedown: keys.pageDown,
  pageup: keys.pageUp,
  space: ' ',
};

/** The bytes that a terminal sends for a key or a chord, by the name in the table of actions. */
function bytesOf(name: string): string {
  if (name.includes(' ')) return name.split(' ').map(bytesOf).join('');
  const known = special[name] ?? (keys as Readonly<Record<string, unknown>>)[name];
  if (typeof known === 'string') return known;
  const [, modifier, key = ''] = /^(ctrl|alt\+shift|alt)\+(.+)$/.exec(name) ?? [];
  if (modifier === 'ctrl') return keys.ctrl(key);
  if (modifier === undefined) return name;
  return keys.alt(modifier === 'alt' ? key : key.toUpperCase());
}
