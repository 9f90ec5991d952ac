import type { RuleSuggestion } from '../protocol/permissions.ts';
import type { CommandPart } from './parsedCommand.ts';
import type { PartVerdict } from './partDecision.ts';
import type { Policy } from './policy.ts';
import { readRule } from './suggestFiles.ts';
import { saveLocally } from './suggestTool.ts';

const maxRules = 5;
/** Of all rules together: the question shows them whole. */
const maxCharacters = 200;

/**
 * What "always" would save for a command: one rule for each part that is not allowed yet. Nothing where a
 * rule would not settle it, or where one command would need too many.
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
    };
  }
  const rules = unique(asks.map(({ unruled }) => (unruled ? ruleFor(unruled) : undefined)));
  return rules === undefined ? undefined : saveLocally(rules, policy);
}

function unique(rules: readonly (string | undefined)[]): readonly string[] | undefined {
  const known = [...new Set(rules)].filter((rule) => rule !== undefined);
  const complete = known.length > 0 && rules.every((rule) => rule !== undefined);
  const fits = known.length <= maxRules && known.join(', ').length <= maxCharacters;
  return complete && fits ? known : undefined;
}

/** Programs whose first word says what they do, so that the rest may vary. */
const families: Readonly<Record<string, RegExp>> = {
  npm: /^(?:test|t|install|i|ci|ls|list|outdated|audit|view|pack)$/,
  pnpm: /^(?:test|install|i|add|build|lint|dev|outdated|list)$/,
  yarn: /^(?:test|install|add|build|lint|dev|outdated|list)$/,
  bun: /^(?:test|install|add)$/,
  git: /^(?:add|commit|checkout|switch|restore|merge|stash|tag|branch|cherry-pick|mv)$/,
  cargo: /^(?:build|check|test|clippy|fmt|bench|doc)$/,
  go: /^(?:build|test|vet|fmt|mod|list)$/,
  dotnet: /^(?:build|test|restore|format)$/,
  pip: /^(?:install|list|show|freeze)$/,
  pip3: /^(?:install|list|show|freeze)$/,
  uv: /^(?:sync|lock|add|pip)$/,
  poetry: /^(?:install|add|lock|show)$/,
  docker: /^(?:ps|images|logs|inspect)$/,
  kubectl: /^(?:get|describe|logs)$/,
  npx: /^(?:vitest|jest|eslint|prettier|biome|tsc|mocha|playwright)$/,
};
const scripts = /^(?:npm|pnpm|yarn|bun)$/;
/** Programs that do one thing, whatever they are given. */
const single =
  /^(?:mkdir|touch|tsc|eslint|prettier|biome|vitest|jest|mocha|pytest|mypy|ruff|black|flake8|pylint|gofmt|rustfmt|shellcheck|rspec|rubocop|phpunit|ls|cat|head|tail|wc|grep|tree|du|stat)$/;

/** A prefix where the prefix is no more than was seen, else the exact command. */
function ruleFor(part: CommandPart): string | undefined {
  const prefix = part.envPrefix.length === 0 ? prefixOf(part.argv) : undefined;
  if (prefix !== undefined) return `Bash(${prefix}:*)`;
  const text = part.text.trim();
  const savable = !/[*\n]/.test(text) && !text.endsWith(':');
  return savable ? `Bash(${text})` : undefined;
}

function prefixOf([name, first, second]: readonly (string | null)[]): string | undefined {
  if (name == null) return undefined;
  if (single.test(name)) return name;
  if (first == null) return undefined;
  if (
    scripts.test(name) &&
    first === 'run' &&
    second != null &&
    /^[\w:.-]+$/.test(second) &&
    !second.startsWith('-')
  )
    return `${name} run ${second}`;
  return Object.hasOwn(families, name) && families[name]?.test(first) ? `${name} ${first}` : undefined;
}
