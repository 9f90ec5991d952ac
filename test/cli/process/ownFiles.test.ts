import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createOwnFolders, ownFiles } from '../../../src/cli/process/ownFiles.ts';

test('the own files include the folder from which Node takes compiled code for this process', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'own-files-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  mkdirSync(join(base, 'bin'));
  const module = pathToFileURL(join(import.meta.dirname, '../../../src/cli/process/ownFiles.ts'));
  const found = (env: Readonly<Record<string, string>>): readonly string[] =>
    execFileSync(
      process.execPath,
      ['-e', `import('${module}').then(({ ownFiles }) => console.log(ownFiles('${base}', '/').join('\\n')))`],
      { cwd: base, env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' },
    )
      .trim()
      .split('\n');
  expect(found({ NODE_COMPILE_CACHE: '.cache/node' })).toEqual([
    join(base, 'bin'),
    '/',
    expect.stringMatching(`^${base}/.cache/node/`),
  ]);
  expect(found({})).toEqual([join(base, 'bin'), '/']);
  expect(ownFiles(base, '/', join(base, 'missing'))).toEqual([join(base, 'bin'), '/']);
});

function project(): string {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'own-files-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  return base;
}

test('an installed package is ours as a whole, including native packages, even missing ones', () => {
  const root = project();
  const modules = join(root, 'node_modules');
  mkdirSync(join(modules, 'clawdcode/dist'), { recursive: true });
  mkdirSync(join(modules, '@vscode/ripgrep'), { recursive: true });
  createOwnFolders(join(modules, 'clawdcode'), (path) => path.startsWith(root));
  expect(ownFiles(join(modules, 'clawdcode'), '/', undefined)).toEqual([
    ...['clawdcode', 'node', '@vscode', '@napi-rs'].map((name) => join(modules, name)),
    '/',
  ]);
  expect(readdirSync(join(modules, '@napi-rs'))).toEqual([]);
});

test('in a checkout, nothing is created except in folders that commands may write to', () => {
  const root = project();
  mkdirSync(join(root, 'node_modules'));
  mkdirSync(join(root, 'tools/clawdcode/node_modules/@napi-rs'), { recursive: true });
  mkdirSync(join(root, 'tools/clawdcode/bin'));
  const checkout = join(root, 'tools/clawdcode');
  createOwnFolders(checkout, (path) => path === join(root, 'node_modules'));
  expect(readdirSync(join(root, 'node_modules')).sort()).toEqual(['@napi-rs', '@vscode', 'node']);
  expect(readdirSync(join(checkout, 'node_modules'))).toEqual(['@napi-rs']);
  expect(ownFiles(checkout, '/', undefined)).toEqual([
    join(checkout, 'bin'),
    join(checkout, 'node_modules/@napi-rs'),
    ...['node', '@vscode', '@napi-rs'].map((name) => join(root, 'node_modules', name)),
    '/',
  ]);
});

test('with the links of pnpm, the packages are ours where they are', () => {
  const root = project();
  const store = join(root, 'node_modules/.pnpm');
  const modules = join(store, 'clawdcode@1/node_modules');
  const keyring = join(store, '@napi-rs+keyring@2/node_modules/@napi-rs');
  const native = join(store, '@napi-rs+keyring-linux-x64-gnu@2/node_modules/@napi-rs');
  for (const folder of [join(modules, 'clawdcode'), join(modules, '@napi-rs'), join(keyring, 'keyring')])
    mkdirSync(folder, { recursive: true });
  mkdirSync(join(native, 'keyring-linux-x64-gnu'), { recursive: true });
  symlinkSync(join(keyring, 'keyring'), join(modules, '@napi-rs/keyring'));
  symlinkSync(join(native, 'keyring-linux-x64-gnu'), join(keyring, 'keyring-linux-x64-gnu'));
  expect(ownFiles(join(modules, 'clawdcode'), '/', undefined)).toEqual(
    expect.arrayContaining([join(modules, '@napi-rs'), keyring, native]),
  );
});

test('the built program loads no other package at run time', () => {
  const dist = resolve(import.meta.dirname, '../../../dist');
  const pieces = JSON.parse(readFileSync(join(dist, 'build.json'), 'utf8')) as string[];
  const loaded = pieces
    .filter((name) => /\.c?js$/.test(name))
    .flatMap((name) => [
      ...readFileSync(join(dist, name), 'utf8').matchAll(/\b(?:require|import)\("([@\w][\w./:@-]*)"\)/g),
    ])
    .map(([, name = '']) => name)
    // Code that Ajv would write into a file, which is never done.
    .filter((name) => !isBuiltin(name) && !name.startsWith('ajv/dist/runtime/'));
  expect([...new Set(loaded)].sort()).toEqual(['@napi-rs/keyring', '@vscode/ripgrep']);
});
