/** Finds what commands run: programs, scripts and code, including those of nested shells. Pure. */
import {
  isCarrier,
  isInterpreter,
  isPlainShell,
  isRunner,
  readsCommands,
  takesCode,
} from '../../permissions/options/runnerNames.ts';
import { isSteeringName } from '../../tools/shell/steeringVariables.ts';
import { dataWords, isDataValue, isNoCode, isPrinter } from './dataWords.ts';
import {
  ANY,
  GLOB,
  type KnownVariables,
  type ReadCommand,
  readShell,
  type ShellText,
  type Texts,
} from './shellText.ts';

/** The texts may contain `ANY` and `GLOB`. */
export interface Runs {
  /** Programs that are named with a folder, and scripts. */
  readonly executed: ReadonlyMap<string, Execution>;
  /** Words that are known in full, with what code in them may name, and without data (`dataWords`). */
  readonly mentioned: ReadonlySet<string>;
  /** The folders to which the command changes, and those in which programs look for modules. */
  readonly folders: ReadonlySet<string>;
  /** The folders in which a shell looks for programs. */
  readonly paths: ReadonlySet<string>;
  /** What it writes, if it may also run that. */
  readonly writes: readonly Write[];
  /** True if it runs something known only at run time. */
  readonly isOpen: boolean;
}

/**
 * How a file is used: it runs; a shell reads it, whatever its name and first line; it is started without an interpreter;
 * a shell reads it with its own variables; what it prints is not only shown.
 */
export type Way = 'run' | 'shell' | 'program' | 'sourced' | 'used';

export interface Execution {
  readonly ways: ReadonlySet<Way>;
  /** What its arguments may be. */
  readonly args: ReadonlySet<string>;
}

export interface Write {
  readonly target: string;
  /** True if files that are not named may be written below it. */
  readonly isCopy: boolean;
}

/** What shell text runs. `isShown`: what it prints is only shown. `takesMore`: unknown words may be appended. */
export function runsOfText(
  text: string,
  variables: KnownVariables,
  { isShown = true, takesMore = false } = {},
): Runs {
  const finder = new RunFinder(variables, isShown, takesMore);
  finder.readText(text, 0);
  return finder.finished();
}

/** What a program with these arguments and variables runs. */
export function runsOfWords(
  words: readonly Texts[],
  env: Readonly<Record<string, Texts>>,
  variables: KnownVariables,
): Runs {
  const finder = new RunFinder(variables);
  for (const [name, texts] of Object.entries(env)) finder.readValue(name, texts);
  const command = { words, isFed: false, isCaptured: false, inputs: [], documents: [] };
  finder.readCommands(
    { commands: [command], outputs: [], functions: new Set(), values: [], isOdd: false },
    0,
  );
  return finder.finished();
}

/** True if a text says nothing about the file that it names. */
const isUnknown = (text: string): boolean =>
  text.includes(ANY) && text.replace(/[\uE000\uE001\s./~-]/g, '') === '';
const isKnown = (text: string): boolean => !/[\uE000\uE001]/.test(text);

/** Commands inside commands. */
const MAX_DEPTH = 8;
/** More than any handwritten command. */
const MAX_TEXT = 20_000;
const MAX_COMMANDS = 2000;
const MAX_MENTIONED = 2000;
/** Parameters, which other shells do not inherit. */
const ownOfShell = /^(?:[0-9@]|BASH_SOURCE)$/;

/**
 * Runners of a single program, which follows their options, variables and `leading` operands. All others may run
 * something known only at run time (`run-parts`, `parallel`, `watchexec`, `ssh`).
 */
const plainRunners =
  /^(?:xargs|sudo|doas|env|exec|command|builtin|g?timeout|time|nice|ionice|chrt|taskset|nohup|setsid|stdbuf|unbuffer|npx|bunx|pnpx|uvx|corepack|flock|direnv|mise|asdf|dotenv|cross-env|env-cmd|caffeinate|chronic|xvfb-run|dbus-run-session|catchsegv|eatmydata|noglob|nocorrect|arch|xcrun|setarch|prlimit|rlwrap|busybox|toybox|-)$/;
/** The operands before the program: a duration, a file, a priority. */
const leading: Readonly<Record<string, number>> = { timeout: 1, gtimeout: 1, flock: 1, chrt: 1, taskset: 1 };
const runsLater = /^(?:uv|poetry|pipenv|pnpm|npm|yarn|hatch|pdm|bundle|rye|pixi|conda|mamba|nix|nix-shell)$/;
const subcommands = /^(?:run|test|x|exec|eval|task|watch)$/;
/** Options of shells and interpreters after which no value follows. */
const flags =
  /^(?:-[abdefghiklnqstuvxBEIOPS]+|--(?:no-[\w-]+|norc|noprofile|login|posix|verbose|enable-source-maps|experimental-(?!loader)[\w-]+|trace-(?:warnings|uncaught|deprecation)|inspect(?:-brk)?|allow-[\w-]+|unstable[\w-]*|bun|hot|watch|silent|quiet)|--[\w-]+=.*|--|-[WX].+)$/s;
const loading = /^(?:-r|--(?:require|import|loader|experimental-loader|env-file|preload|rcfile|init-file))$/;
/** Options of wrappers whose value is shell text. */
const codeOptions: Readonly<Record<string, RegExp>> = {
  env: /^(?:-S|--split-string=?)(.*)/s,
  npx: /^(?:-c|--call=?)(.*)/s,
  flock: /^(?:-c|--command=?)(.*)/s,
};
/** Options of wrappers that take the next word. */
const valued =
  /^(?:-[IJLPadusEgkCcp]|-n|--(?:max-args|max-procs|user|signal|kill-after|adjustment|unset|chdir|delimiter|arg-file|replace|package|interval))$/;

/** Code that computes what it loads or runs, or that starts programs, by language. */
const calculates: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^(?:node|bun|deno|tsx|ts-node)/,
    /child_process|\bspawn|\bBun\.|\bDeno\.|\bprocess\.(?:binding|dlopen)|\b(?:eval|Function)\b|\b(?:require|import)\b(?!\s*\(\s*(['"`])[^'"`$]*\1\s*[,)])(?!\s+[\w{*'"])/,
  ],
  [
    /^(?:python|pypy)/,
    /\b(?:subprocess|pty|runpy|ctypes|exec(?:[lv]\w*)?|eval|(?:import|\.)\s*system|system(?=\s*\()|popen\d?|(?:posix_)?spawn\w*|fork\w*|getattr|globals)\b|\b(?:import_module|__import__)\s*(?!\(\s*(['"])[^'"]*\1\s*\))/,
  ],
  [/^osascript$/, /\b(?:do shell|run|load) script\b/],
  [/^(?:[gmn]?awk)$/, /\bsystem\b|\bgetline\b|(?<!\|)\|(?!\|)\s*(?:&|")|\bprintf?\b[^;}|]*\|(?!\|)/],
  [/^(?:tclsh|expect)$/, /./],
  [
    /./,
    /`|%x|\b(?:system|exec|qx|spawn\w*|fork|popen\w*|IO|open\d?|pipe|eval|ARGV|dofile|loadfile|loadstring|proc_open|passthru|shell_exec)\b|\b(?:do|require|load|include)\b(?!\s*\(?\s*(['"])[^'"$#]*\1)(?=\s*[($'"@\\])/,
  ],
];
/** Text that a shell, or a program that the reader does not know, may run as a command. */
const shellCode = /(?:^|[\s;|&!'"`({/])(?:(?:ba|da|z|k)?sh|source|eval)\s/;
/** Paths of the input and of open files. */
const isStream = /^\/(?:dev\/(?:stdin|fd\/)|proc\/[^/]+\/fd\/)/;

class RunFinder implements Runs {
  readonly executed = new Map<string, Execution>();
  readonly mentioned = new Set<string>();
  readonly folders = new Set<string>();
  readonly paths = new Set<string>();
  readonly writes: Write[] = [];
  isOpen = false;
  #runs = 0;
  readonly #data = new Set<string>();
  /** Those of the shell that reads the current text. */
  #variables: KnownVariables;
  /** The names of those that a script inherits. */
  readonly #inherited: readonly string[];

  /** What the current text prints is only shown. */
  #isShown: boolean;
  /** What is appended to its words. */
  readonly #more: readonly Texts[];

  constructor(variables: KnownVariables, isShown = true, takesMore = false) {
    this.#variables = variables;
    this.#isShown = isShown;
    this.#more = takesMore ? [[ANY], [ANY]] : [];
    this.#inherited = [...variables.keys()].filter((name) => !ownOfShell.test(name));
  }

  readText(text: string, depth: number): void {
    if (depth > MAX_DEPTH || text.length > MAX_TEXT) {
      this.isOpen = true;
      this.#mention(text);
      return;
    }
    this.readCommands(readShell(text, this.#variables), depth);
  }

  /** Reads text for another shell, with the words after it as its parameters. */
  #readInner(text: string, given: readonly Texts[], depth: number): void {
    const after = [...given, ...this.#more];
    const outer = this.#variables;
    const [name = ['sh'], ...args] = after;
    // A word that may become several, or none, moves the others.
    const areFixed = after.every((word) => word.length === 1 && word[0] !== '' && isKnown(word[0] ?? ''));
    this.#variables = new Map(outer);
    this.#variables.delete('BASH_SOURCE');
    this.#variables.set('0', new Set(areFixed ? name : after.flat()));
    this.#variables.set(
      '@',
      new Set(areFixed && args.length > 0 ? args.flat() : areFixed ? [''] : after.flat()),
    );
    this.readText(text, depth + 1);
    // Scripts that it starts inherit what it sets.
    for (const one of this.#inherited) outer.set(one, this.#variables.get(one) ?? new Set([ANY]));
    this.#variables = outer;
  }

  readCommands(text: ShellText, depth: number): void {
    const isShown = this.#isShown;
    const { words, isInert, isOnlyShown } = dataWords(text, isShown);
    this.isOpen ||= text.isOdd;
    for (const { name, texts } of text.values)
      this.readValue(name, texts, isInert && isNoCode(texts) && !isSteeringName(name));
    for (const target of text.outputs.flat()) this.writes.push({ target, isCopy: false });
    for (const command of text.commands) {
      this.#isShown = isOnlyShown && !command.isCaptured;
      this.#readCommand(command, words, depth);
    }
    this.#isShown = isShown;
  }

  /** If something unknown runs, it may be what looks like data. */
  finished(): Runs {
    if (this.isOpen) for (const text of this.#data) this.#mention(text);
    return this;
  }

  readValue(name: string, texts: Texts, isUnused = false): void {
    const isData = isUnused || isDataValue(name, texts);
    for (const text of texts) {
      if (isData) this.#data.add(text);
      else this.#mention(text);
      if (name === 'PATH')
        for (const folder of text.split(':')) if (!isUnknown(folder)) this.paths.add(folder || '.');
      if (/(?:PATH|LIB)$/.test(name)) for (const folder of text.split(':')) this.folders.add(folder || '.');
      if (/^(?:PROMPT_COMMAND|CDPATH|PS[0-4])$/.test(name) && (!name.startsWith('PS') || !isNoCode([text])))
        this.isOpen ||= text !== '';
      if (/^(?:BASH_ENV|ENV|PYTHONSTARTUP)$/.test(name)) this.#execute(texts, ['shell']);
    }
  }

  #readCommand(command: ReadCommand, data: ReadonlySet<Texts>, depth: number): void {
    const { words, inputs, documents } = command;
    const isCode = !words[0]?.every((one) => isPrinter(one) || isReadAsShell(one, words.flat()));
    for (const word of [...words, ...inputs, ...documents])
      for (const text of word)
        if (data.has(word)) this.#data.add(text);
        else this.#mention(text, isCode);
    this.#folders(words);
    this.#run(words, command, depth);
  }

  #mention(text: string, mayRun = false): void {
    if (this.mentioned.size > MAX_MENTIONED) this.isOpen = true;
    // A command that names something known only at run time.
    if (mayRun && shellCode.test(text) && /[*?[$`%\uE000\uE001]/.test(text)) this.isOpen = true;
    if (this.mentioned.size > MAX_MENTIONED) return;
    // `make -fx`
    const attached = /^-[A-Za-z](.+)/s.exec(text)?.[1] ?? '';
    for (const part of [text, attached, ...text.split(/(?:[\s'"`;&|<>()=,:[\]{}!]|\\[nrt])+/)])
      if (part !== '' && isKnown(part)) this.mentioned.add(part);
  }

  #execute(texts: Texts, ways: readonly Way[] = [], args: readonly Texts[] = []): void {
    const used: readonly Way[] = this.#isShown ? [] : ['used'];
    for (const text of texts.map((one) => one.replace(/^file:\/\//, '')))
      if (isUnknown(text) || isStream.test(text)) this.isOpen = true;
      else if (text !== '' && text !== '-') {
        const before = this.executed.get(text);
        this.executed.set(text, {
          ways: new Set([...(before?.ways ?? []), 'run', ...ways, ...used]),
          args: new Set([...(before?.args ?? []), ...[...args, ...this.#more].flat()]),
        });
      }
  }

  /** Without arguments of its own, a script that is sourced gets those of the text around it. */
  #source([script = [], ...args]: readonly Texts[]): void {
    const given = args.length > 0 ? args : [[...(this.#variables.get('@') ?? [ANY])]];
    this.#execute(script, ['shell', 'sourced'], given);
  }

  #folders(words: readonly Texts[]): void {
    const isMove = /^(?:cd|pushd)$/.test(words[0]?.[0] ?? '');
    if (isMove && words.length === 1)
      for (const home of this.#variables.get('HOME') ?? []) this.folders.add(home);
    for (const [at, word] of words.entries())
      for (const text of word) {
        const attached = /^(?:--(?:prefix|cwd|dir|directory|chdir)=|-C)(.+)/s.exec(text)?.[1];
        const isNext = isMove ? at === 0 : /^(?:-C|--(?:prefix|cwd|dir|directory|chdir))$/.test(text);
        const operand = isMove ? words.slice(1).find((one) => !/^-./.test(one[0] ?? '')) : words[at + 1];
        if (attached !== undefined) this.folders.add(attached);
        if (isNext) for (const folder of operand ?? []) this.folders.add(folder);
      }
  }

  #run([program = [], ...args]: readonly Texts[], command: ReadCommand, depth: number): void {
    this.#runs += 1;
    if (depth > MAX_DEPTH || this.#runs > MAX_COMMANDS) {
      this.isOpen = true;
      return;
    }
    const texts = args.flat();
    for (const text of new Set(program)) {
      if (text.includes('/') || !isKnown(text)) this.#execute([text], ['program'], args);
      const name = text.replace(/^.*\//s, '').toLowerCase();
      this.#execute(loadedBy(name, args).filter((one) => !isUnknown(one)));
      this.writes.push(...writtenBy(name, args));
      if (odd.some(([names, form]) => names.test(name) && texts.some((one) => form.test(one))))
        this.isOpen = true;
      if (name === 'trap') for (const code of texts) this.readText(code, depth + 1);
      else if (/^(?:eval|alias)$/.test(name)) this.readText(texts.join(' ').replace(/^\w+=/, ''), depth + 1);
      else if (name === 'source' || name === '.') this.#source(args);
      else if (/^(?:find|fd|fdfind)$/.test(name)) this.#runEach(args, command, depth);
      else if (isPlainShell(name) || text === '$SHELL' || isInterpreter(name))
        // Without a script, a shell runs its input.
        this.#interpret(
          name,
          args,
          { ...command, isFed: command.isFed || (program.length === 1 && !isInterpreter(name)) },
          depth,
        );
      else if (isRunner(name) || isCarrier(name) || runsLater.test(name))
        this.#runWrapped(name, args, command, depth);
      else if (takesCode(name)) {
        if (texts.some((code) => computes(name, code))) this.isOpen = true;
        this.#executeNamed(args);
      } else if (readsCommands(name)) this.isOpen = true;
      else if (!isPrinter(name)) this.#executeNamed(args);
    }
  }

  #executeNamed(args: readonly Texts[]): void {
    for (const [at, word] of args.entries())
      if (word.some((one) => /^(?:-f|--file)$/.test(one)))
        this.#execute((args[at + 1] ?? []).filter((one) => !isUnknown(one)));
  }

  #runEach(args: readonly Texts[], command: ReadCommand, depth: number): void {
    const filled = withAny(args, placeholders);
    for (const [at, word] of args.entries()) {
      if (!word.some((text) => /^(?:-(?:exec|ok)(?:dir)?|-[xX]|--exec(?:-batch)?)$/.test(text))) continue;
      const words = filled.slice(at + 1);
      const end = words.findIndex((one) => one.includes(';'));
      this.#run(end === -1 ? words : words.slice(0, end), command, depth + 1);
    }
  }

  /** A shell or an interpreter: its code, its script, or what it reads instead. */
  #interpret(name: string, given: readonly Texts[], command: ReadCommand, depth: number): void {
    const isShell = isPlainShell(name);
    const option = isShell
      ? /^-[A-Za-z]*c$/
      : /^(?:python|pypy)/.test(name)
        ? /^-[A-Za-z]*[cm]$/
        : name === 'php'
          ? /^-r$/
          : /^(?:-[A-Za-z0]*[eEp]|--(?:eval|print))$/;
    const read = (text: string, after: readonly Texts[]): void => {
      if (isShell) this.#readInner(text, after, depth);
      else if (isUnknown(text) || computes(name, text)) this.isOpen = true;
    };
    for (const [at, word] of given.entries())
      if (word.some((text) => loading.test(text)))
        this.#execute(given[at + 1] ?? [], isShell ? ['shell'] : []);
    const named = isShell ? withoutSettings(given) : given;
    const [verb] = scriptsIn(named);
    // `bun run x`
    const hasVerb = !isShell && verb?.some((text) => subcommands.test(text)) === true;
    const args = hasVerb ? named.slice(named.indexOf(verb) + 1) : named;
    const scripts = scriptsIn(args);
    const [first] = scripts;
    const at = args.findIndex((word) => word.some((text) => option.test(text)));
    const isCode = at !== -1 && (first === undefined || args.indexOf(first) > at);
    if (isCode) {
      const after = args.slice(at + 1);
      const code = after.findIndex((word) => !isShell || !word.every((text) => /^[-+]/.test(text)));
      for (const text of after[code] ?? []) read(text, after.slice(code + 1));
      return;
    }
    const before = first === undefined ? args : args.slice(0, args.indexOf(first));
    // With `-s`, all operands are arguments.
    const isInput = isShell && before.some((word) => word.some((text) => /^-[A-Za-z]*s/.test(text)));
    const ways: readonly Way[] = isShell ? ['shell'] : [];
    if (!isInput) {
      for (const script of scripts) this.#execute(script, ways, args.slice(args.indexOf(script) + 1));
      if (scripts.some((script) => script.some((text) => text !== '-'))) return;
    }
    const after = first === undefined ? [] : args.slice(args.indexOf(first) + (isInput ? 0 : 1));
    for (const text of command.documents.flat()) read(text, [['sh'], ...after]);
    for (const input of command.inputs) this.#execute(input, ways, after);
    if (command.isFed && command.documents.length + command.inputs.length === 0) this.isOpen = true;
  }

  #runWrapped(name: string, given: readonly Texts[], command: ReadCommand, depth: number): void {
    if (name === 'command' && given[0]?.some((text) => /^-[vV]$/.test(text)) === true) return;
    const isPlain = plainRunners.test(name) || runsLater.test(name) || isCarrier(name);
    if (!isPlain) this.isOpen = true;
    const isList = name === 'xargs' || name === 'parallel';
    let skipped = leading[name] ?? 0;
    const hasProgram = given.some((word) => !word.every((text) => /^-./.test(text)));
    const args = isList && hasProgram ? [...withAny(given, replacedBy(given)), [ANY], [ANY]] : given;
    let isValue = false;
    for (const [at, word] of args.entries()) {
      const isOption = word.every((text) => /^-./.test(text));
      if (name === 'env')
        for (const [, variable = '', value = ''] of word.flatMap((text) => [
          ...text.matchAll(/^(\w+)=(.*)$/gs),
        ]))
          this.readValue(variable, [value]);
      if (isOption) {
        const [text = ''] = word;
        isValue = valued.test(text);
        const code = codeOptions[name]?.exec(text)?.[1];
        if (code !== undefined)
          for (const one of code === '' ? (args[at + 1] ?? []) : [code]) this.readText(one, depth + 1);
        continue;
      }
      const isSkipped =
        word.every((text) => /^(?:\d[\d.]*[smhd]?|[A-Za-z_]\w*=.*)$/s.test(text)) ||
        (isValue && word.every(isUnknown));
      if (!isValue && skipped > 0 && !word.every((text) => text.includes('='))) {
        skipped -= 1;
        continue;
      }
      const isLast = !isSkipped && !isValue;
      if (!isSkipped) this.#run(args.slice(at), command, depth + 1);
      isValue = false;
      if (isLast) {
        // `uv run python x`
        const later = args.findIndex(
          (one, index) => index > at && one.some((text) => isPlainShell(text) || isInterpreter(text)),
        );
        if (later !== -1 && (runsLater.test(name) || isCarrier(name)))
          this.#run(args.slice(later), command, depth + 1);
        return;
      }
    }
  }
}

/** What `go run ./folder` runs. */
function loadedBy(name: string, args: readonly Texts[]): Texts {
  if (name !== 'go' || args[0]?.includes('run') !== true) return [];
  return args.flat().flatMap((text) => (/^\.{0,2}\/|^\.$/.test(text) ? [text, `${text}/${GLOB}.go`] : []));
}

/** The words that may be the script: the first that is no option, and the possible option values before it. */
function scriptsIn(args: readonly Texts[]): readonly Texts[] {
  const scripts: Texts[] = [];
  let isValue = false;
  for (const word of args) {
    if (word.every((text) => /^[-+]./.test(text))) {
      isValue = !word.every((text) => flags.test(text));
      continue;
    }
    scripts.push(word);
    if (!isValue) break;
    isValue = false;
  }
  return scripts;
}

/** The placeholders of `xargs -I` and `parallel`. */
function replacedBy(args: readonly Texts[]): readonly string[] {
  const given = args.flatMap((word, at) =>
    word.flatMap((text) =>
      text === '-I' || text === '-J' ? (args[at + 1] ?? []) : (/^-[IJi](.+)/.exec(text)?.[1] ?? []),
    ),
  );
  return [...placeholders, ...given];
}

const placeholders = ['{}', '{.}', '{/}', '{//}', '{/.}'];

const withAny = (args: readonly Texts[], tokens: readonly string[]): readonly Texts[] =>
  args.map((word) =>
    word.map((text) =>
      text.startsWith('-') ? text : tokens.reduce((now, token) => now.replaceAll(token, ANY), text),
    ),
  );

/** The words of a shell without `-o pipefail` and `-O extglob`. */
function withoutSettings(args: readonly Texts[]): readonly Texts[] {
  const isSetting = (word: Texts = []): boolean => word.some((text) => /^[-+][A-Za-z]*[oO]$/.test(text));
  return args.filter((word, at) => !isSetting(word) && !isSetting(args[at - 1]));
}

/** True if the reader reads shell text among these words. */
function isReadAsShell(program: string, words: Texts): boolean {
  const name = program.replace(/^.*\//s, '');
  const isShell = (one: string): boolean => isPlainShell(one.replace(/^.*\//s, ''));
  if (name === 'trap' || isShell(name)) return true;
  return (name === 'find' || plainRunners.test(name) || isCarrier(name)) && words.some(isShell);
}

const computes = (name: string, code: string): boolean =>
  calculates.find(([language]) => language.test(name))?.[1].test(code) === true;

/** Forms of commands after which names or texts mean something that the reader does not follow. */
const odd: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:alias|enable|bind|complete|fc|eval)$/, /^/],
  [/^(?:declare|typeset|local)$/, /^-[A-Za-z]*n/],
  [/^(?:mapfile|readarray|compgen)$/, /^-[A-Za-z]*[CF]/],
  [/^hash$/, /^-[A-Za-z]*p/],
  [/^fd(?:find)?$/, /^(?:-[A-Za-z]*[xX]|--exec)/],
  // Modules, or a folder of programs, by name.
  [/^(?:lua|py\.?test)/, /^-[lp]/],
  [/^git$/, /^core\.hookspath=(?!\/dev\/null$)/i],
  // Other options than these change more than what a pattern may find.
  [
    /^shopt$/,
    /^(?!-[squp]+$|(?:nullglob|failglob|globstar|dotglob|extglob|lastpipe|inherit_errexit|nocasematch)$)/,
  ],
  [/^g?make$/, /^(?:-|-f-|\/dev\/stdin|--eval.*|-E.*)$/],
];

/** Programs that write what they copy, unpack or edit: to a folder with names of their own, or to the names given. */
const copies = /^(?:mv|ln|rsync|scp|unzip|cpio|pax|7z|(?:bsd)?tar|git)$/;
const namesTarget = /^(?:cp|install|dd|tee|sed|perl)$/;
const unpackers = /^(?:unzip|cpio|pax|7z|(?:bsd)?tar|git)$/;
const copiesFolders = /^-[A-Za-z]*[rRatT]|^--(?:r|a|t)/;
const unpacks = /^-?[A-Za-z]*x[A-Za-z]*$|^--(?:extract|get)$/;

function writtenBy(name: string, args: readonly Texts[]): readonly Write[] {
  const texts = args.flat();
  const has = (option: RegExp): boolean => texts.some((text) => option.test(text));
  const operands = args.filter((word) => !word.some((text) => /^-./.test(text)));
  if (!copies.test(name) && !namesTarget.test(name)) return [];
  if (/tar$/.test(name) && !has(unpacks)) return [];
  if (name === 'git' && !has(/^(?:clone|worktree|archive|checkout-index|apply|am)$/)) return [];
  if (/^(?:sed|perl)$/.test(name) && !has(/^-[A-Za-z]*i|^--in-place/)) return [];
  const sources = operands.slice(0, -1).flat();
  const isCopy =
    copies.test(name) || (/^(?:cp|install)$/.test(name) && (has(copiesFolders) || !sources.every(isKnown)));
  const targets = texts.map((text) => text.replace(/^(?:of=|--target-directory=|-t(?=.))/, ''));
  // A file copied to a folder keeps its name.
  const inFolder = targets.flatMap((to) => sources.map((source) => `${to}/${source.replace(/^.*\//s, '')}`));
  const last =
    /^(?:cp|install|mv|ln|rsync|scp)$/.test(name) && !has(/^-t|^--t/) ? (operands.at(-1) ?? []) : targets;
  return [...last, ...(!isCopy ? inFolder : unpackers.test(name) ? ['.'] : [])].map((target) => ({
    target,
    isCopy,
  }));
}
