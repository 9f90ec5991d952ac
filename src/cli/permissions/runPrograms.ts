/** Finds what commands run: programs, scripts and code, including those of nested shells. Pure. */
import {
  isCarrier,
  isInterpreter,
  isPlainShell,
  isRunner,
  loadsByScript,
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
  /** Words that are known in full. */
  readonly words: ReadonlySet<string>;
  /** The same, with what code in words may name, and without data (`dataWords`). */
  readonly mentioned: ReadonlySet<string>;
  /** The folders to which the command changes, and those in which programs look for modules. */
  readonly folders: ReadonlySet<string>;
  /**
   * The names of the programs that it starts, without its own functions, shells, and interpreters that load nothing but
   * what is around the script in `executed`.
   */
  readonly programs: ReadonlySet<string>;
  /** True if it runs something known only at run time. */
  readonly isOpen: boolean;
}

/** How a file is run. */
export interface Execution {
  /** A shell reads it, whatever its name and first line. */
  readonly isShell: boolean;
  /** What its arguments may be. */
  readonly args: ReadonlySet<string>;
  /** What it prints is only shown. */
  readonly isShown: boolean;
  /** What it may find in variables known at the start; if it is sourced, also in `$0`. */
  readonly variables: KnownVariables;
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
  finder.readCommands({ commands: [command], outputs: [], functions: new Set(), values: [] }, 0);
  return finder.finished();
}

/** True if a text says nothing about the file that it names. */
const isUnknown = (text: string): boolean =>
  text.includes(ANY) && text.replace(/[\uE000\uE001\s./~-]/g, '') === '';

/** Commands inside commands. */
const MAX_DEPTH = 8;
/** More than any handwritten command. */
const MAX_TEXT = 20_000;
const MAX_COMMANDS = 2000;
const MAX_MENTIONED = 2000;
/** Parameters, which other shells do not inherit. */
const ownOfShell = /^(?:[0-9@]|BASH_SOURCE)$/;
/** Maximum number of texts that the words of one `eval` may form. */
const MAX_JOINED = 100;

/**
 * Runners of a single program, which follows their options, variables and `leading` operands. All others may run
 * something known only at run time (`run-parts`, `parallel`, `watchexec`, `ssh`).
 */
const plainRunners =
  /^(?:xargs|sudo|doas|env|exec|command|builtin|g?timeout|time|nice|ionice|chrt|taskset|nohup|setsid|stdbuf|unbuffer|trap|alias|coproc|npx|bunx|pnpx|uvx|corepack|flock|direnv|mise|asdf|dotenv|cross-env|env-cmd|caffeinate|chronic|xvfb-run|dbus-run-session|catchsegv|eatmydata|noglob|nocorrect|arch|xcrun|setarch|prlimit|rlwrap|busybox|toybox|-)$/;
/** The operands before the program: a duration, a file, a priority. */
const leading: Readonly<Record<string, number>> = { timeout: 1, gtimeout: 1, flock: 1, chrt: 1, taskset: 1 };
const runsLater = /^(?:uv|poetry|pipenv|pnpm|npm|yarn|hatch|pdm|bundle|rye|pixi|conda|mamba|nix|nix-shell)$/;
const subcommands = /^(?:run|test|x|exec|eval|task|watch)$/;
/** Options of shells and interpreters after which no value follows. */
const flags =
  /^(?:-[abdefghiklnqstuvxBEIOPS]+|--(?:no-[\w-]+|norc|noprofile|login|posix|verbose|enable-source-maps|experimental-(?!loader)[\w-]+|trace-(?:warnings|uncaught|deprecation)|inspect(?:-brk)?|allow-[\w-]+|unstable[\w-]*|bun|hot|watch|silent|quiet)|--[\w-]+=.*|--|-[WX].+)$/s;
const loading = /^(?:-r|--(?:require|import|loader|experimental-loader|env-file|preload|rcfile|init-file))$/;
/** Options of wrappers that take the next word. */
const valued =
  /^(?:-[IJLPadusEgkCcp]|-n|--(?:max-args|max-procs|user|signal|kill-after|adjustment|unset|chdir|delimiter|arg-file|replace|package|interval))$/;
/** Code that computes what it loads or runs, or that starts programs. */
const calculates =
  /\b(?:subprocess|child_process|popen|spawnSync|getline|qx)\b|\bsystem(?:\s*\(|\s+[$"'@])|\bBun\.\$|\bDeno\.Command\b|\b(?:exec|eval|run_path|run_module|import_module|__import__|require|import|dofile|loadfile)\s*\(\s*(?!(['"`])[^'"`$]*\1\s*[,)])/;

/** Awk code that pipes to or from a program. */
const pipes = /(?<!\|)\|(?!\|)\s*(?:&|"|getline\b)|\bprintf?\b[^;}|]*\|(?!\|)/;
/** Paths of the input and of open files. */
const isStream = /^\/(?:dev\/(?:stdin|fd\/)|proc\/[^/]+\/fd\/)/;

class RunFinder implements Runs {
  readonly executed = new Map<string, Execution>();
  readonly words = new Set<string>();
  readonly mentioned = new Set<string>();
  readonly folders = new Set<string>();
  readonly programs = new Set<string>();
  isOpen = false;
  readonly #functions = new Set<string>();
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
    const areFixed = after.every((word) => word.length === 1 && !/^$|[\uE000\uE001]/.test(word[0] ?? ''));
    this.#variables = new Map(outer);
    this.#variables.delete('BASH_SOURCE');
    this.#variables.set('0', new Set(areFixed ? name : after.flat()));
    this.#variables.set(
      '@',
      new Set(areFixed && args.length > 0 ? args.flat() : areFixed ? [''] : after.flat()),
    );
    this.readText(text, depth + 1);
    this.#variables = outer;
  }

  readCommands(text: ShellText, depth: number): void {
    const isShown = this.#isShown;
    const { words, isInert, isOnlyShown } = dataWords(text, isShown);
    for (const name of text.functions) this.#functions.add(name.toLowerCase());
    for (const { name, texts } of text.values)
      this.readValue(name, texts, isInert && isNoCode(texts) && !isSteeringName(name));
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
      if (/(?:PATH|LIB)$/.test(name)) for (const folder of text.split(':')) this.folders.add(folder || '.');
      if (/^(?:BASH_ENV|ENV|PYTHONSTARTUP)$/.test(name)) this.#execute(texts);
    }
  }

  #readCommand(command: ReadCommand, data: ReadonlySet<Texts>, depth: number): void {
    const { words, inputs, documents } = command;
    for (const text of [...words, ...inputs].flat()) if (!/[\uE000\uE001]/.test(text)) this.words.add(text);
    for (const word of [...words, ...inputs, ...documents])
      for (const text of word)
        if (data.has(word)) this.#data.add(text);
        else this.#mention(text);
    this.#folders(words);
    this.#run(words, command, depth);
  }

  #mention(text: string): void {
    if (this.mentioned.size > MAX_MENTIONED) {
      this.isOpen = true;
      return;
    }
    // `make -fx`
    const attached = /^-[A-Za-z](.+)/s.exec(text)?.[1] ?? '';
    for (const part of [text, attached, ...text.split(/[\s'"`;&|<>()=,[\]{}]+/)])
      if (part !== '' && !/[\uE000\uE001]/.test(part)) this.mentioned.add(part);
  }

  #execute(texts: Texts, isShell = false, args: readonly Texts[] = [], isSourced = false): void {
    for (const text of texts)
      if (isUnknown(text) || isStream.test(text)) this.isOpen = true;
      else if (text !== '' && text !== '-') {
        const before = this.executed.get(text);
        const names = isSourced ? [...this.#inherited, '0'] : this.#inherited;
        this.executed.set(text, {
          isShell: isShell || before?.isShell === true,
          isShown: this.#isShown && before?.isShown !== false,
          args: new Set([...(before?.args ?? []), ...[...args, ...this.#more].flat()]),
          variables: new Map([
            ...(before?.variables ?? []),
            ...names.map((name): [string, ReadonlySet<string>] => [
              name,
              new Set([...(before?.variables.get(name) ?? []), ...(this.#variables.get(name) ?? [ANY])]),
            ]),
          ]),
        });
      }
  }

  /** Without arguments of its own, a script that is sourced gets those of the text around it. */
  #source([script = [], ...args]: readonly Texts[]): void {
    this.#execute(script, true, args.length > 0 ? args : [[...(this.#variables.get('@') ?? [ANY])]], true);
  }

  #folders(words: readonly Texts[]): void {
    const isMove = /^(?:cd|pushd)$/.test(words[0]?.[0] ?? '');
    for (const [at, word] of words.entries())
      for (const text of word) {
        const attached = /^(?:--(?:prefix|cwd|dir|directory|chdir)=|-C)(.+)/s.exec(text)?.[1];
        const isNext = isMove ? at === 0 : /^(?:-C|--(?:prefix|cwd|dir|directory|chdir))$/.test(text);
        const operand = isMove ? words.slice(1).find((one) => !/^-./.test(one[0] ?? '')) : words[at + 1];
        for (const folder of [
          ...(attached === undefined ? [] : [attached]),
          ...(isNext ? (operand ?? []) : []),
        ])
          this.folders.add(folder);
      }
  }

  #run([program = [], ...args]: readonly Texts[], command: ReadCommand, depth: number): void {
    this.#runs += 1;
    if (depth > MAX_DEPTH || this.#runs > MAX_COMMANDS) {
      this.isOpen = true;
      return;
    }
    for (const text of new Set(program)) {
      if (text.includes('/') || /[\uE000\uE001]/.test(text)) this.#execute([text], false, args);
      const name = text.replace(/^.*\//s, '').toLowerCase();
      const isFunction = depth === 0 && this.#functions.has(name);
      if (!isFunction && !isPlainShell(name) && !isInterpreter(name)) this.programs.add(name);
      this.#execute(loadedBy(name, args).filter((one) => !isUnknown(one)));
      if (name === 'eval') for (const code of joined(args)) this.readText(code, depth + 1);
      else if (name === 'trap' || name === 'alias')
        for (const code of args.flat()) this.readText(code.replace(/^[\w-]+=/, ''), depth + 1);
      else if (name === 'source' || name === '.') this.#source(args);
      else if (name === 'find' || /^fd(?:find)?$/.test(name)) this.#runEach(name, args, command, depth);
      else if (isPlainShell(name) || text === '$SHELL')
        // Without a script, a shell runs its input.
        this.#runShell(args, { ...command, isFed: command.isFed || program.length === 1 }, depth);
      else if (isInterpreter(name)) this.#interpret(name, args, command);
      else if (isRunner(name) || isCarrier(name) || runsLater.test(name))
        this.#runWrapped(name, args, command, depth);
      else if (takesCode(name)) {
        if (args.flat().some((code) => calculates.test(code) || pipes.test(code))) this.isOpen = true;
        this.#executeNamed(args);
      } else if (!isPrinter(name)) this.#executeNamed(args);
    }
  }

  #executeNamed(args: readonly Texts[]): void {
    for (const [at, word] of args.entries())
      if (word.some((one) => /^(?:-f|--file)$/.test(one)))
        this.#execute((args[at + 1] ?? []).filter((one) => !isUnknown(one)));
  }

  #runEach(name: string, args: readonly Texts[], command: ReadCommand, depth: number): void {
    const filled = withAny(args, placeholders);
    for (const [at, word] of args.entries()) {
      const option = word.find((text) =>
        /^(?:-(?:exec|ok)(?:dir)?|-[xX].*|--exec(?:-batch)?(?:=.*)?)$/s.test(text),
      );
      if (option === undefined) continue;
      const attached = name === 'find' ? '' : option.replace(/^(?:-[xX]|--exec(?:-batch)?=?)/, '');
      const words = [...(attached === '' ? [] : [[attached]]), ...filled.slice(at + 1)];
      const end = words.findIndex((one) => one.includes(';'));
      const own = end === -1 ? words : words.slice(0, end);
      // Without a placeholder, `fd` adds the name at the end.
      this.#run(name === 'find' ? own : [...own, [ANY]], command, depth + 1);
    }
  }

  #runShell(args: readonly Texts[], command: ReadCommand, depth: number): void {
    const at = args.findIndex((word) => word.some((text) => /^-[A-Za-z]*c$/.test(text)));
    const [first] = scriptsIn(args);
    const isCode = at !== -1 && (first === undefined || args.indexOf(first) > at);
    if (isCode) {
      const after = args.slice(at + 1);
      const code = after.findIndex((word) => !word.every((text) => /^[-+]/.test(text)));
      for (const text of code === -1 ? [] : (after[code] ?? []))
        this.#readInner(text, after.slice(code + 1), depth);
    } else this.#runScript(args, command, true, (text, after) => this.#readInner(text, after, depth));
  }

  #interpret(name: string, args: readonly Texts[], command: ReadCommand): void {
    const option = /^(?:python|pypy)/.test(name)
      ? /^-[A-Za-z]*[cm]$/
      : name === 'php'
        ? /^-r$/
        : /^(?:-[A-Za-z0]*[eEp]|--(?:eval|print))$/;
    const at = args.findIndex((word) => word.some((text) => option.test(text)));
    const read = (text: string): void => {
      if (isUnknown(text) || calculates.test(text)) this.isOpen = true;
    };
    const [first] = scriptsIn(args);
    const isCode = at !== -1 && (first === undefined || args.indexOf(first) > at);
    const hasScript = !isCode && first !== undefined && !first.includes('-');
    const isVersion = args.length === 1 && args.flat().every((text) => /^(?:--version|-[vV])$/.test(text));
    if (!(hasScript || isVersion) || !loadsByScript(name)) this.programs.add(name);
    if (isCode) {
      for (const [index, word] of args.slice(0, at).entries())
        if (word.some((text) => loading.test(text))) this.#execute(args[index + 1] ?? []);
      for (const text of args[at + 1] ?? []) read(text);
      return;
    }
    // `bun run x`
    if (first?.some((text) => subcommands.test(text)) === true)
      this.#runScript(args.slice(args.indexOf(first) + 1), command, false, read);
    else this.#runScript(args, command, false, read);
  }

  /** The script among the words of a shell or an interpreter, or what it reads instead. */
  #runScript(
    args: readonly Texts[],
    command: ReadCommand,
    isShell: boolean,
    read: (text: string, after: readonly Texts[]) => void,
  ): void {
    for (const [at, word] of args.entries())
      if (word.some((text) => loading.test(text))) this.#execute(args[at + 1] ?? []);
    const scripts = scriptsIn(args);
    const [first = []] = scripts;
    const before = scripts.length === 0 ? args : args.slice(0, args.indexOf(first));
    // With `-s`, all operands are arguments.
    const isInput = isShell && before.some((word) => word.some((text) => /^-[A-Za-z]*s/.test(text)));
    if (!isInput) {
      for (const script of scripts) this.#execute(script, isShell, args.slice(args.indexOf(script) + 1));
      if (scripts.some((script) => script.some((text) => text !== '-'))) return;
    }
    const after = scripts.length === 0 ? [] : args.slice(args.indexOf(first) + (isInput ? 0 : 1));
    for (const text of command.documents.flat()) read(text, [['sh'], ...after]);
    for (const input of command.inputs) this.#execute(input, isShell, after);
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
      if (isOption) {
        const [text = ''] = word;
        isValue = valued.test(text);
        const code = /^(?:-S|--split-string=?)(.*)/s.exec(text)?.[1];
        if (name === 'env' && code !== undefined)
          for (const one of code === '' ? (args[at + 1] ?? []) : [code]) this.readText(one, depth + 1);
        if (name === 'npx' && /^(?:-c|--call)$/.test(text))
          for (const one of args[at + 1] ?? []) this.readText(one, depth + 1);
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

/** Code that a program loads although its words name only a folder or a module. */
function loadedBy(name: string, args: readonly Texts[]): Texts {
  const after = (option: string): Texts =>
    args.flatMap((word, at) => (word.includes(option) ? (args[at + 1] ?? []) : []));
  const fileOf = (module: string): string => module.replaceAll('.', '/');
  if (name === 'go' && args[0]?.includes('run') === true)
    return args.flat().flatMap((text) => (/^\.{0,2}\/|^\.$/.test(text) ? [text, `${text}/${GLOB}.go`] : []));
  if (/^lua/.test(name)) return after('-l').map((module) => `${fileOf(module)}.lua`);
  if (/^(?:pytest|py\.test)$/.test(name)) return after('-p').map((module) => `${fileOf(module)}.py`);
  if (name === 'git')
    return args.flat().flatMap((text) => {
      const folder = /^core\.hookspath=(.+)/is.exec(text)?.[1];
      return folder === undefined ? [] : [`${folder}/${GLOB}`];
    });
  return [];
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

/** The texts of words, separated by spaces. */
function joined(words: readonly Texts[]): Texts {
  return words.reduce<Texts>(
    (all, word) =>
      all.length * word.length > MAX_JOINED
        ? [ANY]
        : all.flatMap((one) => word.map((other) => `${one} ${other}`)),
    [''],
  );
}
