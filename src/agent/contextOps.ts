/** Ops on the context itself: compact, edit items, switch the model, measure. */
import type { ContextManager } from '../context/index.ts';
import type { ContextMeasure, ItemEdit } from '../protocol/contextReport.ts';
import type { AgentEvent, CompactionReport } from '../protocol/events.ts';
import type { ToolSchema } from '../protocol/messages.ts';
import type { ModelInfo } from '../protocol/models/model.ts';
import { type Effort, effortText, type ThinkingChange } from '../protocol/models/wires.ts';
import type { Op } from '../protocol/ops.ts';
import type { AgentModel } from './agentDeps.ts';
import type { TurnHooks } from './hooks/turnHooks.ts';

export interface ContextOps {
  compact(op: Extract<Op, { type: 'compact' }>, signal: AbortSignal): Promise<void>;
  uncompact(): Promise<void>;
  editItem(edit: ItemEdit): Promise<void>;
  selectModel(id: string): Promise<void>;
  setEffort(effort: Effort | undefined): Promise<void>;
  setThinking(change: ThinkingChange): void;
  /** Measures the context and emits the result. */
  measure(): ContextMeasure;
  /** Like `measure`, but first waits up to `EXACT_WITHIN_MS` for exact token counts. */
  refine(): Promise<ContextMeasure>;
}

interface ContextOpsDeps {
  readonly context: ContextManager;
  readonly schemas: () => readonly ToolSchema[];
  readonly select: (id: string) => ModelInfo;
  readonly setEffort?: AgentModel['setEffort'];
  readonly setThinking?: AgentModel['setThinking'];
  readonly emit: (event: AgentEvent) => void;
  /** Absent without hooks. */
  readonly hooks?: Pick<TurnHooks, 'preCompact'> | undefined;
}

/** Maximum wait for exact token counts, in milliseconds. */
const EXACT_WITHIN_MS = 1500;

export function createContextOps({
  context,
  schemas,
  select,
  setEffort,
  setThinking,
  emit,
  hooks,
}: ContextOpsDeps): ContextOps {
  const emitMeasure = (measured: ContextMeasure): ContextMeasure => {
    emit({ type: 'context_measured', measure: measured });
    return measured;
  };
  const measure = (): ContextMeasure => emitMeasure(context.measure(schemas()));
  return {
    measure,
    refine: async () => emitMeasure(await context.refine(schemas(), EXACT_WITHIN_MS)),
    async compact({ focus, preview }, signal) {
      const focused = focus === undefined ? {} : { focus };
      const options = { tools: schemas(), signal, emit, ...focused };
      if (preview === true)
        return emit({ type: 'compaction_previewed', preview: await context.preview(options) });
      const blocked = await hooks?.preCompact(focus, signal);
      if (blocked !== undefined || signal.aborted) {
        const { usedTokens } = context.measure(schemas());
        emit({ type: 'compaction_ended', report: notCompacted(usedTokens, blocked) });
        return;
      }
      const { outcome } = await context.compressCurrentContext(options);
      if (outcome === 'done' || outcome === 'fallback') measure();
    },
    async uncompact() {
      await context.uncompact({ tools: schemas(), emit });
    },
    async editItem(edit) {
      const problem = await context.editItem(edit, schemas());
      if (problem !== undefined) emit({ type: 'notice', level: 'warning', text: problem });
      measure();
    },
    async setEffort(effort) {
      const model = setEffort?.(effort);
      if (model === undefined) return;
      // Records the requested effort: after a resume, another model may support it.
      const data = effort === undefined ? {} : { effort };
      const written = context.addMessage('system', effortText(model, effort), data, 'effort');
      emit({ type: 'model_changed', model });
      await written;
    },
    setThinking(change) {
      const model = setThinking?.(change);
      if (model !== undefined) emit({ type: 'model_changed', model });
    },
    async selectModel(id) {
      const chosen = select(id);
      const { id: model, endpoint: provider } = chosen;
      const data = { model, ...(provider === undefined ? {} : { provider }) };
      const written = context.addMessage('system', `Model: ${model}`, data, 'model');
      emit({ type: 'model_changed', model: chosen });
      await written;
      measure();
    },
  };
}

function notCompacted(tokens: number, blocked: string | undefined): CompactionReport {
  return {
    outcome: blocked === undefined ? 'cancelled' : 'refused',
    trigger: 'manual',
    ...{ preTokens: tokens, postTokens: tokens, files: [], durationMs: 0 },
    message:
      blocked === undefined ? 'Compaction was cancelled.' : `A hook blocked the compaction: ${blocked}`,
  };
}
