/**
 * Hooks of one event that run at the same time, each in a real sandbox of the same session.
 *
 * @module-tag long
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSettingsPrograms } from '../../src/cli/permissions/settingsPrograms.ts';
import { bench } from '../hooks/bench.ts';
import { confined, hasSandbox } from './confined.ts';

test.skipIf(!hasSandbox)(
  'each parallel hook sees the temporary file that it names',
  { tags: 'long' },
  async () => {
    const { root, home, tmp, sandbox } = await confined();
    const names = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `of-hook-${name}`);
    for (const name of names) writeFileSync(join(tmp, name), name);
    const programs = createSettingsPrograms({
      ...{ root, home, dataRoot: join(home, '.clawdcode'), addedDirectories: () => [], allowWrite: [] },
      ...{
        temporary: [tmp],
        isEphemeral: false,
        env: {},
        excluded: [],
        newId: () => 'id',
        now: () => Date.now(),
      },
    });
    programs.enter({
      sandbox,
      // All of them count as running code of the project.
      permissions: {
        effects: async () => undefined,
        matches: async () => false,
        installs: async () => false,
      },
      mode: () => 'acceptEdits',
      warn: () => undefined,
    });
    await programs.noteUnapproved({
      access: { type: 'write', paths: [join(root, 'x')] },
      basis: 'mode',
      mode: 'acceptEdits',
    });
    const hooks = names.map((name) => ({ type: 'command', command: `cat ${tmp}/${name}` }));
    const { runner } = await bench({ SessionStart: [{ hooks }] }, { root, programs });
    for (let round = 0; round < 3; round++) {
      const { runs, contexts } = await runner.run(
        { event: 'SessionStart', input: {} },
        new AbortController().signal,
      );
      expect(runs.map(({ problem }) => problem)).toEqual(names.map(() => undefined));
      expect(contexts.map(({ text }) => text).toSorted()).toEqual(names);
    }
  },
);
