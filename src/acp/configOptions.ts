/** What a client can choose for a session: the permission mode, the model and its effort. Pure. */
import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import type { AgentState } from '../agent/types.ts';
import { effortLevels } from '../protocol/models/wires.ts';
import { modeLabels, type PermissionMode } from '../protocol/permissions.ts';
import { titleLine } from './text.ts';

export const optionIds = { mode: 'mode', model: 'model', effort: 'effort' } as const;

/** The effort value for the model's default. */
export const DEFAULT_EFFORT = 'default';

/** More than any list in an editor can usefully show. */
const MAX_MODELS = 500;

type ChoiceState = Pick<AgentState, 'mode' | 'modes' | 'model'>;

const descriptions: Readonly<Record<PermissionMode, string>> = {
  default: 'Edits and commands are shown to you first.',
  acceptEdits: 'Edits inside the project run without approval; commands are shown to you first.',
  plan: 'Changes nothing, and presents a plan.',
  auto: 'A model judges what would need your approval.',
  dontAsk: 'Calls that no rule allows are denied.',
  bypassPermissions: 'Everything runs without approval.',
};

/** The modes that the session may switch to; the one it is in is always among them. */
export function modesOf({ mode, modes }: ChoiceState): SessionModeState {
  const available = [...new Set([...modes.cycle, mode])];
  return {
    currentModeId: mode,
    availableModes: available.map((id) => ({ id, name: modeName(id), description: descriptions[id] })),
  };
}

const modeName = (mode: PermissionMode): string =>
  `${modeLabels[mode].charAt(0).toUpperCase()}${modeLabels[mode].slice(1)}`;

/** The ids that the session may switch to; the one it uses is always among them. */
export function offeredModels(
  { model }: Pick<ChoiceState, 'model'>,
  models: readonly string[],
): readonly string[] {
  return [...new Set([model.id, ...models])].slice(0, MAX_MODELS);
}

/** `models`: the ids that the endpoints offer, as far as they are known. */
export function configOptionsOf(state: ChoiceState, models: readonly string[]): SessionConfigOption[] {
  const { availableModes, currentModeId } = modesOf(state);
  const { model } = state;
  return [
    {
      ...{ id: optionIds.mode, name: 'Mode', category: 'mode', type: 'select', currentValue: currentModeId },
      description: 'What runs without your approval',
      options: availableModes.map(({ id: value, name, description }) => ({
        value,
        name,
        description: description ?? null,
      })),
    },
    {
      ...{ id: optionIds.model, name: 'Model', category: 'model', type: 'select', currentValue: model.id },
      options: offeredModels(state, models).map((id) => ({ value: id, name: titleLine(id) })),
    },
    ...(model.efforts === undefined || model.efforts.length === 0 ? [] : [effortOption(state)]),
  ];
}

function effortOption({ model }: ChoiceState): SessionConfigOption {
  return {
    ...{ id: optionIds.effort, name: 'Effort', category: 'thought_level', type: 'select' },
    description: 'How much the model reasons',
    currentValue: model.effort ?? DEFAULT_EFFORT,
    options: [DEFAULT_EFFORT, ...effortLevels(model.efforts)].map((value) => ({
      value,
      name: `${value.charAt(0).toUpperCase()}${value.slice(1)}`,
    })),
  };
}
