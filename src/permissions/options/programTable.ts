/** All rows of programs, and how to look them up. */
import { archivePrograms } from './archiveRows.ts';
import { buildPrograms } from './buildRows.ts';
import { compiledPrograms } from './compiledRows.ts';
import { javascriptPrograms } from './javascriptRows.ts';
import { languagePrograms } from './languageRows.ts';
import { linterPrograms } from './linterRows.ts';
import { networkPrograms } from './networkRows.ts';
import type { ProgramRow } from './programRow.ts';
import { pythonPrograms } from './pythonRows.ts';
import { rubyPhpPrograms } from './rubyPhpRows.ts';
import { systemPrograms } from './systemRows.ts';
import { testRunnerPrograms } from './testRunnerRows.ts';
import { textPrograms } from './textRows.ts';

/** Programs that work on a project: package managers, test runners, linters, builds. */
const projectPrograms: readonly ProgramRow[] = [
  ...javascriptPrograms,
  ...testRunnerPrograms,
  ...linterPrograms,
  ...pythonPrograms,
  ...buildPrograms,
  ...compiledPrograms,
  ...rubyPhpPrograms,
];

export const programRows: readonly ProgramRow[] = [
  ...textPrograms,
  ...archivePrograms,
  ...networkPrograms,
  ...languagePrograms,
  ...projectPrograms,
  ...systemPrograms,
];

const projectTools = programRows.filter(({ programs }) =>
  /^(?:vitest|jest|mocha|playwright|c8|ava|eslint|prettier|oxlint|stylelint|webpack|tsc|node|nx)(?: |$)/.test(
    programs,
  ),
);

/** Their options combined. */
const optionsOfTools = (key: 'runs' | 'writes' | 'elsewhere'): string =>
  projectTools
    .flatMap((row) => (row[key] ?? '').split(' ').filter((option) => /^--./.test(option)))
    .join(' ');

const pytestRow = programRows.find(({ programs }) => programs.split(' ').includes('pytest'));

/** Options that servers, generators and other scripts of projects often have. */
const ofScripts = `--analyze --clean --count= --date= --dev --fix --force --from: --headless --id= --lang= --level= --limit= --local
  --locale= --minify --name= --only: --page= --pattern: --plain --platform= --port= --prod --production --region= --release --seed= --size=
  --skip: --sourcemap --stage= --step= --strict --tag= --target= --to: --type= --update --url: --user= --verbose --version --view=`;

/** A script of the project, which may pass its arguments on to any tool that projects use. */
export const scriptRow: ProgramRow = {
  programs: '(script)',
  manual: 'the manuals of the tools that scripts of a project run',
  runs: `${optionsOfTools('runs')} --exec --eval`,
  writes: optionsOfTools('writes'),
  elsewhere: optionsOfTools('elsewhere'),
  takes: Object.assign({}, ...projectTools.map(({ takes }) => takes)),
  options: `${[...projectTools, pytestRow].map((row) => row?.options ?? '').join(' ')} ${ofScripts}`,
  expands: {},
  // In vitest it means a single run.
  harmless: /^--run$/,
};

const table: ReadonlyMap<string, ProgramRow> = new Map(
  [...programRows, scriptRow].flatMap((row) => row.programs.split(' ').map((program) => [program, row])),
);

/** The row of a program by its name in the tables; undefined if there is none. */
export const rowOf = (name: string): ProgramRow | undefined => table.get(name);

/** Programs that are installed with projects and work on them, and interpreters. */
const ofProjects = /^(?:ansible|aws|printf|test|osascript|http|yq|watch)(?: |$)/;

const systemTools: ReadonlySet<string> = new Set(
  [...textPrograms, ...archivePrograms, ...networkPrograms, ...systemPrograms]
    .filter(({ programs }) => !ofProjects.test(programs))
    .flatMap(({ programs }) => programs.split(' '))
    .concat('cp', 'mv', 'cat')
    // Modules of python that serve, unpack, or run what a file holds.
    .concat('http.server', 'xmlrpc.server', 'wsgiref.simple_server', 'pydoc', 'zipfile', 'tarfile')
    .concat('pickle', 'ensurepip', 'webbrowser', 'idlelib'),
);

/**
 * True if a program, by its name in the tables, belongs to the system, so that runners of project tools are not meant
 * for it.
 */
export const isOfSystem = (name: string): boolean => systemTools.has(name);

/** The program's name without its folder, in lower case, since some file systems ignore case. */
export const programName = (word: string | null | undefined): string =>
  (word ?? '')
    .replace(/^.*\//, '')
    .toLowerCase()
    .replace(/\.exe$/, '');

/**
 * `python3.12`, `gcc-12`, `x86_64-linux-gnu-gcc`, `vim.tiny`, `npm.cmd` and `ggrep` are names of programs in the
 * tables.
 */
export function tableName(word: string | null | undefined): string {
  const name = programName(word);
  const bare = name.replace(/\.(?:exe|cmd|bat|ps1|basic|tiny|gtk3?|nox|traditional|openbsd)$/, '');
  const forms = [
    name,
    bare,
    bare.replace(/[-.]?\d[\d.]*$/, ''),
    bare.replace(/^[\w.]+-linux-\w+-/, ''),
    bare.replace(/^g/, ''),
  ];
  return forms.find((one) => table.has(one)) ?? name;
}

const forProjects: ReadonlySet<string> = new Set(
  [...projectPrograms, ...languagePrograms].flatMap(({ programs }) => programs.split(' ')),
);

/** True if a program, by its name in the tables, is one that works on projects, or runs their code. */
export const isForProjects = (name: string): boolean => forProjects.has(name);
