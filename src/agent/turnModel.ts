/** Switches to the model that a skill names for the rest of a turn; the next turn uses the session's model again. */
import type { ContextMeasure } from '../protocol/contextReport.ts';
import type { AgentEvent } from '../protocol/events.ts';
import { visibleLine } from '../protocol/text/visible.ts';
import type { AgentModel } from './agentDeps.ts';
import { type Fallback, nextModel } from './fallback.ts';

export interface TurnModel {
  /** A skill is used. Does nothing if it names no model; tells the user if the model cannot be used. */
  use(skill: { readonly name: string; readonly model?: string | undefined }): void;
  /** The session's model while a skill's answers. */
  replaced(): string | undefined;
  /** The turn is over. */
  end(): void;
  /** The user has chosen a model, which is not replaced. */
  forget(): void;
}

interface TurnModelDeps {
  readonly model: Pick<AgentModel, 'current' | 'select'>;
  readonly fallback: Pick<Fallback, 'chosen' | 'forget'>;
  /** True for models that the user has chosen or approved: the name decides who reads the conversation. */
  readonly mayUse: (model: string) => boolean;
  readonly measure: () => ContextMeasure;
  readonly emit: (event: AgentEvent) => void;
}

const MAX_NAME = 200;

export function createTurnModel({ model, fallback, mayUse, measure, emit }: TurnModelDeps): TurnModel {
  /** The session's model while another one answers. */
  let session: string | undefined;
  const select = (id: string): void => emit({ type: 'model_changed', model: model.select(id) });
  const notify = (level: 'info' | 'warning', text: string): void => emit({ type: 'notice', level, text });
  return {
    use({ name, model: wanted }) {
      const { id: current } = model.current();
      if (wanted === undefined || wanted === current) return;
      const asks = `The skill ${visibleLine(name, MAX_NAME)} asks for ${visibleLine(wanted, MAX_NAME)}`;
      if (!mayUse(wanted))
        return notify('warning', `${asks}, which is not one of your models; ${current} continues.`);
      const measured = measure();
      const info = model.select(wanted);
      if (nextModel([info], new Set(), measured) === undefined) {
        model.select(current);
        return notify('warning', `${asks}, whose context window is too small now; ${current} continues.`);
      }
      session ??= fallback.chosen()?.id ?? current;
      fallback.forget();
      emit({ type: 'model_changed', model: info });
      notify('info', `${asks}: it answers until this turn ends.`);
    },
    replaced: () => session,
    end() {
      if (session === undefined) return;
      // A fallback may have replaced the skill's model.
      fallback.forget();
      select(session);
      session = undefined;
    },
    forget() {
      session = undefined;
    },
  };
}
