/** The output of a command is withheld if it may have seen a hidden file for a moment. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ToolContext } from '../../src/protocol/tools.ts';
import { watchHiddenFiles } from '../../src/sandbox/places/hiddenFiles.ts';
import { find } from '../../src/sandbox/probe.ts';
import { temporaryFolder } from '../temporaryFolder.ts';
import { type Confined, confined, type Given, hasSandbox } from './confined.ts';

const NEW = 'KEY=NEW-SECRET\n';
const WITHHELD = 'The output is withheld: another program replaced or created';
const patience = { timeout: 60_000, interval: 20 };

/** Changes by another program in a project with the hidden files `.env` and `config/.env`. */
const changes: Readonly<Record<string, (at: (name: string) => string) => void>> = {
  'replaces the file': (at) => {
    writeFileSync(at('new'), NEW);
    renameSync(at('new'), at('.env'));
  },
  'moves the file and writes a new one': (at) => {
    renameSync(at('.env'), at('old'));
    writeFileSync(at('.env'), NEW);
  },
  'deletes the file and writes a new one': (at) => {
    rmSync(at('.env'));
    writeFileSync(at('.env'), NEW);
  },
  'temporarily replaces the file': (at) => {
    renameSync(at('.env'), at('old'));
    writeFileSync(at('.env'), NEW);
    rmSync(at('.env'));
    renameSync(at('old'), at('.env'));
  },
  'replaces the folder of the file': (at) => {
    renameSync(at('config'), at('old'));
    mkdirSync(at('config'));
    writeFileSync(at('config/.env'), NEW);
  },
  'creates another secret': (at) => writeFileSync(at('.env.local'), NEW),
};
const harmless: typeof changes = {
  'does nothing': () => undefined,
  'writes into the file': (at) => {
    writeFileSync(at('.env'), NEW);
    writeFileSync(at('notes.txt'), 'KEY=NOTES\n');
  },
  'creates other files': (at) => {
    writeFileSync(at('notes.txt'), 'KEY=NOTES\n');
    writeFileSync(at('config/notes.txt'), 'KEY=NOTES\n');
  },
};
const projectIn = (root: string) => {
  const at = (name: string): string => join(root, name);
  for (const folder of ['config', 'keys']) mkdirSync(at(folder));
  for (const file of ['.env', 'config/.env']) writeFileSync(at(file), 'KEY=OLD\n');
  writeFileSync(at('in.txt'), 'KEY=PLAIN\n');
  return { at, hidden: ['.env', 'config/.env', 'keys'].map(at) };
};

describe('a hidden file', () => {
  const exposedBy = async (change: (typeof changes)[string]): Promise<readonly string[]> => {
    const { at, hidden } = projectIn(temporaryFolder());
    const names = [...hidden, at('.env.local')];
    const files = watchHiddenFiles(hidden, async () =>
      names.filter((path) => path !== at('.env.local') || change === changes['creates another secret']),
    );
    // File system clocks are coarse.
    await new Promise((resolve) => setTimeout(resolve, 20));
    change(at);
    return files.exposed();
  };
  test.each(Object.entries(changes))('may have been visible if another program %s', async (_, change) => {
    expect(await exposedBy(change)).toHaveLength(1);
  });
  test.each(Object.entries(harmless))('stays hidden if another program %s', async (_, change) => {
    expect(await exposedBy(change)).toEqual([]);
  });
  test('stays hidden if another program writes to a hidden folder', async () => {
    expect(await exposedBy((at) => writeFileSync(at('keys/new'), NEW))).toEqual([]);
  });
});

describe.skipIf(!hasSandbox)('a command with hidden files', () => {
  /** Records which blobs were kept and which were dropped. */
  const blobs = () => {
    const kept: string[] = [];
    const dropped: string[] = [];
    const openBlob: ToolContext['openBlob'] = () => {
      let content = '';
      return {
        write: (chunk) => {
          content += String(chunk);
        },
        finish: async () => {
          kept.push(content);
          return { hash: 'a'.repeat(64), bytes: content.length, lines: 1 };
        },
        discard: async () => void dropped.push(content),
      };
    };
    return { kept, dropped, openBlob };
  };
  /** A project, and a command that waits for the file `go` and then searches. */
  const started = async (given: Given = {}) => {
    const live: string[] = [];
    const onOutput = (text: string): void => void live.push(text);
    const project = await confined({ ...given, context: { onOutput, ...given.context } });
    const { at, hidden } = projectIn(project.root);
    const grant = { basis: 'read-only', hiding: hidden.slice(0, 2) } as const;
    const shows = (text: string): Promise<void> =>
      vi.waitFor(() => expect(live.join('')).toContain(text), patience);
    return { ...project, at, grant, live: () => live.join(''), shows };
  };
  const search = 'echo ready; until [ -e go ]; do sleep 0.02; done; grep -r KEY .; echo end';
  const endless = `${search}; while :; do cat .env; sleep 0.02; done`;
  const read = ({ call }: Pick<Confined, 'call'>) => call('BashOutput', { task_id: 'b1' });

  test.each(Object.entries(changes))('returns no output if another program %s', async (_, change) => {
    const { run, at, grant, shows } = await started();
    const running = run(search, grant);
    await shows('ready');
    change(at);
    writeFileSync(at('go'), '');
    const { text, status, display, response } = await running;
    expect(text).toContain(WITHHELD);
    expect(text).toContain('Run the command again.)');
    expect(text).not.toMatch(/KEY=|ready|The sandbox stopped it|for up to a second/);
    expect(status).toBe('error');
    expect(display.summary).toContain('output withheld, because another program replaced or created');
    expect(JSON.stringify(response?.({ durationMs: 0, todos: [] }))).not.toContain('KEY=');
    expect((await run('grep -r KEY .', grant)).text).toContain('KEY=PLAIN');
  });

  test('returns no output if another program creates a file that a rule denies reading', async () => {
    const denied: string[] = [];
    const { run, at, grant, shows } = await started({
      options: { denied: async () => ({ paths: denied.filter((path) => existsSync(path)), whole: [] }) },
    });
    denied.push(at('plan.txt'));
    const running = run(search, grant);
    await shows('ready');
    writeFileSync(at('plan.txt'), NEW);
    writeFileSync(at('go'), '');
    expect((await running).text).toContain(`${WITHHELD} plan.txt while the command ran`);
  });

  test('returns no output of a search if another program creates the first secret of a project', async () => {
    const live: string[] = [];
    const { root, run } = await confined({ context: { onOutput: (text) => void live.push(text) } });
    const running = run(search, { basis: 'read-only', searches: true });
    await vi.waitFor(() => expect(live.join('')).toContain('ready'), patience);
    writeFileSync(join(root, '.env'), NEW);
    writeFileSync(join(root, 'go'), '');
    expect((await running).text).toContain(`${WITHHELD} .env while the command ran`);
    expect((await run('ls', { basis: 'read-only', searches: true })).text).not.toContain('withheld');
  });

  test.each(Object.entries(harmless))('returns its output if another program %s', async (_, change) => {
    const { run, at, grant, shows } = await started();
    const running = run(search, grant);
    await shows('ready');
    change(at);
    writeFileSync(at('go'), '');
    const { text, status } = await running;
    expect(text).toContain('KEY=PLAIN');
    expect(text).not.toMatch(/SECRET|OLD|withheld/);
    expect(status).toBe('ok');
  });

  test('leaves no large output on disk if a hidden file was replaced', async () => {
    const { kept, dropped, openBlob } = blobs();
    const { run, at, grant, shows } = await started({ context: { openBlob } });
    const running = run(`${search}; head -c 100000 /dev/zero | tr '\\0' x`, grant);
    await shows('ready');
    changes['replaces the file']?.(at);
    writeFileSync(at('go'), '');
    const { text, original } = await running;
    expect(text).toContain(WITHHELD);
    expect(original).toBeUndefined();
    expect(kept).toEqual([]);
    expect(dropped.join('')).not.toBe('');
  });

  test.each(['moves to the background', 'is interrupted'])(
    'returns no output if a hidden file was replaced before it %s',
    async (how) => {
      let move = (): void => undefined;
      const offerBackground: ToolContext['offerBackground'] = (given) => {
        move = given;
        return () => undefined;
      };
      const { run, call, at, grant, shows } = await started({ context: { offerBackground } });
      const interrupt = new AbortController();
      const running = run(endless, { ...grant, signal: interrupt.signal });
      await shows('ready');
      changes['replaces the file']?.(at);
      if (how === 'is interrupted') interrupt.abort();
      else move();
      const { text, status } = await running;
      expect(status).toBe('partial');
      expect(text).toContain(WITHHELD);
      expect(text).not.toMatch(/KEY=|ready/);
      writeFileSync(at('go'), '');
      expect((await call('KillBash', { task_id: 'b1' })).text).not.toContain('KEY=');
    },
  );

  test('returns no background output after a hidden file was replaced, and the list of tasks shows none', async () => {
    const { run, at, grant, tasks, ...project } = await started();
    let before = (await run(endless, { ...grant, background: true })).text;
    await vi.waitFor(async () => {
      before += (await read(project)).text;
      expect(before).toContain('ready');
    }, patience);
    changes['replaces the file']?.(at);
    writeFileSync(at('go'), '');
    for (const _ of [1, 2]) {
      const { text, display } = await read(project);
      expect(text).toContain(WITHHELD);
      expect(text).not.toMatch(/KEY=|no new output/);
      expect(display.summary).toContain('output withheld');
      expect(tasks.output('b1')?.text).toBe('');
    }
    const killed = await project.call('KillBash', { task_id: 'b1' });
    expect(killed.text).toContain(WITHHELD);
    expect(killed.text).not.toContain('KEY=');
  });

  test('returns its background output if a hidden file was replaced only after it ended', async () => {
    const { run, at, grant, tasks, ...project } = await started();
    await run(search, { ...grant, background: true });
    writeFileSync(at('go'), '');
    await vi.waitFor(() => expect(tasks.list()[0]?.end).toBeDefined(), patience);
    changes['replaces the file']?.(at);
    const { text } = await read(project);
    expect(text).toContain('KEY=PLAIN');
    expect(text).not.toContain('withheld');
  });

  test.each(['before', 'after'])(
    'does not see the hidden files if it starts %s a command that may see them',
    async (when) => {
      const { run, at, grant, tasks, ...project } = await started();
      const searchBoth = `${search}; cat .env; find . -type f -exec awk /KEY/ {} +`;
      const inBackground = { ...grant, background: true };
      const first = when === 'before' ? (await run(searchBoth, inBackground)).text : '';
      await run(`until [ -e go ]; do sleep 0.02; done; cat .env`, { background: true });
      if (when === 'after') await run(searchBoth, inBackground);
      writeFileSync(at('go'), '');
      const outputOf = async (isSearch: boolean): Promise<string> => {
        const task = tasks.list().find(({ command }) => command.includes('grep') === isSearch);
        return (await project.call('BashOutput', { task_id: task?.id, wait: 60_000 })).text;
      };
      const searched = first + (await outputOf(true));
      expect(searched).toContain('KEY=PLAIN');
      expect(searched).not.toContain('KEY=OLD');
      expect(await outputOf(false)).toContain('KEY=OLD');
    },
  );

  test('is restarted if a hidden file disappears while its sandbox is built', async () => {
    const bin = realpathSync(mkdtempSync(join(tmpdir(), 'sandbox-bin-')));
    onTestFinished(() => rmSync(bin, { recursive: true, force: true }));
    const { run, at, grant } = await started({ options: { path: bin } });
    const real = find('bwrap', process.env.PATH ?? '');
    writeFileSync(
      join(bin, 'bwrap'),
      `#!/bin/sh\n[ -e '${at('remove')}' ] && rm '${at('remove')}' '${at('.env')}'\nexec ${real} "$@"\n`,
    );
    chmodSync(join(bin, 'bwrap'), 0o755);
    // The program tests the sandbox first.
    expect((await run('echo works', grant)).text).toContain('works');
    writeFileSync(at('remove'), '');
    const { text, status } = await run('grep -r KEY .', grant);
    expect(text).toContain('./in.txt:KEY=PLAIN');
    expect(text).not.toMatch(/bwrap|withheld/);
    expect(status).toBe('ok');
  });
});
