/**
 * Finds the commands that one command amounts to: those that its wrappers, containers and package managers run, and the
 * other names of the same program and subcommand. Pure; errs on the side of too many.
 */
import { programName } from '../../options/programTable.ts';
import { isCarrier, isRunner } from '../../options/runnerNames.ts';
import type { Words } from '../../shell/wrappers.ts';
import { isTestName } from '../words.ts';

/** Words of a call that are examined. */
export const MAX_WORDS = 40;

const commandRunners =
  /^(?:npm|pnpm|yarn|bun|uv|pipx|poetry|pipenv|hatch|pdm|bundle|nix|nix-shell|cargo|go|make|docker|podman|git|fd|fdfind)$/;
const startsCommand =
  /^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch|exec|x|dlx|run|foreach|--|--run|--command|-c)$/;

const carries =
  /^(?:exec|run|shell|ssh|enter|debug|console|exec-env|exec-file|submit|asuser|bsexec|-c|-e|--command|--)$/;

/** Maximum number of a wrapper's own words before its command. */
const MAX_OPERANDS = 8;

/** Every position at which another command may begin, including the first. */
export function callsIn(words: Words): Words[] {
  const from = (index: number): Words => ({ argv: words.argv.slice(index), raw: words.raw.slice(index) });
  const name = programName(words.argv[0]);
  const starts = new Set([0]);
  // `python -m pip` is pip, and so is that of uv.
  for (const [index, word] of words.argv.entries())
    if (
      (/^(?:python|pypy)[\d.]*$|^py$/.test(name) && words.argv[index - 1] === '-m') ||
      (name === 'uv' && word === 'pip')
    )
      starts.add(index);
  const carriedFrom = isCarrier(name) ? words.argv.findIndex((word) => carries.test(word ?? '')) : -1;
  if (name === 'find' || commandRunners.test(name))
    for (const [index, word] of words.argv.entries()) {
      const before = words.argv[index - 1] ?? '';
      // `yarn x` also runs an installed program.
      if (index === 1 && /^(?:pnpm|yarn|bun)$/.test(name)) starts.add(index);
      // `npm run x` runs a script of that name.
      const isScript = before === 'run' && /^(?:npm|pnpm|yarn|bun)$/.test(name);
      // `git submodule foreach --recursive git push`
      const operand = words.argv.slice(0, index).findLast((one) => one?.startsWith('-') !== true);
      if (name === 'git' && operand === 'foreach') starts.add(index);
      if (index > 0 && startsCommand.test(before) && !isScript) starts.add(index);
      // Without quotes it may expand to any number of words, including `-exec`.
      if (name === 'find' && word === null && !(words.raw[index] ?? '').startsWith('"')) starts.add(index);
    }
  if (isRunner(name) || carriedFrom > 0) {
    let operands = 0;
    for (const [index, word] of words.argv.entries()) {
      if (index <= Math.max(0, carriedFrom)) continue;
      // A wrapper's own words come before its command: `timeout 5 rm`, `su user rm`.
      // Which container it is may well be unknown: `kubectl exec $pod ls`.
      const mayStart = word !== null || carriedFrom < 0 || words.argv[index - 1] === '--';
      if (operands < MAX_OPERANDS && mayStart && !isTestName(words.argv, index)) starts.add(index);
      if (word === null || !/^-|=/.test(word)) operands += 1;
    }
  }
  return [...starts].map(from);
}

/** The call unchanged, without its program's folder, and without options before its subcommand. */
export function formsOf(words: Words): Words[] {
  const [first] = words.argv;
  if (first == null) return [words];
  // In zsh, `=rm` is the path of rm.
  const named = { ...words, argv: [programName(first.replace(/^=/, '')), ...words.argv.slice(1)] };
  const forms = [words, named, ...otherPrograms(named)];
  for (let at = 1; at < words.argv.length && at < MAX_WORDS; at += 1) {
    const before = words.argv[at - 1];
    const isOption = at > 1 && before != null && /^[-+]/.test(before);
    const isValue = at > 2 && /^-[^=]*$/.test(words.argv[at - 2] ?? '');
    if (at > 1 && !isOption && !isValue) break;
    if (at > 1)
      forms.push({
        argv: [named.argv[0] ?? null, ...words.argv.slice(at)],
        raw: [words.raw[0] ?? '', ...words.raw.slice(at)],
      });
  }
  return forms.flatMap((form) => [form, ...otherNames(form)]);
}

/** `pip3.12` is `pip3` and `pip`, `nodejs` is `node`, and `git-push` is `git push`. */
function otherPrograms({ argv: [name, ...args], raw: [, ...rest] }: Words): Words[] {
  const [, base, major = ''] = /^([a-z][a-z+-]*)(\d+)?(?:\.\d+)*$/.exec(name ?? '') ?? [];
  const known = name === 'nodejs' ? ['node'] : base === undefined ? [] : [base, base + major];
  const called = (program: string, more: readonly string[] = []): Words => ({
    argv: [program, ...more, ...args],
    raw: [program, ...more, ...rest],
  });
  const subcommand = /^git-([a-z][a-z-]*)$/.exec(name ?? '')?.[1];
  if (name === 'docker-compose') return [called('docker', ['compose'])];
  if (name === 'docker' && args[0] === 'compose')
    return [{ argv: ['docker-compose', ...args.slice(1)], raw: ['docker-compose', ...rest.slice(1)] }];
  // `hub` passes git's subcommands on to git: hub(1).
  if (name === 'hub') return [called('git')];
  return [
    ...known.filter((one) => one !== name).map((one) => called(one)),
    ...(subcommand === undefined ? [] : [called('git', [subcommand])]),
  ];
}

/** Other names of package managers' subcommands; npm also accepts every prefix of a name. */
const synonyms: Readonly<Record<string, readonly (readonly string[])[]>> = {
  npm: [
    ['install', 'i', 'in', 'ins', 'inst', 'insta', 'instal', 'isnt', 'isnta', 'isntal', 'isntall', 'add'],
    ['install', 'it', 'install-test'],
    ['ci', 'clean-install', 'ic', 'install-clean', 'isntall-clean'],
    ['uninstall', 'unlink', 'remove', 'rm', 'r', 'un'],
    ['test', 'tst', 't'],
    ['run', 'run-script', 'rum', 'urn'],
    ['exec', 'x'],
    ['update', 'up', 'upgrade', 'udpate'],
    ['config', 'c'],
    ['login', 'adduser', 'add-user'],
    ['init', 'create', 'innit'],
    ['link', 'ln'],
    ['version', 'verison'],
    ['view', 'info', 'show', 'v'],
    ['list', 'ls', 'la', 'll'],
    ['dist-tag', 'dist-tags'],
    ['owner', 'author'],
    ['rebuild', 'rb'],
  ],
  pnpm: [
    ['install', 'i'],
    ['remove', 'rm', 'uninstall', 'un'],
    ['update', 'up', 'upgrade'],
    ['run', 'run-script'],
    ['test', 't', 'tst'],
    ['list', 'ls'],
  ],
  yarn: [['run', 'run-script']],
  bun: [
    ['install', 'i'],
    ['remove', 'rm'],
    ['add', 'a'],
  ],
  cargo: [
    ['build', 'b'],
    ['check', 'c'],
    ['doc', 'd'],
    ['run', 'r'],
    ['test', 't'],
    ['remove', 'rm'],
  ],
  git: [['add', 'stage']],
  docker: [
    ['rm', 'container rm'],
    ['rmi', 'image rm'],
    ['run', 'container run'],
    ['exec', 'container exec'],
    ['push', 'image push'],
    ['build', 'image build', 'buildx build', 'builder build'],
  ],
};

function otherNames(form: Words): Words[] {
  const [program, word, ...rest] = form.argv;
  const groups = synonyms[program ?? ''] ?? [];
  if (word == null) return [];
  // A script called by its name alone.
  if (/^(?:pnpm|yarn|bun)$/.test(program ?? '') && /^run(?:-script)?$/.test(word) && rest.length > 0)
    return [{ argv: [program ?? null, ...rest], raw: [form.raw[0] ?? '', ...form.raw.slice(2)] }];
  const found = groups.flatMap((group) => {
    const long = group.find((name) => name.includes(' ') && name === `${word} ${rest[0] ?? ''}`);
    if (long === undefined && !group.includes(word)) return [];
    return group
      .filter((name) => name !== word && !name.includes(' '))
      .map((name): Words => {
        const kept = long === undefined ? 2 : 3;
        return {
          argv: [program ?? null, name, ...form.argv.slice(kept)],
          raw: [form.raw[0] ?? '', name, ...form.raw.slice(kept)],
        };
      });
  });
  return found;
}
