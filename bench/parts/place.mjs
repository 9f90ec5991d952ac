// Where the program is measured: a home and a repository of its own, and nothing of the user's environment but PATH.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The built program. */
export const program = join(root, 'bin/clawdcode.js');

export function createPlace() {
  const scratch = mkdtempSync(join(tmpdir(), 'clawdcode-bench-'));
  const home = join(scratch, 'home');
  const cwd = join(scratch, 'repository');
  mkdirSync(home);
  cpSync(join(root, 'examples/sample-project'), cwd, { recursive: true });
  cpSync(join(root, 'package-lock.json'), join(cwd, 'package-lock.json'));
  spawnSync('git', ['init', '--quiet', cwd]);
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: scratch,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    // Never contacted where a measure has no server: the screen is up long before anything is asked.
    OPENAI_API_KEY: 'bench',
    OPENAI_MODEL: 'gpt-4.1',
  };
  return {
    cwd,
    env,
    /** A text of some 100 kB, in lines of about 35 characters. */
    file: join(cwd, 'package-lock.json'),
    /** The same place, with these variables as well. */
    with(more) {
      return { ...this, env: { ...this.env, ...more } };
    },
    remove: () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }),
  };
}
