import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { confined, hasSandbox } from './confined.ts';

/** Writes files to a store outside the project and links them into the project, as package managers do. */
function install(home: string, root: string, files: readonly string[]): (file: string) => string {
  const stored = (file: string): string => join(home, 'store', file.replaceAll('/', '-'));
  mkdirSync(join(home, 'store'), { recursive: true });
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(stored(file), 'old\n');
    linkSync(stored(file), join(root, file));
  }
  return (file) => readFileSync(stored(file), 'utf8');
}

const pnpmFile = 'node_modules/.pnpm/dep@1/node_modules/dep/index.js';
const write = (file: string): string => `node -e "fs.writeFileSync('${file}', 'new')"`;

describe.skipIf(!hasSandbox)('dependencies that share their files with other projects', () => {
  test('are read-only if pnpm installed them, but files that tools generate next to them are writable', async () => {
    const { home, root, run } = await confined();
    const prisma = 'node_modules/.pnpm/@prisma+client@5/node_modules/.prisma/client';
    const inStore = install(home, root, [
      pnpmFile,
      'packages/a/node_modules/.pnpm/x@1/node_modules/@s/x/a.js',
    ]);
    symlinkSync('.pnpm/dep@1/node_modules/dep', join(root, 'node_modules/dep'));
    mkdirSync(join(root, prisma), { recursive: true });
    const { text } = await run(write('node_modules/dep/index.js'));
    expect(text).toContain('it tried to change node_modules/.pnpm, whose files are hard links shared');
    expect((await run(write('packages/a/node_modules/.pnpm/x@1/node_modules/@s/x/a.js'))).text).toMatch(
      /EROFS/,
    );
    expect(inStore(pnpmFile)).toBe('old\n');
    await run(
      `mkdir -p node_modules/.cache/a && ${write('node_modules/.cache/a/b')} && ${write(`${prisma}/c`)}`,
    );
    expect(existsSync(join(root, 'node_modules/.cache/a/b'))).toBe(true);
    expect(existsSync(join(root, prisma, 'c'))).toBe(true);
    // Removing a hard link does not change other projects.
    await run('rm -rf node_modules');
    expect(existsSync(join(root, 'node_modules'))).toBe(false);
    expect(inStore(pnpmFile)).toBe('old\n');
  });

  test('are read-only if bun installed them', async () => {
    const { home, root, run } = await confined();
    const inStore = install(home, root, ['node_modules/dep/index.js']);
    mkdirSync(join(root, 'node_modules/.bin'));
    expect((await run(write('node_modules/dep/index.js'))).text).toMatch(/EROFS/);
    expect((await run(write('node_modules/.bin/dep'))).text).toMatch(/EROFS/);
    expect(inStore('node_modules/dep/index.js')).toBe('old\n');
    for (const name of ['.cache', '.vite', '.vitest'])
      await run(`mkdir node_modules/${name}/a && ${write(`node_modules/${name}/a/b`)}`);
    for (const name of ['.cache', '.vite', '.vitest'])
      expect(existsSync(join(root, 'node_modules', name, 'a/b'))).toBe(true);
  });

  test('are read-only if uv installed them, and Python keeps compiled code elsewhere', async () => {
    const { home, root, run } = await confined({
      options: { caches: { PYTHONPYCACHEPREFIX: '/cache/python' } },
    });
    const module = '.venv/lib/python3.12/site-packages/dep/__init__.py';
    expect((await run('node -p "[process.env.PYTHONPYCACHEPREFIX]+1"')).text).toBe('1');
    const inStore = install(home, root, [module]);
    expect((await run(`echo new >> ${module}`)).text).toContain(
      '.venv/lib/python3.12/site-packages, whose files',
    );
    expect(inStore(module)).toBe('old\n');
    expect((await run('node -p "[process.env.PYTHONPYCACHEPREFIX]+1"')).text).toBe('/cache/python1');
  });

  test('are writable for a command that only installs', async () => {
    const { home, root, run } = await confined({
      options: { replacesPackages: (command) => command.includes('install') },
    });
    install(home, root, [pnpmFile]);
    await run(`${write(pnpmFile)} # install`);
    expect(readFileSync(join(root, pnpmFile), 'utf8')).toBe('new');
  });

  test('do not include copies, which stay writable', async () => {
    const { root, run } = await confined();
    mkdirSync(join(root, 'node_modules/dep'), { recursive: true });
    writeFileSync(join(root, 'node_modules/dep/index.js'), 'old\n');
    await run(write('node_modules/dep/index.js'));
    expect(readFileSync(join(root, 'node_modules/dep/index.js'), 'utf8')).toBe('new');
    expect(existsSync(join(root, 'node_modules/.vite'))).toBe(false);
  });
});
