import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

/** Who may import whom; the reasons are in ARCHITECTURE.md. A folder may always import itself. */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  disk: [],
  model: ['protocol'],
  tools: ['protocol', 'disk'],
  permissions: ['protocol', 'disk', 'redact'],
  context: ['protocol', 'disk'],
  config: ['protocol', 'disk'],
  checkpoints: ['protocol', 'disk'],
  extensions: ['protocol', 'disk'],
  hooks: ['protocol', 'disk'],
  worktrees: ['protocol', 'disk'],
  redact: ['protocol'],
  telemetry: ['protocol'],
  sandbox: ['protocol', 'disk'],
  mcp: ['protocol', 'disk'],
  lsp: ['protocol', 'disk'],
  export: ['protocol', 'redact'],
  agent: ['protocol', 'model', 'tools', 'permissions', 'context', 'config'],
  commands: ['protocol', 'agent', 'context', 'config'],
  headless: ['protocol', 'agent', 'commands'],
  acp: ['protocol', 'agent', 'commands', 'headless'],
  ui: ['protocol', 'agent', 'commands'],
  sdk: ['protocol', 'context', 'tools'],
  cli: [
    'extensions',
    'hooks',
    'worktrees',
    'protocol',
    'disk',
    'model',
    'tools',
    'permissions',
    'context',
    'config',
    'checkpoints',
    'redact',
    'telemetry',
    'sandbox',
    'mcp',
    'lsp',
    'export',
    'agent',
    'commands',
    'headless',
    'acp',
    'ui',
    'sdk',
  ],
};
const src = resolve(import.meta.dirname, '../src');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
const folder = (path: string): string => relative(src, path).split('/')[0] ?? '';

/** Problems in the source files, each after the name of its file. */
const problemsIn = (check: (name: string, text: string) => readonly string[]): string[] =>
  files.flatMap((name) =>
    check(name, readFileSync(join(src, name), 'utf8')).map((problem) => `${name} ${problem}`),
  );

test('each file imports only from folders that its own may import', () => {
  const problems = problemsIn((name, text) => {
    const file = join(src, name);
    const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)];
    return targets.flatMap(([, target = '']) => {
      const imported = resolve(dirname(file), target);
      const [from, to] = [folder(file), folder(imported)];
      if (from === to) return [];
      if (allowedImports[from]?.includes(to) !== true) return [`may not import ${target}`];
      const isDoor = to !== 'context' || imported === join(src, 'context/index.ts');
      return isDoor ? [] : [`must import context/index.ts, not ${target}`];
    });
  });
  expect(problems).toEqual([]);
});

test('no file imports itself through others, even as types', () => {
  const imports = new Map(
    files.map((name) => {
      const text = readFileSync(join(src, name), 'utf8');
      const targets = [...text.matchAll(/^(?:import|export)\s[^;]*?from '(\.[^']+)';$/gm)];
      return [name, targets.map(([, to]) => relative(src, resolve(src, dirname(name), to ?? '')))] as const;
    }),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name)) cycles.push([...path.slice(path.indexOf(name)), name].join(' → '));
    if (path.includes(name) || done.has(name)) return;
    for (const target of imports.get(name) ?? []) visit(target, [...path, name]);
    done.add(name);
  };
  for (const name of files) visit(name, []);
  expect(cycles).toEqual([]);
  expect([...imports.values()].flat().length).toBeGreaterThan(files.length);
});

test('only cli touches the process', () => {
  const problems = problemsIn((name, text) => {
    if (name.startsWith('cli/')) return [];
    const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
    return code.match(/\bprocess\.(cwd|exit|argv|env|stdout|stderr|stdin)\b|\bconsole\./g) ?? [];
  });
  expect(problems).toEqual([]);
});

test('protocol imports nothing but zod and node:path', () => {
  for (const name of files.filter((file) => file.startsWith('protocol/'))) {
    for (const [, target] of readFileSync(join(src, name), 'utf8').matchAll(/from '([^.'][^']*)'/g))
      expect(['zod', 'node:path']).toContain(target);
  }
});

/** Files that start programs in another way, and why none finds a program of the project by name. */
const startsOtherwise: Readonly<Record<string, string>> = {
  'cli/fleet/runTask.ts': 'this program, by the absolute paths of Node and of its launcher',
  'cli/sdk/childProcess.ts': 'this program, by the absolute paths of Node and of its launcher',
  'cli/process/spawnProgram.ts': "the user's own command, by a shell",
  'cli/terminal/clipboard.ts': 'gets the environment from cli/host.ts',
  'hooks/runCommand.ts': 'a hook that the user has configured or approved, by the absolute path of a shell',
  'lsp/serverProcess.ts': 'by its whole path; looked up outside the workspace',
  'mcp/stdio.ts': 'a server that the user has defined or approved',
  'sandbox/probe.ts': 'bubblewrap, by its whole path',
  'tools/shell/EarlyProcess.ts': 'what the sandbox starts, by whole paths',
  'tools/shell/startCommand.ts': 'what was allowed to run',
};

test('no file starts a program by a name that the project may have taken', () => {
  const problems = problemsIn((name, text) => {
    const starts =
      /from 'node:child_process'/.test(text) &&
      /(?<![.\w])(?:spawn|execFile|exec|fork)(?:Sync)?\(/.test(text);
    if (!starts || startsOtherwise[name] !== undefined) return [];
    const isByItsPlace =
      /\bown(?:Git|Program)?Environment\(|\bpathOutside\(|\bPATH: (?:SYSTEM_PATH|'\/usr\/bin:\/bin')/.test(
        text,
      );
    return isByItsPlace ? [] : ['starts a program by its name'];
  });
  expect(problems).toEqual([]);
});

/** Other uses of a PATH. */
const decidesByPath = ['cli/permissions/programCode.ts', 'cli/sandbox.ts'];

test('programs are looked up on one PATH, which contains no folder of the workspace', () => {
  const problems = problemsIn((name, text) => {
    if (!name.startsWith('cli/') || name === 'cli/process/lookUp.ts' || decidesByPath.includes(name))
      return [];
    return text.match(/\b(?:own(?:Git|Program)Environment|pathOutside)\(/g) ?? [];
  });
  expect(problems).toEqual([]);
});

test('git is started in one place, which hardens it and ends it', () => {
  const problems = problemsIn((name, text) => {
    if (name === 'disk/ownGit.ts') return [];
    return (
      text.match(/(?<![.\w])(?:spawn|execFile|exec|run)(?:Sync)?\(\s*['"]git\b|\bownGitEnvironment\(/g) ?? []
    );
  });
  expect(problems.filter((one) => !one.startsWith('disk/ownPrograms.ts '))).toEqual([]);
});

test('the diagram and the table in ARCHITECTURE.md have every folder', () => {
  const text = readFileSync(resolve(src, '../ARCHITECTURE.md'), 'utf8');
  const picture = text.split('```mermaid')[1]?.split('```')[0] ?? '';
  const drawn = [...picture.matchAll(/^\s*(\w+)\["\1\b/gm)].map(([, name]) => name ?? '');
  const listed = [...text.matchAll(/^\| `(\w+)`\s+\| /gm)].map(([, name]) => name ?? '');
  const folders = readdirSync(src);
  expect(drawn.sort()).toEqual(folders.sort());
  expect(listed).toEqual(expect.arrayContaining(folders));
});
