import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { completionScript } from '../../../src/cli/completion/command.ts';
import { hostileSessions, setUpCompletion } from './completionSetup.ts';

const isThere = spawnSync('fish', ['-c', 'true']).status === 0;

describe.runIf(isThere)('in a real fish', () => {
  const { folder, work, clear } = setUpCompletion('fish');
  afterAll(clear);
  const script = join(folder, 'clawdcode.fish');
  writeFileSync(script, completionScript('fish'));

  /** The suggestions of fish for a line, without the descriptions. */
  function offered(line: string): string[] {
    const code = `
      source ${script}
      function clawdcode; printf '%s' "$SESSIONS"; end
      complete -C ${JSON.stringify(line)}`;
    const stdout = execFileSync('fish', ['--no-config', '-c', code], {
      cwd: work,
      env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, SESSIONS: hostileSessions },
      encoding: 'utf8',
    });
    return stdout.split('\n').flatMap((row) => (row === '' ? [] : [row.split('\t')[0] ?? '']));
  }

  test.each([
    ['--out', ['--output-format']],
    ['--output-format ', ['json', 'stream-json', 'text']],
    ['--output-format=st', ['--output-format=stream-json']],
    ['--permission-mode p', ['plan']],
    [
      '',
      [
        'acp',
        'auth',
        'completion',
        'config',
        'doctor',
        'fleet',
        'mcp',
        'models',
        'permissions',
        'plugin',
        'session',
        'stats',
      ],
    ],
    ['fix do', []],
    ['session un', ['unarchive']],
    ['session list --a', ['--active', '--all']],
    ['session list ', []],
    ['session show ', ['4f8kAAAA', '4f9zBBBB', 'zz11CCCC']],
    ['session export zz --format h', ['html']],
    ['session export zz -o a', ['a file', 'a folder/']],
    ['--resume 4f', ['4f8kAAAA', '4f9zBBBB']],
    ['--resume=4f', ['--resume=4f8kAAAA', '--resume=4f9zBBBB']],
    ['-r ', ['4f8kAAAA', '4f9zBBBB', 'zz11CCCC']],
    ['-r --deb', ['--debug']],
    ['doctor --', ['--help', '--json', '--model', '--offline', '--probe', '--quick', '--yes']],
    ['completion ', ['bash', 'fish', 'zsh']],
    ['--model ', []],
    ['the session li', []],
    ['-p ', []],
    ['--add-dir a', ['a folder/']],
    ['--add-dir=a', ['--add-dir=a folder/']],
  ])('"clawdcode %s" offers %j', (words, expected) => {
    expect(offered(`clawdcode ${words}`)).toEqual(expected);
  });
});
