/** Lists of paths that several sessions change at the same time. */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createPathNotes } from '../../src/sandbox/places/pathNotes.ts';

const top = mkdtempSync(join(tmpdir(), 'clawdcode-notes-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));

test('concurrent additions and removals by two sessions all take effect', () => {
  const file = join(top, 'both', 'notes.json');
  const [one, other] = [createPathNotes(file), createPathNotes(file)];
  one.write({ a: ['/1', '/2'] });
  expect([one.read(), other.read()]).toEqual([{ a: ['/1', '/2'] }, { a: ['/1', '/2'] }]);
  one.write({ a: ['/1', '/2', '/3'] });
  other.write({ a: ['/2', '/4'], b: ['/5'] });
  const both = { a: ['/2', '/3', '/4'], b: ['/5'] };
  expect([one.read(), other.read(), createPathNotes(file).read()]).toEqual([both, both, both]);
  expect(one.read()).toBe(one.read());
});

test('an incomplete line counts as damaged, and later lines are still read', () => {
  const file = join(top, 'damaged.json');
  writeFileSync(file, '{"a":["/1"]}');
  const notes = createPathNotes(file, { d: ['/'] });
  expect(notes.read()).toEqual({ a: ['/1'] });
  appendFileSync(file, '\n{"add":{"a":["/2"');
  createPathNotes(file).write({ a: ['/3'] });
  expect(notes.read()).toEqual({ a: ['/1', '/3'], d: ['/'] });
});

test('a list that cannot be written is kept in memory for this session', () => {
  writeFileSync(join(top, 'plain'), '');
  const notes = createPathNotes(join(top, 'plain', 'notes.json'));
  notes.write({ a: ['/1'] });
  expect(notes.read()).toEqual({ a: ['/1'] });
});
