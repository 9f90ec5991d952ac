/**
 * Calls of package managers and compilers that only print what is installed or set. Excludes what contacts a server or runs
 * code of the project.
 */
import { type OptionList, readOptions } from '../options/readOptions.ts';
import type { ReadOnlyUse } from './use.ts';

const nothing: ReadOnlyUse = { contents: [], names: [] };

interface ToolCall extends OptionList {
  /** How many operands it may have, and a pattern for each. */
  readonly operands?: readonly [number, RegExp];
  /** Without one it would list everything. */
  readonly least?: number;
  readonly use?: ReadOnlyUse;
}

/** npm shows the `package.json` of the closest parent folder that has one. */
const ofPackage: ReadOnlyUse = { ...nothing, manifest: 'package.json', writesLogs: true };
/** With settings of the project, `workspaces` may lead to packages anywhere. */
const ofOwnPackage: ReadOnlyUse = { ...ofPackage, versionFiles: ['.npmrc'] };
/** A folder or an address would be looked up: https://github.com/npm/npm-package-arg. */
const packageName = /^@?[\w-][\w.-]*(?:\/[\w-][\w.-]*)?$/;
const listed: ToolCall = {
  // Not `-l`: it shows more than names and versions of packages that `workspaces` may find anywhere.
  flags: 'ag',
  long: ['--all', '--global', '--json', '--parseable', '--link', '--unicode'],
  longValues: ['--depth', '--omit', '--include'],
  operands: [20, packageName],
  use: ofPackage,
};
const located: ToolCall = { flags: 'g', long: ['--global'], use: ofPackage };
const explained: ToolCall = { long: ['--json'], operands: [20, packageName], use: ofPackage };

/** By program and subcommand. Sources: the help of each program. */
const calls: Readonly<Record<string, Readonly<Record<string, ToolCall>>>> = {
  npm: {
    ls: listed,
    list: listed,
    root: located,
    prefix: located,
    explain: explained,
    why: explained,
    'pkg get': { operands: [20, /^[A-Za-z@][\w.@/-]*$/], use: ofOwnPackage },
    // Without a name they list the scripts.
    run: { use: ofOwnPackage },
    'run-script': { use: ofOwnPackage },
    'config get': {
      operands: [1, /^(?:registry|save-exact|engine-strict)$/],
      least: 1,
      use: { ...nothing, writesLogs: true },
    },
  },
  // `pip freeze` runs git, and `--outdated` contacts a server.
  ...Object.fromEntries(
    ['pip', 'pip3'].map((name) => [
      name,
      {
        list: {
          flags: 'elv',
          long: ['--editable', '--local', '--user', '--not-required', '--exclude-editable', '--verbose'],
          longValues: ['--format', '--exclude'],
        },
        show: { flags: 'fv', long: ['--files', '--verbose'], operands: [50, /^\w[\w.-]*$/] },
      },
    ]),
  ),
  go: {
    env: {
      // Some of its variables contain addresses with a password.
      least: 1,
      operands: [
        20,
        /^(?:CGO_ENABLED|GO111MODULE|GOARCH|GOBIN|GOCACHE|GOENV|GOEXE|GOHOSTARCH|GOHOSTOS|GOMOD|GOMODCACHE|GOOS|GOPATH|GOROOT|GOTOOLCHAIN|GOTOOLDIR|GOVERSION|GOWORK)$/,
      ],
    },
  },
};

/** undefined for another program, subcommand or option. */
export function toolUse(name: string, args: readonly string[]): ReadOnlyUse | undefined {
  if (name === 'gofmt') return gofmtUse(args);
  const known = Object.hasOwn(calls, name) ? calls[name] : undefined;
  const [subcommand] = [args.slice(0, 2).join(' '), args[0] ?? ''].filter(
    (words) => known !== undefined && Object.hasOwn(known, words),
  );
  const call = subcommand === undefined ? undefined : known?.[subcommand];
  if (call === undefined || subcommand === undefined) return undefined;
  const read = readOptions(args.slice(subcommand.split(' ').length), call);
  if (read === undefined) return undefined;
  const [most, pattern] = call.operands ?? [0, /^$/];
  const count = read.operands.length;
  if (count > most || count < (call.least ?? 0) || !read.operands.every((word) => pattern.test(word ?? '')))
    return undefined;
  return call.use ?? nothing;
}

/** `gofmt -l` and `gofmt -d`: without `-w` it changes nothing. In folders it reads the files of Go. */
function gofmtUse(args: readonly string[]): ReadOnlyUse | undefined {
  const from = args.findIndex((word) => !/^-[dels]$/.test(word));
  const places = from === -1 ? [] : args.slice(from);
  if (places.length === 0 || places.some((word) => word.startsWith('-'))) return undefined;
  return {
    ...nothing,
    // It opens files that links lead to.
    trees: places.map((path) => ({ path, hidden: true, follows: true, only: ['*.go'], codeOnly: true })),
    rewrites: true,
  };
}
