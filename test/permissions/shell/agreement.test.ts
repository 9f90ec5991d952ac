/** @module-tag long */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CommandPart } from '../../../src/permissions/shell/parsedCommand.ts';
import { shellParser, top } from '../harness.ts';

/** Pieces from which random commands are built; `p1` to `p3` are programs that leave a trace when they run. */
const pieces = [
  'p1',
  'p2',
  'p3',
  ' ',
  ' ',
  ' ',
  ';',
  '&&',
  '||',
  '|',
  '|&',
  '&',
  '\n',
  '\\\n',
  '\\',
  "'",
  '"',
  "$'",
  '$"',
  '`',
  '$(',
  ')',
  '(',
  '{ ',
  ';}',
  '<(',
  '<<E\n',
  "<<'E'\n",
  '<<-E\n',
  '\nE\n',
  '\tE\n',
  'E',
  '#',
  ' #',
  'x=1 ',
  'x=p1 ',
  '$x',
  '${x}',
  '${x:-',
  '}',
  '$((',
  '))',
  '[[ ',
  ' ]]',
  '[',
  ']',
  '!',
  '! ',
  'if ',
  ';then ',
  ';fi',
  'for x in ',
  ';do ',
  ';done',
  'case p1 in p1) ',
  ';;esac',
  'eval ',
  "bash -c '",
  'command ',
  'env ',
  'time ',
  'a',
  '*',
  '{p1,p2}',
  '<',
  '>&2',
  '2>&1 ',
  '<<<',
  'f(){ ',
  ';}; f',
  '=',
  '\t',
  '"$(',
  ')"',
  'while p1',
  '\u00a0',
  '\\p1',
  'xargs ',
  '~',
  '?',
];
const command = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 14 })
  .map((list) => list.join(''));

/** Long runs: FUZZ_RUNS=20000 FUZZ_SEED=3 npx vitest run test/permissions/shell/agreement.test.ts */
const runs = Number(process.env.FUZZ_RUNS ?? 150);
const seed = Number(process.env.FUZZ_SEED ?? 7);

/** Whether a part matches the words that ran; words known only to the shell may have become any number of words. */
function accounts(part: CommandPart, ran: readonly string[]): boolean {
  if (part.argv[0] !== ran[0]) return false;
  if (part.argv.some((word) => word === null || /[*?[~]/.test(word))) return true;
  return part.argv.length === ran.length && part.argv.every((word, index) => word === ran[index]);
}

test('every program that bash runs for an understood command is listed as a part', {
  tags: 'long',
  timeout: 600_000,
}, async () => {
  const parse = await shellParser();
  const bin = mkdtempSync(join(top, 'bin-'));
  for (const name of ['p1', 'p2', 'p3'])
    writeFileSync(
      join(bin, name),
      // One write for each: the parts of a pipeline run at the same time.
      `#!/bin/sh\nline=$(printf '%s\\037' ${name} "$@"; printf '\\036')\nprintf %s "$line" >> "$TRACE"\n`,
      { mode: 0o755 },
    );
  const cwd = join(bin, 'cwd');
  mkdirSync(cwd);

  const commands = fc
    .sample(command, { numRuns: runs * 40, seed })
    .filter((text) => text.includes('p') && parse(text).ok);
  let ran = 0;
  for (const [index, text] of commands.slice(0, runs).entries()) {
    // One trace for each command, since background jobs may write late.
    const trace = join(bin, `trace-${index}`);
    writeFileSync(trace, '');
    spawnSync('bash', ['-c', text], {
      cwd,
      env: { PATH: `${bin}:/usr/bin:/bin`, TRACE: trace },
      input: '',
      timeout: 2000,
    });
    const parsed = parse(text);
    const parts = parsed.ok ? parsed.parts : [];
    for (const line of readFileSync(trace, 'utf8').split('\x1e').slice(0, -1)) {
      const words = line.split('\x1f').slice(0, -1);
      ran += 1;
      if (!parts.some((part) => accounts(part, words)))
        expect.fail(`${JSON.stringify(text)} ran ${JSON.stringify(words)}`);
    }
  }
  expect(ran).toBeGreaterThan(runs / 5);
});
