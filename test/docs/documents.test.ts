import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { dataSchemas } from '../../scripts/sessionEntrySchema.ts';
import { settingsDocument } from '../../scripts/writeSettingsDoc.ts';
import { createProgram } from '../../src/cli/program.ts';
import { allCommands } from '../../src/commands/allCommands.ts';
import { settingsSchema } from '../../src/config/schema.ts';
import { EXIT } from '../../src/headless/exitCodes.ts';
import { permissionModes } from '../../src/protocol/permissions.ts';

const root = resolve(import.meta.dirname, '../..');
const text = (path: string): string => readFileSync(join(root, path), 'utf8');
/** The text without the spaces that align a table's columns. */
const read = (path: string): string => text(path).replace(/ +\|/g, ' |');
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

test('docs/settings.md matches the schema; run node scripts/writeSettingsDoc.ts', () => {
  expect(text('docs/settings.md')).toBe(settingsDocument());
});

test('docs/settings.md has every setting', () => {
  const leaves = (value: unknown, path: string): string[] =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
      ? Object.entries(value).flatMap(([key, below]) => leaves(below, path === '' ? key : `${path}.${key}`))
      : [path];
  for (const key of leaves(settingsSchema.parse({}), ''))
    expect(read('docs/settings.md')).toContain(`| \`${key}\` |`);
});

test.each(documents)('%s links only to files and headings that exist', (document) => {
  const links = [...prose(document).matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g)];
  for (const link of links.map(([, target, source]) => target ?? source ?? '')) {
    if (/^(?:https?|mailto):/.test(link)) continue;
    const [file = '', anchor] = link.split('#');
    const path = file === '' ? document : join(dirname(document), file);
    expect(existsSync(join(root, path)), link).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(path), link).toContain(anchor);
  }
});

/** The text outside code. */
function prose(document: string): string {
  return text(document)
    .replace(/^( *)(```+|~~~+).*\n[\s\S]*?^ *\2 *$/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''));
}

/** The anchors that GitHub gives to a page's headings. */
function anchorsOf(document: string): readonly string[] {
  const seen = new Map<string, number>();
  return [...prose(document).matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, heading = '']) => {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '').replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}

test('every document can be reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const document of reached) {
    for (const [, link = ''] of text(document).matchAll(/\]\(([^)\s#]+\.md)(?:#[^)]*)?\)/g))
      if (!/^https?:/.test(link)) reached.add(join(dirname(document), link));
  }
  // AGENTS.md is for agents, which look for it by name.
  expect(documents.filter((document) => !reached.has(document) && document !== 'AGENTS.md')).toEqual([]);
});

/** Paths in backticks that name a file of this repository; in ARCHITECTURE.md they are relative to src/. */
test.each(documents)('%s names only files that exist', (document) => {
  const names = [...read(document).matchAll(/`([\w./-]+\/[\w.-]*\.(?:tsx?|mjs|js)|src\/[\w/-]+)`/g)];
  for (const [, name = ''] of names) {
    if (name.includes('/myTool') || name.includes('/mine')) continue;
    const isThere = existsSync(join(root, name)) || existsSync(join(root, 'src', name));
    expect(isThere, `${document} names ${name}`).toBe(true);
  }
});

test('ARCHITECTURE.md names only folders that exist', () => {
  for (const [, name = ''] of read('ARCHITECTURE.md').matchAll(/`((?:[\w.-]+\/){2,})`/g))
    expect(existsSync(join(root, 'src', name)), name).toBe(true);
});

/** In the walks, a name without its folder would be no help. */
test('the walks in ARCHITECTURE.md name files by their paths, and count those in their lists', () => {
  const section = read('ARCHITECTURE.md').split('\n## Four walks\n')[1]?.split('\n## ')[0] ?? '';
  const filesIn = (part: string): string[] =>
    [...part.matchAll(/`([^`\s]+\.tsx?)`/g)].map(([, name = '']) => name);
  for (const name of filesIn(section)) expect(existsSync(join(root, 'src', name)), name).toBe(true);
  const walks = section.split('\n### ').slice(1);
  expect(walks).toHaveLength(4);
  for (const walk of walks) {
    const files = filesIn(/\n1\. [\s\S]*?(?=\n\n)/.exec(walk)?.[0] ?? '');
    const inContext = files.filter((name) => name.startsWith('context/'));
    expect(new Set(files).size).toBe(files.length);
    expect(walk).toContain(`\n${files.length} files, ${inContext.length} of them in \`context/\`.`);
  }
});

test('ARCHITECTURE.md lists the imports that the architecture test allows', () => {
  const allowed = new Map<string, string[]>();
  const source =
    /const allowedImports[^=]*= (\{[\s\S]*?\n\});/.exec(read('test/architecture.test.ts'))?.[1] ?? '';
  for (const [, folder = '', list = ''] of source.matchAll(/(\w+): \[([^\]]*)\]/g))
    allowed.set(folder, [...list.matchAll(/'(\w+)'/g)].map(([, name = '']) => name).sort());
  const all = [...allowed.keys()];

  const section = read('ARCHITECTURE.md').split('## Allowed imports')[1]?.split('\n## ')[0] ?? '';
  const listed = new Map<string, string[]>();
  for (const [, folders = '', may = ''] of section.matchAll(/^\| (`[^|]*) \| ([^|]*) \|/gm)) {
    for (const [, folder = ''] of folders.matchAll(/`(\w+)`/g)) {
      const names = [...may.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
      listed.set(
        folder,
        (may.includes('all of them') ? all.filter((name) => name !== folder) : names).sort(),
      );
    }
  }
  expect(all.length).toBeGreaterThan(5);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(allowed));
});

test('docs/commands.md has every command and alias', () => {
  const listed = read('docs/commands.md');
  for (const { name, aliases, argumentHint } of allCommands) {
    // In a table a bar is written with a backslash.
    const hint = argumentHint === undefined ? '' : ` ${argumentHint.replaceAll('|', '\\|')}`;
    expect(listed).toContain(`| \`/${name}${hint}\` |`);
    for (const alias of aliases) expect(listed).toContain(`\`/${alias}\``);
  }
});

test('docs/commands.md has every flag of --help, and other pages have the rest', () => {
  const commands = read('docs/commands.md');
  const all = documents.map(read).join('\n');
  /** Other agents' spellings of documented flags. */
  const otherSpellings = ['--allowedTools', '--disallowedTools'];
  for (const { long, hidden } of createProgram('1').options) {
    const flag = long ?? '';
    if (otherSpellings.includes(flag)) continue;
    const isNamed = new RegExp(`${flag}(?![\\w-])`);
    expect(hidden === true ? all : commands, flag).toMatch(isNamed);
  }
});

test('the documents have every exit code, mode and kind of entry', () => {
  for (const code of Object.values(EXIT)) {
    expect(read('docs/headless.md')).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'));
  }
  for (const mode of permissionModes) expect(read('docs/permissions.md')).toContain(`| \`${mode}\` |`);
  for (const subtype of Object.keys(dataSchemas))
    expect(read('docs/session-format.md')).toContain(`\`${subtype}\``);
});
