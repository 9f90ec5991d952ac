/** Suggests what "always" saves for a command: the narrowest rules that allow it again. */
import { relative } from 'node:path';
import type { RuleSuggestion } from '../../protocol/permissions.ts';
import type { PartVerdict } from '../command/partDecision.ts';
import { contains } from '../files/filePattern.ts';
import { toolAt } from '../options/riskyOptions.ts';
import { runsItsInput } from '../options/standardInput.ts';
import type { Policy } from '../policy.ts';
import { ADDED } from '../shell/wrappers.ts';
import { coverage, source } from './commandRule.ts';
import { harmfulWords, isHome, outOfScope, type ScopeInput, staysInside } from './ruleScope.ts';
import { maxRules, readRule, saveLocally } from './suggestRules.ts';

/** Maximum for all rules together, since the prompt shows them in full. */
const maxCharacters = 200;

/**
 * Suggests one rule for each part that is not allowed yet. Suggests nothing if a rule would not suffice, would reach
 * outside the workspace, or if one command would need too many.
 */
export function suggestForCommand(
  verdicts: readonly PartVerdict[],
  policy: Policy,
): RuleSuggestion | undefined {
  const asks = verdicts.filter(({ behavior }) => behavior === 'ask');
  if (asks.length > 0 && asks.every(({ outside }) => outside !== undefined)) {
    const rules = unique(asks.map(({ outside }) => readRule('Bash', outside ?? '/', policy)));
    if (rules === undefined) return undefined;
    return {
      rules,
      destination: 'session',
      label: `Yes, and allow ${rules.join(', ')} for this session`,
      detail: 'nothing is saved',
    };
  }
  const rules = unique(asks.map(({ unruled }) => unruled && ruleFor(unruled)));
  return rules === undefined ? undefined : saveLocally(rules, policy);
}

function unique(rules: readonly (string | undefined)[]): readonly string[] | undefined {
  const known = [...new Set(rules)].filter((rule) => rule !== undefined);
  const complete = known.length > 0 && rules.every((rule) => rule !== undefined);
  const fits = known.length <= maxRules && known.join(', ').length <= maxCharacters;
  return complete && fits ? known : undefined;
}

/**
 * Programs and subcommands with a clear purpose, so that the remaining words may vary: files of the workspace, and
 * options that neither run nor write anything. Excludes subcommands that install or run something by name.
 */
const families: Readonly<Record<string, RegExp>> = {
  npm: /^(?:test|t|ls|list|outdated|audit|view)$/,
  pnpm: /^(?:test|build|lint|list|outdated)$/,
  yarn: /^(?:test|build|lint|list|outdated)$/,
  bun: /^test$/,
  git: /^(?:add|commit|merge|cherry-pick|mv|fetch|log|show|diff|blame)$/,
  cargo: /^(?:build|check|test|clippy|fmt|bench|doc)$/,
  go: /^(?:build|test|vet|fmt|list)$/,
  dotnet: /^(?:build|test|restore|format)$/,
  pip: /^(?:list|show|freeze)$/,
  pip3: /^(?:list|show|freeze)$/,
  // `kubectl get` and `docker inspect` may show secrets.
  docker: /^(?:ps|images|logs)$/,
  kubectl: /^logs$/,
};

/** The same for subcommands that in other forms discard changes, branches or stashes: `git checkout -f`, `git stash clear`. */
const harmlessForms = /^git (?:checkout -b|switch -c|stash (?:push|save|pop|apply|list|show))$/;

/** Tools in the table that do the same with any files, whether started directly or by a runner. */
const tools =
  /^(?:mkdir|touch|tsc|eslint|prettier|biome|vitest|jest|mocha|pytest|mypy|ruff|black|flake8|pylint|gofmt|rustfmt|shellcheck)$/;

const scriptRunners = /^(?:npm|pnpm|yarn|bun)$/;

/** A prefix rule if the rest may vary, otherwise the exact command; with its folder if that is not the root. */
function ruleFor(input: ScopeInput): string | undefined {
  const { part, directories } = input.visit;
  const [directory, ...others] = directories ?? [];
  if (directory === undefined || others.length > 0 || !staysPut(input)) return undefined;
  // The rule would cover anything that such a program is given to run, or that xargs reads.
  const readsInput = harmfulWords(input.visit, input.policy).some(({ unless }) => unless?.path === '-');
  if (readsInput || runsItsInput(part.argv) || part.raw.at(-1) === ADDED) return undefined;
  const folder = folderOf(directory, input.policy);
  if (folder === undefined) return undefined;
  const prefix = part.envPrefix.length === 0 ? prefixOf(part.argv) : undefined;
  const isOpenable =
    prefix !== undefined &&
    harmfulWords(input.visit, input.policy).every(({ at }) => at < prefix.split(' ').length);
  const isUnwrapped = part.envPrefix.length === 0;
  const text = (isUnwrapped && part.argv.length < part.full.length ? source(part) : part.text).trim();
  const isSavable = !/[*\n]/.test(text) && !text.endsWith(':');
  const candidates = [isOpenable ? `${prefix}:*` : undefined, isSavable ? text : undefined];
  return candidates
    .filter((candidate) => candidate !== undefined)
    .map((candidate) => `Bash(${folder}${candidate})`)
    .find((rule) => allowsCall(rule, input));
}

/** A rule for the exact command may set variables, since its text shows them. */
function staysPut(input: ScopeInput): boolean {
  const { part } = input.visit;
  return staysInside({ ...input, visit: { ...input.visit, part: { ...part, envPrefix: [] } } });
}

/** True if the rule, once saved, would allow the very same call. */
function allowsCall(text: string, input: ScopeInput): boolean {
  const { root } = input.policy;
  const rule = { text, behavior: 'allow', source: 'suggestion', base: root } as const;
  const covers = coverage(rule, input.visit.part);
  return covers !== undefined && outOfScope(rule, covers, input) === undefined;
}

/** The prefix of the command in the rule: empty in the root, `cd folder && ` elsewhere in the project. */
function folderOf(directory: string, policy: Policy): string | undefined {
  const place = policy.realpath(directory);
  const { startDirectory: _, ...homes } = policy;
  if (isHome(place, homes)) return '';
  const root = policy.realpath(policy.root);
  const relativePath = relative(root, place);
  if (!contains(root, place)) return undefined;
  return /^[\w@+.][\w@+./-]*$/.test(relativePath) ? `cd ${relativePath} && ` : undefined;
}

function prefixOf(argv: readonly (string | null)[]): string | undefined {
  const [name, first, second, ...rest] = argv;
  if (name == null) return undefined;
  if (tools.test(name)) return name;
  if (first == null) return undefined;
  const tool = argv[toolAt(argv)];
  if (toolAt(argv) > 0)
    return tool != null && tools.test(tool) && !argv.slice(0, toolAt(argv)).includes(null)
      ? argv.slice(0, toolAt(argv) + 1).join(' ')
      : undefined;
  // A script without arguments gets a rule for the exact command; with arguments, these may vary.
  if (scriptRunners.test(name) && first === 'run')
    return second != null && /^[\w.][\w:.-]*$/.test(second) && rest.length > 0
      ? `${name} run ${second}`
      : undefined;
  const form = `${name} ${first} ${second}`;
  if (harmlessForms.test(form)) return form;
  if (!Object.hasOwn(families, name) || !families[name]?.test(first)) return undefined;
  return scriptRunners.test(name) && second === undefined ? undefined : `${name} ${first}`;
}
