import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type IPty, spawn } from '@lydell/node-pty';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { completionScript } from '../../../src/cli/completion/command.ts';
import { hostileSessions, setUpCompletion } from './completionSetup.ts';

const isThere = spawnSync('zsh', ['-c', 'true']).status === 0;

describe.runIf(isThere)('in a real zsh', () => {
  const { folder, work, clear } = setUpCompletion('zsh');
  writeFileSync(join(folder, '_clawdcode'), completionScript('zsh'));
  let zsh: IPty;
  let said = '';

  // Every suggestion is printed, one by one; the mark says that zsh is done with a Tab.
  const settings = `
    PS1= RPS1= PROMPT_SP=; unsetopt prompt_cr prompt_sp beep
    fpath=(${folder} $fpath); autoload -Uz compinit; compinit -D -u
    bindkey '^I' complete-word; bindkey '^U' kill-whole-line
    clawdcode() { printf '%s' "$SESSIONS" }
    compadd() {
      [[ " \${(j: :)@[1,(i)(-|--)]} " == *\\ -[[:alpha:]]#[OAD]* ]] && { builtin compadd "$@"; return }
      local -a hits; builtin compadd -A hits "$@"
      for hit in $hits; do print -r -- "<hit>$hit</hit>"; done
      builtin compadd "$@"
    }
    finish() { print -r -- '<done''>' }
    complete-and-tell() { zle complete-word; finish }
    zle -N complete-and-tell; bindkey '^T' complete-and-tell
    finish
  `;

  beforeAll(async () => {
    writeFileSync(join(folder, '.zshrc'), settings);
    zsh = spawn('zsh', ['-i', '-d'], {
      cwd: work,
      cols: 300,
      env: {
        PATH: process.env.PATH ?? '',
        TERM: 'dumb',
        HOME: folder,
        ZDOTDIR: folder,
        SESSIONS: hostileSessions,
      },
    });
    zsh.onData((data) => {
      said += data;
    });
    await done();
  });
  afterAll(() => {
    zsh.kill('SIGKILL');
    clear();
  });

  async function done(): Promise<string> {
    await vi.waitUntil(() => said.includes('<done>'), { timeout: 10_000, interval: 5 });
    const all = said;
    said = '';
    return all;
  }

  /** The suggestions of zsh for a line, without the descriptions. */
  async function offered(line: string): Promise<string[]> {
    zsh.write(`\u0015${line}\u0014`);
    const hits = [...(await done()).matchAll(/<hit>(.*?)<\/hit>/g)].map(([, hit]) => hit ?? '');
    return [...new Set(hits)].toSorted();
  }

  test.each([
    ['--out', ['--output-format']],
    ['--output-format ', ['json', 'stream-json', 'text']],
    ['--output-format=st', ['stream-json']],
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
    ['session show ', ['4f8kAAAA', '4f9zBBBB', 'zz11CCCC']],
    ['session export zz --format h', ['html']],
    ['--resume 4f', ['4f8kAAAA', '4f9zBBBB']],
    ['--resume=4f', ['4f8kAAAA', '4f9zBBBB']],
    ['-r ', ['4f8kAAAA', '4f9zBBBB', 'zz11CCCC']],
    ['-r --deb', ['--debug']],
    ['doctor --', ['--help', '--json', '--model', '--offline', '--probe', '--quick', '--yes']],
    ['completion ', ['bash', 'fish', 'zsh']],
    ['--model ', []],
    ['the session li', []],
    ['--add-dir a', ['a\\ folder']],
  ])('"clawdcode %s" offers %j', async (words, expected) => {
    expect(await offered(`clawdcode ${words}`)).toEqual(expected);
  });
});
