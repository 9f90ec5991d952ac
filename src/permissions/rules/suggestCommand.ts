/** What "always" would save for a command: the narrowest rules that settle it again. */
import { relative } from 'node:path';
import type { RuleSuggestion } from '../../protocol/permissions.ts';
import type { PartVerdict } from '../command/partDecision.ts';
import { contains } from '../files/filePattern.ts';
import { runsItsInput, toolAt } from '../options/riskyOptions.ts';
import type { Policy } from '../policy.ts';
import { ADDED } from '../shell/wrappers.ts';
import { coverage, source } from './commandRule.ts';
import { beyondRule, harmfulWords, isHome, type ScopeInput, staysInside } from './ruleScope.ts';
import { readRule, saveLocally } from './suggestFiles.ts';

const maxRules = 5;
/** Of all rules together: the question shows them whole. */
const maxCharacters = 200;

/**
 * What "always" would save for a command: one rule for each part that is not allowed yet. Nothing where a
 * rule would not settle it, where it would reach outside the workspace, or where one command would need too many.
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
 * Programs and the subcommands that say what they do, so that the rest may vary: files of the workspace, and options that
 * neither run nor write. What is installed or run by name is left out.
 */
const families: Readonly<Record<string, RegExp>> = {
  npm: /^(?:test|t|ls|list|outdated|audit|view)$/,
  pnpm: /^(?:test|build|lint|list|outdated)$/,
  yarn: /^(?:test|build|lint|list|outdated)$/,
  bun: /^test$/,
  git: /^(?:add|commit|checkout|switch|restore|merge|stash|tag|branch|cherry-pick|mv|fetch|log|show|diff|blame)$/,
  cargo: /^(?:build|check|test|clippy|fmt|bench|doc)$/,
  go: /^(?:build|test|vet|fmt|list)$/,
  dotnet: /^(?:build|test|restore|format)$/,
  pip: /^(?:list|show|freeze)$/,
  pip3: /^(?:list|show|freeze)$/,
  // `kubectl get` and `docker inspect` show secrets as well.
  docker: /^(?:ps|images|logs)$/,
  kubectl: /^logs$/,
};

/** Tools of the table that do one thing, whatever files they are given; started by themselves or by a runner. */
const tools =
  /^(?:mkdir|touch|tsc|eslint|prettier|biome|vitest|jest|mocha|pytest|mypy|ruff|black|flake8|pylint|gofmt|rustfmt|shellcheck)$/;

const scriptRunners = /^(?:npm|pnpm|yarn|bun)$/;

/** A prefix where the call says no more than that, else the exact command; with its folder where that is not the root. */
export function ruleFor(input: ScopeInput): string | undefined {
  const { part, directories } = input.visit;
  const [directory, ...others] = directories ?? [];
  if (directory === undefined || others.length > 0 || !staysPut(input)) return undefined;
  // The rule would be for whatever such a program is given to run, and for all that xargs reads.
  if (runsItsInput(part.argv) || part.raw.at(-1) === ADDED) return undefined;
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
    .find((rule) => settles(rule, input));
}

/** A rule for the exact command may set variables, which the text shows. */
function staysPut(input: ScopeInput): boolean {
  const { part } = input.visit;
  return staysInside({ ...input, visit: { ...input.visit, part: { ...part, envPrefix: [] } } });
}

/** Whether the rule, once saved, answers the very same call. */
function settles(text: string, input: ScopeInput): boolean {
  const { root } = input.policy;
  const rule = { text, behavior: 'allow', source: 'suggestion', base: root } as const;
  const covers = coverage(rule, input.visit.part);
  return covers !== undefined && beyondRule(rule, covers, input) === undefined;
}

/** What stands before the command in the rule: nothing at home, `cd folder && ` elsewhere in the project. */
function folderOf(directory: string, policy: Policy): string | undefined {
  const place = policy.realpath(directory);
  const { startDirectory: _, ...homes } = policy;
  if (isHome(place, homes)) return '';
  const root = policy.realpath(policy.root);
  const way = relative(root, place);
  if (!contains(root, place)) return undefined;
  return /^[\w@+.][\w@+./-]*$/.test(way) ? `cd ${way} && ` : undefined;
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
  // A script by itself is the exact command; with words behind it, those may vary.
  if (scriptRunners.test(name) && first === 'run')
    return second != null && /^[\w.][\w:.-]*$/.test(second) && rest.length > 0
      ? `${name} run ${second}`
      : undefined;
  if (!Object.hasOwn(families, name) || !families[name]?.test(first)) return undefined;
  return scriptRunners.test(name) && second === undefined ? undefined : `${name} ${first}`;
}
