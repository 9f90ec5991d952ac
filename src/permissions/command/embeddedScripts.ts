/**
 * Finds the words of a command that another program may run as a command of its own: those of `su -c`, `watch`, `trap`,
 * `env -S`, `rsync -e`, git aliases. The one owner of this question, for rules about commands and about files. Pure.
 */
import { programName } from '../options/programTable.ts';
import { riskyWords, subcommandAt } from '../options/riskyOptions.ts';
import { isCarrier, isRunner, isShellName, takesCode } from '../options/runnerNames.ts';
import { hasKnownPurpose } from '../readOnly/programs.ts';
import { readOnlyUse } from '../readOnly/readOnly.ts';
import { isPlainVariable } from '../shell/assignments.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';
import { callsIn } from './forbidden/equivalentCalls.ts';
import { attachedValues, isTestName, isTextValue, textWords } from './words.ts';

type Argv = readonly (string | null)[];

/** A script, with the place of its word. */
interface Script {
  readonly script: string;
  readonly at: number;
}

/** Words that may be run by programs that start others. */
export function scriptsIn({ full, argv }: Pick<CommandPart, 'full' | 'argv'>): readonly Script[] {
  const offset = full.length - argv.length;
  const typed = typedTexts(argv).map((script) => ({ script, at: full.length - 1 }));
  const told = [...typed, ...toldToRun(argv).map(({ script, at }) => ({ script, at: at + offset }))];
  const name = programName(full[0]);
  const inner = programName(argv[0]);
  if (inner === 'git') return [...runByGit(full), ...told];
  const hasShell = full.some((word) => isShellName(programName(word)));
  const isWatch = inner === 'cargo' && argv[1] === 'watch';
  const runs = isWatch || hasShell || [name, inner].some((one) => isRunner(one) || isCarrier(one));
  if (!runs) return told;
  // `docker run -e A=x` sets a variable.
  const isScript = isCarrier(inner) ? /\s/ : /[\s;&|=$]/;
  // `env -S 'git\_push'`: env(1).
  const isEnv = full.some((word) => programName(word) === 'env');
  const words = full.map((word) => (isEnv && word !== null ? word.replace(/\\[_tnvfr]/g, ' ') : word));
  const own = words.flatMap((word, at) => {
    if (at === 0 || word === null || !isScript.test(word) || isTestName(words, at)) return [];
    return [word, ...attachedValues(word)].map((script) => ({ script, at }));
  });
  return [...own, ...typed];
}

function runByGit(full: Argv): readonly Script[] {
  return full.flatMap((word, at) => {
    if (word === null) return [];
    if (/^alias\.[^=]+=/.test(word)) return [{ script: aliasScript(word), at }];
    // git-for-each-repo(1): it runs git with the words after its options.
    if (word === 'for-each-repo')
      return full
        .slice(at + 1)
        .map((_, index) => ({ script: `git ${full.slice(at + 1 + index).join(' ')}`, at }));
    const isRun =
      /^(?:--exec|-x|--extcmd|run|foreach|--[a-z-]+-filter)$/.test(full[at - 1] ?? '') ||
      /^--exec=/.test(word) ||
      (/\s/.test(word) && full[at - 2] === 'config') ||
      isOfShell(full, at);
    return isRun ? [{ script: word.replace(/^--exec=/, ''), at }] : [];
  });
}

/** `alias.x=push` runs `git push`, `alias.x=!cmd` runs a command. */
function aliasScript(word: string): string {
  const value = word.slice(word.indexOf('=') + 1);
  return value.startsWith('!') ? value.slice(1) : `git ${value}`;
}

/** The commands that risky options run: the rest of the word, or the next one (`tar --to-command=x`, `rsync -e x`). */
function toldToRun(argv: Argv): readonly Script[] {
  if (takesCode(programName(argv[0]))) return [];
  return riskyWords(argv)
    .filter(({ risk, word }) => risk === 'runs' && /^[-+]|[\s=]/.test(word))
    .flatMap(({ at }) => [at, at + 1])
    .flatMap((at) => {
      const word = argv[at];
      if (word == null) return [];
      // `socat - EXEC:x` and `sed s/a/x/e` run x.
      return [
        ...(/^g?sed$/.test(programName(argv[0])) ? [word.replace(/[^\w\s.:=+-]/g, ' ; ')] : []),
        word,
        word.replace(/^\w+:/, ''),
        ...attachedValues(word),
      ].map((script) => ({ script, at }));
    });
}

/**
 * Commands to which more words are added before they run: by the program that runs them, from options and variables
 * (`rsync -e x`, `GIT_SSH=x`), or by what is typed next. Excludes programs that start the words after the option, such as
 * `find -exec`.
 */
export function programsToContinue({ argv, envPrefix }: CommandPart): readonly string[] {
  const name = programName(argv[0]);
  const values = envPrefix.flatMap(({ name: variable, value }) =>
    value !== null && holdsCommand.test(variable) ? [value] : [],
  );
  const begun = typedTexts(argv).filter((text) => !text.endsWith('\n'));
  if (isRunner(name) || isCarrier(name) || startsWords.test(name)) return [...begun, ...values];
  const told = toldToRun(argv).filter(({ at }) => name !== 'git' || configuresProgram.test(argv[at] ?? ''));
  return [...told.map(({ script }) => script), ...begun, ...values].filter((script) =>
    /^[\w./]/.test(script),
  );
}

const startsWords = /^(?:g?find|bfs|fd|fdfind|cargo|npm|pnpm|yarn|bun)$/;

/** Programs that run nothing named by their words, and subcommands of git whose words are text, paths or names. */
const runNothing =
  /^(?:cp|mv|ln|mkdir|touch|rm|rmdir|cat|chmod|chown|curl|wget|[efz]?grep|rg|ag|ls|head|tail|wc|diff|zip|gzip|ping|dig)$/;
const gitRunsNothing =
  /^(?:add|am|blame|branch|checkout|cherry-pick|clean|clone|commit|describe|diff|fetch|format-patch|grep|init|log|merge|mv|notes|pull|push|range-diff|remote|reset|restore|rev-list|rev-parse|revert|rm|shortlog|show|stash|status|switch|tag|worktree)$/;

/** True if no operand of a call is run as a command. */
export function startsNothing({ argv }: CommandPart): boolean {
  const name = programName(argv[0]);
  return name === 'git' ? gitRunsNothing.test(argv[subcommandAt(argv)] ?? '') : runNothing.test(name);
}

/** A script that a rule about files is applied to like to a command. */
interface EmbeddedScript {
  readonly script: string;
  /** True if a shell certainly runs it; otherwise it may be no command at all. */
  readonly isCertain: boolean;
}

/**
 * Every word of a call, and every value of its variables, that may be run as a command and can name files, except those
 * that are only text.
 */
export function embeddedScripts(part: CommandPart): readonly EmbeddedScript[] {
  if (part.carrier) return [];
  const { argv } = part;
  const text = plainTexts(part);
  const found = scriptsIn({ argv, full: argv }).filter(({ at }) => !text.has(at));
  const mayStart = !startsNothing(part) && readOnlyUse(part) === undefined;
  const others = mayStart
    ? argv.flatMap((script, at) => (at > 0 && script !== null ? [{ script, at }] : []))
    : [];
  const isKnown = hasKnownPurpose(argv[0] ?? '');
  const scripts = new Map<string, boolean>();
  const add = (word: string, isCertain: boolean): void => {
    // In most texts, `*` alone is not a file pattern.
    const script = isCertain ? word : word.replace(/(?<!\S)\*+(?!\S)/g, ' ');
    if (namesMore.test(script)) scripts.set(script, isCertain || scripts.get(script) === true);
  };
  for (const { script, at } of found) {
    const isCertain = isRunByShell(argv, at);
    if (isCertain || !isOtherLanguage(argv, at)) add(script, isCertain);
  }
  for (const { script, at } of others)
    if (!text.has(at) && !(isKnown && isTextValue(argv, at)) && !isOtherLanguage(argv, at))
      add(script, false);
  for (const value of programsInVariables(part)) add(value, false);
  return [...scripts].map(([script, isCertain]) => ({ script, isCertain }));
}

/** A command with a word after its name, or one that the shell changes; others are checked as ordinary words. */
const namesMore = /[\s;&|<>()`$]/;

/** Programs that give a word to a shell. */
const givesToShell = /^(?:su|runuser|sg|watch|trap|script|flock|hyperfine|parallel|sem|at|batch|nix-shell)$/;

/** Settings of git whose value is a command: git-config(1). */
const configuresProgram =
  /^(?:alias\.|[^=]*(?:pager|editor|command|cmd|driver|textconv|helper|program|fsmonitor|askpass|clean|smudge|process)\b[^=]*=)/i;

/** Programs whose words are queries: `select * from t` names no files. */
const takesQueries = /^(?:psql|mysql|mariadb|sqlite3?|duckdb|clickhouse(?:-client)?|mongosh|redis-cli)$/;

/** True for code or a query, of a program that another one may start. */
const isOtherLanguage = (argv: Argv, at: number): boolean =>
  argv.slice(0, at).some((word) => {
    const name = programName(word);
    return takesCode(name) || takesQueries.test(name);
  });

/** True for the script of a shell on this machine. */
function isRunByShell(argv: Argv, at: number): boolean {
  const name = programName(argv[0]);
  if (isCarrier(name)) return false;
  if (/^(?:auto)?ssh$/.test(name))
    return argv.some((word) => /(?:^|@)(?:localhost|127\.|::1)/.test(word ?? ''));
  return (
    givesToShell.test(name) ||
    (name === 'git' && (argv[at - 1] !== '-c' || configuresProgram.test(argv[at] ?? ''))) ||
    (/^-\w*S|^--split/.test(argv[at - 1] ?? '') && name === 'env') ||
    (name === 'env' && /^-\w*S|^--split/.test(argv[at] ?? '')) ||
    (/^npx$/.test(name) && /^(?:-c|--call)$/.test(argv[at - 1] ?? '')) ||
    isOfShell(argv, at)
  );
}

/** `busybox sh -c x` */
const isOfShell = (argv: Argv, at: number): boolean =>
  /^-[A-Za-z]*c$|^--?[cC]ommands?$/.test(argv[at - 1] ?? '') &&
  argv.slice(0, at).some((word) => isShellName(programName(word)));

/** Wrappers that pass on every word unchanged. */
const handsOn =
  /^(?:sudo|doas|env|time|g?timeout|nice|ionice|chrt|taskset|nohup|setsid|stdbuf|command|exec|npx|bunx|pnpx|uvx|direnv|mise|dotenv|cross-env|caffeinate)$/;

/**
 * The indexes of words that are only text, including those of a command after a wrapper: `sudo git commit -m x`. There,
 * `echo` may be the value of an option: `sudo -u echo -s x`.
 */
export function plainTexts(part: CommandPart): ReadonlySet<number> {
  const { argv } = part;
  const found = new Set(textWords(part));
  if (handsOn.test(programName(argv[0])))
    for (const words of callsIn(part)
      .slice(0, MAX_CALLS)
      .filter(({ argv: [one] }) => !prints.test(programName(one))))
      for (const at of textWords({ ...part, ...words })) found.add(at + argv.length - words.argv.length);
  for (const at of argv.keys()) if (isTestName(argv, at)) found.add(at);
  return found;
}

const MAX_CALLS = 10;
const prints = /^(?:echo|printf)$/;

/** Variables that hold a command, in the environment of whatever runs later. */
const holdsCommand =
  /(?:PAGER|EDITOR|VISUAL|COMMAND|SHELL|CMD|BROWSER|OPEN|CLOSE|ASKPASS|EXEC|SSH|RSH|DIFF)$/;

/** Values of variables that a program may run: `PAGER='less x' git log`. */
export const programsInVariables = ({ argv, envPrefix }: CommandPart): readonly string[] =>
  envPrefix.flatMap(({ name, value }) =>
    value !== null && (argv.length > 0 ? !isPlainVariable(name) : holdsCommand.test(name)) ? [value] : [],
  );

// What a command types into another terminal, where a shell probably runs it: tmux(1), screen(1), xdotool(1), wtype(1), and
// the commands of zellij, kitty and WezTerm. Pure; errs on the side of too many.

/** By program: the word before the typed text, and one after which that text is not among the words. */
const typists: Readonly<Record<string, { readonly text: RegExp; readonly elsewhere?: RegExp }>> = {
  tmux: { text: /^send(?:-k[eys]*)?$/, elsewhere: /^(?:pasteb|paste-b\w*)$/ },
  screen: { text: /^stuff$/, elsewhere: /^(?:paste|process)$/ },
  zellij: { text: /^write-chars$/, elsewhere: /^(?:write|paste)$/ },
  kitty: { text: /^send-text$/, elsewhere: /^(?:send-key|--stdin|--from-file.*)$/ },
  kitten: { text: /^send-text$/, elsewhere: /^(?:send-key|--stdin|--from-file.*)$/ },
  wezterm: { text: /^send-text$/ },
  xdotool: { text: /^(?:type|key)$/, elsewhere: /^(?:--file|-)$/ },
  ydotool: { text: /^type$/, elsewhere: /^(?:key|--file.*|-)$/ },
  wtype: { text: /wtype$/, elsewhere: /^-$/ },
  xte: { text: /xte$/ },
};

/** Words before the text: options and their values. */
const MAX_OPTIONS = 8;

/** Stands for keys whose effect only the terminal knows: history, completion, editing of the line. */
const UNKNOWN = '$x';

/** Everything that may be the text which a call types, with lines as the shell reads them. */
function typedTexts(argv: Argv): readonly string[] {
  const typist = typists[programName(argv[0])];
  const at = typist === undefined ? -1 : argv.findIndex((word) => word !== null && typist.text.test(word));
  const isElsewhere = argv.slice(1).some((word) => word !== null && typist?.elsewhere?.test(word));
  const keys = at === -1 ? [] : argv.slice(at + 1);
  const texts = keys.slice(0, MAX_OPTIONS).map((_, from) => keys.slice(from).map(typedBy).join(''));
  return isElsewhere ? [...texts, UNKNOWN] : texts;
}

/** A word is typed as it is, unless it is the name of a key. */
function typedBy(word: string | null): string {
  if (word === null) return UNKNOWN;
  if (/^(?:space)$/i.test(word)) return ' ';
  if (/^(?:(?:kp_?)?enter|return|escape|c-[mjcdlu])$/i.test(word)) return '\n';
  if (isKey.test(word)) return UNKNOWN;
  return word
    .replace(/\^[MJCDLU]|\\(?:[nr]|0?1[25]|x0[ad])|\r/gi, '\n')
    .replace(/\^[@-_]|[\0-\x08\x0b-\x1f]/g, UNKNOWN);
}

const isKey =
  /^(?:(?:[CMS]|ctrl|alt|shift|super)[-+].+|up|down|left|right|tab|btab|bspace|backspace|dc|delete|ic|insert|home|end|[np]page|page_?(?:up|down)|f\d\d?)$/i;
