/** The bundle bypasses parts that are slow to start: the results are the same, and the shims are still needed. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { anyText } from '../anyText.ts';

const root = resolve(import.meta.dirname, '../..');
const require = createRequire(join(root, 'package.json'));
const sourceOf = (file: string): string => readFileSync(join(root, 'node_modules', file), 'utf8');

/** The shim as in the bundle: its `require` is the bundle's. */
async function shim(): Promise<(text: string, options?: object) => number> {
  const source = readFileSync(join(root, 'scripts/shims/stringWidth.mjs'), 'utf8');
  const bound = `import stringWidthOf from ${JSON.stringify(pathToFileURL(require.resolve('string-width')).href)};\nconst require = () => ({ default: stringWidthOf });\n${source}`;
  const { default: width } = (await import(`data:text/javascript,${encodeURIComponent(bound)}`)) as {
    default: (text: string, options?: object) => number;
  };
  return width;
}

test('string-width also gives a width of one to every character measured without it', {
  tags: 'long',
}, async () => {
  const width = await shim();
  for (let code = 0; code < 0x3000; code++) {
    const character = String.fromCodePoint(code);
    expect([code, width(character)]).toEqual([code, stringWidth(character)]);
    expect([code, width(`a${character}é`)]).toEqual([code, stringWidth(`a${character}é`)]);
  }
});

test('any text has the width that string-width returns', async () => {
  const width = await shim();
  const piece = fc.oneof(
    anyText(),
    fc.constantFrom(
      '❯',
      '…',
      '│',
      '✓',
      '\u001B[31m',
      '\u001B[39m',
      '漢字',
      '👩‍👩‍👧',
      'e\u0301',
      '\u200D',
      '️',
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join('');
      expect(width(text)).toBe(stringWidth(text));
    }),
  );
});

test('the layout engine is a file in the bundle, and its own entry point still embeds it as text', () => {
  expect(sourceOf('yoga-layout/dist/binaries/yoga-wasm-base64-esm.js')).toContain(
    'data:application/octet-stream;base64,',
  );
  expect(sourceOf('yoga-layout/dist/src/index.js')).toContain('await loadYoga()');
});

test('modules still create an Intl.Segmenter when they load', () => {
  expect(sourceOf('string-width/index.js')).toMatch(/^const segmenter = new Intl\.Segmenter\(\)/m);
});

test('the model client still loads every endpoint', () => {
  expect(sourceOf('openai/index.mjs')).toMatch(/from ["']\.\/client\.mjs["']/);
  expect(sourceOf('openai/client.mjs')).toMatch(/from ["']\.\/resources\/index\.mjs["']/);
  // The replacement is offered as a separate entry point.
  const { exports } = JSON.parse(sourceOf('openai/package.json')) as { exports: Record<string, unknown> };
  expect(Object.keys(exports)).toEqual(expect.arrayContaining(['./error']));
});

test('importing a Node module still loads more than process.getBuiltinModule does', {
  tags: 'long',
}, () => {
  const loaded = (code: string): number => {
    const count = `process.stdout.write(String(process.moduleLoadList.length))`;
    const args = ['--input-type=module', '--eval', `${code}; ${count}`];
    return Number(execFileSync(process.execPath, args, { encoding: 'utf8', cwd: dirname(root) }));
  };
  const modules = ['util', 'process', 'stream', 'child_process'];
  const imported = loaded(modules.map((name) => `import ${name}_ from 'node:${name}'`).join(';'));
  const asked = loaded(modules.map((name) => `process.getBuiltinModule('node:${name}')`).join(';'));
  expect(asked).toBeLessThan(imported);
});

test('fetch still loads a second HTTP client, which our own does not', {
  tags: 'long',
}, () => {
  const loadedBy = (code: string): string[] => {
    const script = `const before = new Set(process.moduleLoadList); ${code}; console.log(JSON.stringify(process.moduleLoadList.filter((name) => !before.has(name))))`;
    return JSON.parse(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })) as string[];
  };
  const isClient = (name: string): boolean => name.includes('undici');
  expect(loadedBy("fetch('data:,')").some(isClient)).toBe(true);
  expect(loadedBy("require('node:http').request({ port: 1 }).on('error', () => {})").some(isClient)).toBe(
    false,
  );
});
