/**
 * Which models a call of the Agent tool may name. Behind a gateway the name decides who reads the conversation, so the
 * model chooses only among models that the user has chosen or approved. Pure.
 */
import { modelOf } from '../../extensions/frontMatter.ts';
import { visibleLine } from '../../protocol/text/visible.ts';

const MAX_SHOWN = 200;
/** Names in the message. */
const MAX_NAMES = 30;

/** Why a call may not name this model, for the model; undefined if it may. `allowed`: the session's model first. */
export function modelProblem(wanted: string, allowed: readonly string[]): string | undefined {
  // `inherit` and models of another provider mean the default.
  const model = modelOf(wanted);
  if (model === undefined || allowed.includes(model)) return undefined;
  const names = [...new Set(allowed)].slice(0, MAX_NAMES).map((name) => visibleLine(name, MAX_SHOWN));
  return `A subagent may not use the model "${visibleLine(model, MAX_SHOWN)}". Leave model out, or name one of: ${names.join(', ')}. The user can add models to "models" in their config.json.`;
}
