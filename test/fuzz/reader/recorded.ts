/**
 * Compares the words and folders of commands, as the reader sees them, with what the shells make of them. Every program
 * is a function that writes down its words and its folder, so nothing is started and a run takes about a millisecond.
 */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { realpath } from '../../../src/disk/paths.ts';
import { locate } from '../../../src/permissions/files/locate.ts';
import type { Policy } from '../../../src/permissions/policy.ts';
import { commands } from '../../../src/permissions/readOnly/commands.ts';
import { searchOptions } from '../../../src/permissions/readOnly/search.ts';
import type { Argument } from '../../../src/permissions/shell/argument.ts';
import { isHarmlessAssignment, isPlainVariable } from '../../../src/permissions/shell/assignments.ts';
import type { CommandPart } from '../../../src/permissions/shell/parsedCommand.ts';
import { OUTPUT_OF_COMMAND } from '../../../src/permissions/shell/word.ts';
import { track, type Visit } from '../../../src/permissions/shell/workingDirectory.ts';
import { unwrapRun } from '../../../src/permissions/shell/wrappers.ts';
import { quoteWord } from '../../../src/protocol/text/quoteWord.ts';
import type { Surprise } from './agreement.ts';
import { type Arena, MARK } from './arena.ts';
import type { Job } from './confine.ts';

/** One call of a program. */
interface Call {
  readonly words: readonly string[];
  readonly folder: string;
}

const [JOB, CALL, WORD, NEWLINE] = ['\u0005', '\u0004', '\u0003', '\u0006'];
/** Programs with separate functions. In bash and zsh every other one has the same effect, but takes longer. */
const programs: readonly string[] = [
  ...new Set([
    ...Object.keys(commands).filter((name) => name !== 'exit'),
    ...Object.keys(searchOptions),
    ...'git sed awk gawk mawk jq find xargs tar unzip zipinfo ps touch rm cp mv mkdir tee python3 node'.split(
      ' ',
    ),
    ...'egrep fgrep env timeout nice nohup stdbuf bash sh zsh dash printenv test [ echo printf true'.split(
      ' ',
    ),
  ]),
];

/** Programs that print one word: the reader relies on it. */
const ONE_WORD = 'pwd|whoami|hostname|nproc|date|uname|arch|id';

/** A batch that takes longer than this is stopped. */
const PATIENCE_MS = 30_000;

/** Commands whose calls differ from what the reader says, in each shell; a command is run again before it is reported. */
export async function compareWords(
  jobs: readonly Job[],
  policy: Policy,
  arena: Arena,
  shells: readonly string[],
): Promise<{ readonly runs: number; readonly surprises: readonly Surprise[] }> {
  const surprises: Surprise[] = [];
  let runs = 0;
  for (const shell of shells) {
    const all = await record(shell, jobs, arena);
    for (const [at, job] of jobs.entries()) {
      const calls = all[at];
      if (calls === undefined) continue;
      runs += 1;
      if (unexpected(job, calls, policy) === undefined) continue;
      // A background command may be recorded under the next command.
      const [alone = []] = await record(shell, [job], arena);
      const what = unexpected(job, alone, policy);
      if (what !== undefined) surprises.push({ shell, ...job, what: `called: ${JSON.stringify(what)}` });
    }
  }
  return { runs, surprises };
}

/** The first call that the reader does not expect. */
function unexpected({ command, folder }: Job, calls: readonly Call[], policy: Policy): Call | undefined {
  const parsed = policy.parseCommand(command);
  if (!parsed.ok || !parsed.parts.every(isSteady)) return undefined;
  const visits = track(parsed.parts, resolve(policy.root, folder), policy);
  // zsh writes a redirection without a command to the screen through a program.
  const isNull = ({ words }: Call): boolean => /^(?:cat|more)$/.test(words.join(' ')) && /[<>]/.test(command);
  return calls.find((call) => !isNull(call) && !visits.some((visit) => accounts(visit, call, policy)));
}

function accounts({ part, directories }: Visit, { words, folder }: Call, policy: Policy): boolean {
  // What a process has open differs from one to the next; reading it asks.
  if (directories?.some((one) => /^\/(?:proc|dev)\//.test(one))) return true;
  const isThere = directories === null || directories.some((one) => realpath(one) === realpath(folder));
  if (!isThere) return false;
  if (part.runs === null) return isNamed(part, words);
  const bare = unwrapRun(words.map((text) => ({ type: 'text', text })))?.map((one) =>
    one.type === 'text' ? one.text : '',
  );
  // The reader takes `xargs` with a pattern as the program, whatever starts it.
  const startOfXargs = words.indexOf('xargs');
  return [words, bare ?? words, words.slice(Math.max(startOfXargs, 0))].some((given) =>
    part.runs?.some(
      (run) =>
        run.some((argument) => maySplit(argument, folder, policy)) ||
        fits(run, given, (word, pattern) => isMatch(word, pattern, folder, policy)),
    ),
  );
}

/** Files without quotes whose names the shell may split or expand again: such a command asks. */
function maySplit(argument: Argument, folder: string, policy: Policy): boolean {
  if (argument.type !== 'files' || !argument.bare) return false;
  const found = policy.expandGlob(locate(argument.pattern, folder, policy));
  return found === undefined || found.some((path) => !/^[\w@%+=:,./{}-]+$/.test(path));
}

/**
 * A part after which the reader promises nothing about others: it may set a variable with a meaning, or change what
 * words mean. Such a command asks.
 */
const isSteady = (part: CommandPart): boolean =>
  !/^(?:-|time|exec|command|builtin|nocorrect|noglob|repeat|export|declare|typeset|local|readonly)$/.test(
    part.full[0] ?? '',
  ) && part.envPrefix.every((one) => isPlainVariable(one.name) || isHarmlessAssignment(one));

/** The reader promises nothing about the words of such a part. */
const isNamed = ({ argv, full }: CommandPart, [name]: readonly string[]): boolean =>
  argv[0] === name || full[0] === name;

/** Whether the words are one of the possible lists. */
function fits(
  run: readonly Argument[],
  words: readonly string[],
  isMatching: (word: string, pattern: string) => boolean,
): boolean {
  const [first, ...rest] = run;
  if (first === undefined) return words.length === 0;
  const [word, ...others] = words;
  if (first.type === 'text')
    return word !== undefined && isText(word, first.text) && fits(rest, others, isMatching);
  // A harmless variable without quotes, if it is not set, is no word.
  const isMany = first.type === 'files' ? !first.single : first.loose || ('ofUser' in first && first.ofUser);
  const takes = (one: string): boolean => first.type !== 'files' || isMatching(one, first.pattern);
  if (!isMany) return word !== undefined && takes(word) && fits(rest, others, isMatching);
  for (let count = first.type === 'files' ? 1 : 0; count <= words.length; count += 1) {
    if (!words.slice(0, count).every(takes)) return false;
    if (fits(rest, words.slice(count), isMatching)) return true;
  }
  return false;
}

/** The reader writes `~` for the home folder, and `./~` for the character; a path for the output of a command. */
const isText = (word: string, text: string): boolean =>
  word === text ||
  (/^~(?:\/|$)/.test(text) && word.endsWith(`/home${text.slice(1)}`)) ||
  text === `./${word}` ||
  withoutNumbers(word) === withoutNumbers(text);

/** What follows the number may be a digit, too. */
const withoutNumbers = (word: string): string =>
  word
    .replace(/\/(?:dev|proc\/self)\/fd\/\d+/g, OUTPUT_OF_COMMAND)
    .replace(new RegExp(`${OUTPUT_OF_COMMAND}\\d+`, 'g'), OUTPUT_OF_COMMAND);

function isMatch(word: string, pattern: string, folder: string, policy: Policy): boolean {
  // Behind a link this leads anywhere: such a command asks.
  if (/[*?[].*\/\.\.(?:\/|$)/.test(pattern)) return true;
  if (isText(word, pattern.replace(/\\(.)/gs, '$1'))) return true;
  const found = policy.expandGlob(locate(pattern, folder, policy));
  const path = resolve(folder, word);
  return found === undefined || found.some((one) => resolve(one) === path);
}

/** The calls of each command; undefined if it was not reached. */
function record(
  shell: string,
  jobs: readonly Job[],
  { root, home, top }: Arena,
): Promise<readonly (readonly Call[] | undefined)[]> {
  const binds = [
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--tmpfs',
    '/tmp',
    '--ro-bind',
    top,
    top,
  ];
  const start = [
    '--unshare-all',
    '--die-with-parent',
    '--chdir',
    root,
    shell,
    ...(shell === 'zsh' ? ['-f'] : []),
    '-s',
  ];
  const env = { PATH: process.env.PATH, HOME: home, TOKEN: MARK, GITHUB_TOKEN: MARK, LANG: 'C.UTF-8' };
  const script = jobs
    .map(
      ({ command, folder }, at) =>
        `${print(shell)} '${JOB}${at};' >&9\n(_s=${at % 2}; cd ${quoteWord(folder)}; eval ${quoteWord(command)}\nwait) </dev/null >/dev/null 2>&1\n`,
    )
    .join('');
  return new Promise((done) => {
    const child = spawn('bwrap', [...binds, ...start], {
      env,
      stdio: ['pipe', 'ignore', 'ignore', ...none(6), 'pipe'],
    });
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    const written = (child.stdio as readonly unknown[])[9];
    if (written instanceof Readable) written.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('close', () => {
      clearTimeout(timer);
      done(readCalls(Buffer.concat(chunks).toString('utf8'), jobs.length));
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(`${prelude(shell)}\n${script}${print(shell)} '${JOB}end' >&9\n`);
  });
}

const none = (count: number): 'ignore'[] => Array.from({ length: count }, () => 'ignore');

const print = (shell: string): string => `${shell === 'dash' ? 'command' : 'builtin'} printf %s`;

/**
 * Each program writes down its words, prints one or two, or numbers if it is `seq`, and succeeds or fails; a loop ends after
 * a hundred calls.
 */
function prelude(shell: string): string {
  // dash has no other way to reach its own `printf`.
  const names = programs.filter((name) => shell !== 'dash' || (/^\w+$/.test(name) && name !== 'printf'));
  // bash writes each line separately, so a word of two lines would mix with the output of another program in a
  // pipeline.
  const line = shell === 'dash' ? '' : `//$'\\n'/${NEWLINE}`;
  const write = `${print(shell).replace('%s', `'%s${WORD}'`)} "\${@${line}}" "\${PWD${line}}${CALL}" >&9`;
  const record = `_r() { ${write}; _c=$((_c+1)); case $_c in ???) exit 9;; esac; case $1 in seq) _seq "$@";; ${ONE_WORD}) ${print(shell)} a.txt;; *) ${print(shell)} 'a.txt -o';; esac; return $_s; }`;
  // The reader knows what it prints.
  const numbers = `_seq() { _a="\${#}"; case $_a$2$3 in 1*|*[!0-9]*|????????*) ${print(shell)} 'a.txt -o'; return;; 2*) _i=1; _n=$2;; *) _i=$2; _n=$3;; esac; while :; do case $((_i>_n)) in 1) break;; esac; ${print(shell)} "$_i "; _i=$((_i+1)); done; }`;
  const others = ['command_not_found_handle', 'command_not_found_handler'].map(
    (name) => `${name}() { _r "$@"; }`,
  );
  return [
    'PATH=/nowhere',
    '_c=0',
    numbers,
    record,
    ...others,
    ...names.map((name) => `${name}() { _r ${quoteWord(name)} "$@"; }`),
  ].join('\n');
}

function readCalls(text: string, count: number): readonly (readonly Call[] | undefined)[] {
  const all: (readonly Call[] | undefined)[] = Array.from({ length: count }, () => undefined);
  const pieces = text.split(JOB).slice(1);
  // The last piece may be cut.
  for (const piece of pieces.slice(0, -1)) {
    const at = Number.parseInt(piece, 10);
    all[at] = piece
      .slice(`${at};`.length)
      .split(`${CALL}${WORD}`)
      .slice(0, -1)
      .map((call) => {
        const words = call.replaceAll(NEWLINE, '\n').split(WORD);
        return { words: words.slice(0, -1), folder: words.at(-1) ?? '' };
      });
  }
  return all;
}
