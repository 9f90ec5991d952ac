/**
 * Matches `Bash(…)` rules that deny or ask against what a command runs: through quotes, paths, wrappers, options before
 * a subcommand, and alternative spellings of options. If a word is known only to the shell, the result is "perhaps".
 */
import { globsOverlap, hasGlob } from '../../files/globOverlap.ts';
import { programName } from '../../options/programTable.ts';
import { hasSubcommand, subcommandAt } from '../../options/riskyOptions.ts';
import { isScheduler, isShellName, readsCommands, takesCode } from '../../options/runnerNames.ts';
import { startsFromInput } from '../../options/standardInput.ts';
import { hasKnownPurpose } from '../../readOnly/programs.ts';
import { readOnlyUse } from '../../readOnly/readOnly.ts';
import { collapse, commandSpec, matcher, source } from '../../rules/commandRule.ts';
import type { SourcedRule } from '../../rules/rules.ts';
import type { Argument } from '../../shell/argument.ts';
import { isPlainVariable } from '../../shell/assignments.ts';
import type { CommandPart } from '../../shell/parsedCommand.ts';
import { innerScript, type Words } from '../../shell/wrappers.ts';
import { codeIn, commandsInCode, mayBeBuilt, scriptFromInput } from '../embeddedCode.ts';
import { programsToContinue, scriptsIn, startsNothing } from '../embeddedScripts.ts';
import { attachedValues, isTextValue, textWords } from '../words.ts';
import { callsIn, formsOf, MAX_WORDS } from './equivalentCalls.ts';
import { evaluatesUnknown } from './evaluatedWords.ts';
import { filledCommands, filledText } from './filledWords.ts';
import { aliasedCalls, changesNames, continued } from './laterNames.ts';

/** `perhaps`: a word known only to the shell could make it match the rule. */
type Match = 'yes' | 'perhaps' | 'no';

/** Matches a deny or ask rule against one part of a command. */
export function matchForbidden(rule: SourcedRule, part: CommandPart): Match {
  const spec = commandSpec(rule);
  if (spec === undefined) return 'no';
  if (spec === null) return 'yes';
  const { text } = spec;
  const pattern = matcher(text);
  const starts = [part, { argv: part.full, raw: part.fullRaw }].flatMap(callsIn);
  const calls = starts.flatMap(formsOf);
  const shown = calls.flatMap((words) => [plain(words), source(words)]).concat(collapse(part.text));
  if (shown.some((one) => pattern.test(one))) return 'yes';
  if (calls.some((words) => saysTheSame(text, words))) return 'yes';
  if (part.argv.includes(null) && matchesKnown(rule, part.runs ?? [])) return 'yes';
  const scripts = scriptsIn(part).map(({ script }) => script);
  const code = codeIn(part);
  if ([...scripts, ...code.flatMap(commandsInCode)].some((script) => matchText(rule, script) === 'yes'))
    return 'yes';
  if (code.some((one) => mayBeBuilt(text, one)) && readOnlyUse(part) === undefined) return 'perhaps';
  const filled = starts.map(({ argv }) => filledCommands(argv));
  if (filled.some(({ isScript }) => isScript)) return 'perhaps';
  const begun = [...filled.flatMap(({ commands }) => commands), ...aliasedCalls(part)].flatMap(callsIn);
  const open = [...calls, ...[...begun, ...programsToContinue(part).map(continued)].flatMap(formsOf)];
  if (open.some((words) => mayBe(text, words))) return 'perhaps';
  if (evaluatesUnknown(part) || changesNames(part, text)) return 'perhaps';
  if (runsUnknown(part, text)) return 'perhaps';
  if (mayStart(rule, part, text) || copiesProgram(part, text)) return 'perhaps';
  if (matchText(rule, setVariables(part)) === 'yes') return 'perhaps';
  return scripts.some((script) => matchText(rule, script) === 'perhaps') ? 'perhaps' : 'no';
}

/**
 * True if a program could start what the rule matches: its words name the program and continue as in the rule, or one
 * of them contains such a command. For a program in the tables, the match must be clearer, and the program must not be
 * one that only reads or runs nothing.
 */
function mayStart(rule: SourcedRule, part: CommandPart, text: string): boolean {
  const { argv, raw } = part;
  const [first, ...rest] = argv;
  if (first == null) return false;
  const isKnown = hasKnownPurpose(first);
  if (isKnown && (startsNothing(part) || readOnlyUse(part) !== undefined)) return false;
  const pattern = matcher(text);
  const isClear = /^[^\s*]+ [^\s*]/.test(text);
  const messages = textWords(part);
  return rest.slice(0, MAX_WORDS).some((word, index) => {
    const at = index + 1;
    if (isKnown && (messages.has(at) || isTextValue(argv, at))) return false;
    const inside: Words = { argv: argv.slice(at), raw: raw.slice(at) };
    const mayBegin = !isKnown || isClear || startsNext(argv, at);
    if (mayBegin && formsOf(inside).some((words) => pattern.test(plain(words)))) return true;
    if (word === null || !/\s/.test(word)) return false;
    if (
      filledText(word)
        .flatMap(formsOf)
        .some((words) => mayBe(text, words))
    )
      return true;
    return [word, ...attachedValues(word)].some((given) =>
      isKnown && !isClear
        ? given.split(commandsInside).some((piece) => pattern.test(collapse(piece)))
        : matchText(rule, given) === 'yes',
    );
  });
}

/** Where a command may begin inside a word: `system x` and `\! x` of database clients. */
const commandsInside = /[\n;&|(){}`!]|\b(?:system|shell|exec|run|spawn|eval)\b/;

/** True if the preceding word means that a command follows; with package managers it is the name of a script. */
function startsNext(argv: CommandPart['argv'], at: number): boolean {
  if (/^(?:npm|pnpm|yarn|bun|deno|cargo|go|dotnet|docker|podman)$/.test(programName(argv[0]))) return false;
  return (
    /^(?:exec|run|env|shell|start|--command|--exec)$/.test(argv[at - 1] ?? '') ||
    (at > 2 && argv[at - 2] === 'exec')
  );
}

/** Folders with system programs, which a command may copy under another name. */
const programFolder = /^(?:\/usr(?:\/local)?|\/opt\/homebrew)?\/s?bin\//;
const looksUp = /\b(?:which|type\s+-[pP]|command\s+-v|whereis)\s+(?:-\S+\s+)*(\S+)/g;

/** True if the rule's program is copied, linked or read, so that it could be run under another name. */
function copiesProgram(part: CommandPart, text: string): boolean {
  const program = programName(text.split(' ')[0]);
  const use = readOnlyUse(part);
  if (use !== undefined && use.contents.length === 0) return false;
  const name = programName(part.argv[0]);
  const copies = /^(?:cp|mv|ln|install|rsync|dd|cat|tee|ditto)$/.test(name);
  return part.argv.some((word, at) => {
    if (at === 0) return false;
    const path = word?.replace(/^if=/, '') ?? '';
    if (programName(path) === program && path.includes('/') && (copies || use !== undefined))
      return programFolder.test(path) || copies;
    return (
      copies &&
      [...(part.raw[at] ?? '').matchAll(looksUp)].some(
        ([, found = '']) => programName(found.replace(/[)`"']+$/, '')) === program,
      )
    );
  });
}

/** True if a rule certainly matches one of the argument lists, name first, to which variables or braces expand. */
export const matchesKnown = (rule: SourcedRule, runs: readonly (readonly Argument[])[]): boolean =>
  runs.some((run) => {
    const argv = run.map((argument) => (argument.type === 'text' ? argument.text : null));
    const raw = argv.map((word) => word ?? '$x');
    const words = { argv, raw, full: argv, fullRaw: raw };
    const part: CommandPart = { ...words, ...nothingKnown, text: raw.join(' ') };
    const script = innerScript(words) ?? undefined;
    return (
      matchForbidden(rule, part) === 'yes' || (script !== undefined && matchText(rule, script) === 'yes')
    );
  });

const nothingKnown = {
  runs: null,
  envPrefix: [],
  carrier: false,
  variables: true,
  certain: false,
  isReached: false,
  repeats: false,
  hasInput: true,
} as const;

/**
 * Matches a rule against a command that was not understood: by its text, at every position where a command may begin.
 */
export function matchText(rule: SourcedRule, command: string): Match {
  const spec = commandSpec(rule);
  if (spec === undefined) return 'no';
  if (spec === null) return 'yes';
  const { text } = spec;
  // The argument of `env -S` is a command line of its own, wherever `env` appears.
  const split = /\benv\b/.test(command) ? / (?:--split-string=|-[A-Za-z]*S)(?=\S)/g : /(?!)/;
  const whole = command
    .replace(/\\\n/g, '')
    .replace(/["'\\]/g, '')
    .replace(split, ' ; ');
  const texts = [whole, whole.replace(redirection, ' ')];
  const starts = texts.flatMap((one) => one.split(/[\n;&|(){}`!]|\$\(|(?<=\s)(?=\S)/)).map(collapse);
  const segments = texts.flatMap((one) => one.split(/[\n;&|(){}`!]/)).map(collapse);
  const pattern = matcher(text);
  const isNamed = [...starts, ...segments, ...segments.flatMap(suffixes)].some((one) => {
    const bare = one.replace(/^\S*\//, '');
    if (pattern.test(one) || pattern.test(bare)) return true;
    const given = bare.split(' ').slice(0, MAX_WORDS);
    return formsOf({ argv: given, raw: given }).some(
      (form) => pattern.test(plain(form)) || saysTheSame(text, form),
    );
  });
  if (isNamed) return 'yes';
  return onlyShellKnows.test(command) || (addsWords.test(command) && segments.some((one) => names(text, one)))
    ? 'perhaps'
    : 'no';
}

const onlyShellKnows =
  /[$`*?[{\\]|<\(|<<|\b(?:ba|z|da|k|fi)?sh\b|\b(?:eval|source|alias)\b|(?:^|\s)\.\s|(?:^|[\n;&|(]|\b(?:command|builtin))\s*(?:hash|enable|zmodload|autoload)\s/;

/** Programs that add words to a command. */
const addsWords = /\b(?:xargs|(?:env_)?parallel|sem|rush|xe|entr|fd|fdfind)\b/;

/** True if the program of a rule is among the words of a text. */
const names = (rule: string, text: string): boolean =>
  text.split(' ').some((word) => programName(word) === programName(rule.split(' ')[0]));

/** Any redirection, understood or not: `git 3>f push` is `git push`. */
const redirection = /(?:(?<![^\s;&|()])(?:\d+|\{\w+\}))?(?:&>>?|<<<|<>|[<>]&|>>|[<>])[|!]?\s*[^\s;&|<>()]*/g;

const plain = ({ argv, raw }: Words): string =>
  collapse(argv.map((word, index) => word ?? raw[index] ?? '').join(' '));

/** Short and long names of the same option, for options that rules mention: rm(1), git-push(1), chmod(1). */
const sameOption: Readonly<Record<string, string>> = {
  '--recursive': 'r',
  '--force': 'f',
  '--delete': 'd',
  '--global': 'g',
  '--all': 'a',
};

/**
 * True if a call has the operands with which an open-ended rule begins, and all of its options, in any order and
 * spelling: `rm -rf *` matches `rm -f -r x` and `rm x --recursive --force`.
 */
function saysTheSame(text: string, { argv }: Words): boolean {
  if (!text.endsWith(' *')) return false;
  const wanted = split(text.slice(0, -2).split(' '));
  const given = split(argv.filter((word) => word !== null));
  if (wanted.operands.some((word) => hasGlob(word))) return false;
  const isAbbreviated = (have: string, want: string, index: number): boolean =>
    index === 1 && wanted.operands[0] === 'npm' && have.length > 1 && want.startsWith(have);
  return (
    (hasInOrder(given.operands, wanted.operands, given.values, isAbbreviated) ||
      (targeted.test(wanted.operands[0] ?? '') &&
        wanted.operands.every((word) => given.operands.includes(word)))) &&
    wanted.options.every((option) =>
      given.options.some(
        (one) => one === option || (one.length > 3 && one.startsWith('--') && option.startsWith(one)),
      ),
    )
  );
}

/** Programs that process all of their operands, so their order does not matter. */
const targeted = /^(?:make|gmake|ninja|rake|gradle|gradlew|mvn|mvnw|ant)$/;

/** Whether the operands of a call begin with those of a rule; an operand after an option may be its value. */
function hasInOrder(
  given: readonly string[],
  wanted: readonly string[],
  values: ReadonlySet<number>,
  isAbbreviated: (have: string, want: string, index: number) => boolean,
): boolean {
  let next = 0;
  for (let at = 0; next < wanted.length; at += 1) {
    const have = given[at];
    const want = wanted[next] ?? '';
    if (have === undefined) return false;
    if (have === want || isAbbreviated(have, want, next)) next += 1;
    else if (!values.has(at)) return false;
  }
  return true;
}

function split(words: readonly string[]): {
  readonly operands: readonly string[];
  readonly options: readonly string[];
  /** The indexes of operands that may be the value of an option. */
  readonly values: ReadonlySet<number>;
} {
  const operands: string[] = [];
  const options: string[] = [];
  const values = new Set<number>();
  for (const [index, word] of words.entries()) {
    if (index === 0) operands.push(programName(word));
    else if (word.startsWith('--') && word !== '--') {
      const [name = ''] = word.split('=');
      const full = Object.keys(sameOption).find((option) => name.length > 3 && option.startsWith(name));
      options.push(full === undefined ? name : (sameOption[full] ?? name));
    } else if (/^-[A-Za-z]/.test(word))
      options.push(...[...word.slice(1)].map((letter) => (letter === 'R' ? 'r' : letter)));
    else if (word !== '--') {
      if (/^-[^=]+$/.test(words[index - 1] ?? '')) values.add(operands.length);
      operands.push(word);
    }
  }
  if (operands[0] === 'git' && operands.includes('push')) options.push(...impliedByPush(operands, options));
  return { operands, options, values };
}

/** `git push origin +main` and `--mirror` force, `git push origin :main` deletes: git-push(1). */
function impliedByPush(operands: readonly string[], options: readonly string[]): readonly string[] {
  const isForced = options.includes('--mirror') || operands.some((word) => word.startsWith('+'));
  const isDeleting = operands.some((word) => /^\+?:./.test(word));
  return [...(isForced ? ['f'] : []), ...(isDeleting ? ['d'] : [])];
}

/** True if words known only to the shell, or patterns that it expands, could make the call match the rule. */
function mayBe(text: string, { argv, raw }: Words): boolean {
  const isOpen = argv.map((word, index) => word === null || isPattern(raw[index] ?? ''));
  if (!isOpen.includes(true)) return false;
  let shown = '';
  for (const [index, word] of argv.entries()) {
    if (isOpen[index]) shown = `${shown.trimEnd()}*`;
    else shown += `${index === 0 ? '' : ' '}${(word ?? '').replace(/[*?[\](){}\\]/g, '\0')}`;
    if (shown.length > MAX_SHOWN) {
      shown = `${shown.slice(0, MAX_SHOWN)}*`;
      break;
    }
  }
  const wanted = text.endsWith(' *') ? [text, text.slice(0, -2)] : [text];
  return wanted.some((one) => globsOverlap(one.replace(/[?[\](){}]/g, '?'), collapse(shown)));
}

/** Maximum characters of a call that are compared with a rule. */
const MAX_SHOWN = 200;

/** An unclosed bracket, as in `[ -f x ]`, is not a pattern. */
const isPattern = (raw: string): boolean =>
  /[*?]|\[.*\]/s.test(raw.replace(/\\.|'[^']*'|"(?:[^"\\]|\\.)*"/gs, ''));

/** Variables before a command may name programs: `PAGER='x' git log`. */
function setVariables({ envPrefix, text }: CommandPart): string {
  if (envPrefix.every(({ name }) => isPlainVariable(name))) return '';
  // Their values may hold the name of the program itself: `GIT_EDITOR='git x' git commit`.
  const prefix =
    /^\s*(?:[A-Za-z_]\w*\+?=(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])*\s*)*/s.exec(text)?.[0] ?? '';
  return prefix.replaceAll('=', ' ');
}

/** True if a call runs something that is not among its words: a shell with input from elsewhere, a configured alias. */
function runsUnknown(part: CommandPart, text: string): boolean {
  const [first, ...rest] = part.argv;
  const name = programName(first);
  if (part.carrier) return false;
  // Its input is a script that is not among its words: a here-document for ssh, a string for ed.
  const isInputKnown =
    part.inputText !== undefined && (takesCode(name) || scriptFromInput(part) !== undefined);
  if (part.hasInput && !isInputKnown && startsFromInput(part.argv)) return true;
  if (isShellName(name) || readsCommands(name))
    return (
      (!isInputKnown && rest.every((word) => word === null || /^[-+]/.test(word))) || rest.includes(null)
    );
  if (isScheduler(name)) return !rest.some((word) => word !== null && /^-[lrcv]$/.test(word));
  if (/^(?:source|\.|eval|trap|alias)$/.test(name))
    return rest.some((word) => word === null || word.startsWith('/dev/'));
  const program = programName(text.split(' ')[0]);
  if (name !== program && program !== '*') return false;
  const at = subcommandAt(part.argv);
  const subcommand = part.argv[at];
  const isAlias = at > 0 && subcommand != null && !hasSubcommand(name, subcommand);
  const configured =
    name === 'git' &&
    (part.envPrefix.some((variable) => variable.name.startsWith('GIT_CONFIG')) ||
      part.argv.some((word) => word !== null && /^(?:--config-env|include\.path|alias\.)/.test(word)));
  return isAlias || configured;
}

const suffixes = (text: string): string[] => {
  const words = text.split(' ').slice(0, MAX_WORDS);
  return words.map((_, index) => words.slice(index).join(' '));
};
